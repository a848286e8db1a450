import { type Context, Hono } from 'hono';
import type * as z from 'zod';
import type { Scope } from '../../contracts/contract.ts';
import type { Caller } from '../core/call.ts';
import { doorFailure, type Failure } from '../core/failure.ts';
import { type MoreEntries, moreEntries, newPush, type PushAnswer } from '../core/mirror-push.ts';
import { isMirrored, OPEN_BY_DEFAULT } from '../core/path-policy.ts';
import { bodyOf, failed, ok } from '../surfaces/json-http.ts';
import type { Mirror } from './mirror-port.ts';
import { BadBlobs, receiveBlobs } from './receive-blobs.ts';

export interface MirrorRoutesPorts {
  readonly mirror: Mirror;
  /** Who sends a request, by its bearer token. */
  callerOf(request: Request): Promise<Caller | undefined>;
  readonly challenges: {
    unauthorized(request: Request): string;
    insufficientScope(held: ReadonlySet<Scope>, needed: Scope): string;
  };
}

/** Where `bowline mirror` pushes to: with a token that may write, since pushing says what the models read. */
export function mirrorRoutes({ mirror, callerOf, challenges }: MirrorRoutesPorts): Hono {
  const app = new Hono();
  const as = async (c: Context, scope: Scope, act: (caller: Caller) => Promise<Response>) => {
    const caller = await callerOf(c.req.raw);
    if (!caller) {
      const response = failed(doorFailure('unauthorized'));
      response.headers.set('www-authenticate', challenges.unauthorized(c.req.raw));
      return response;
    }
    if (caller.scopes.has(scope)) return act(caller);
    const response = failed(doorFailure('insufficient_scope'));
    response.headers.set('www-authenticate', challenges.insufficientScope(caller.scopes, scope));
    return response;
  };

  app.get('/', (c) => as(c, 'read', async () => ok(await mirror.stub().status())));

  app.post('/pushes', (c) =>
    as(c, 'write', (caller) =>
      withBody(c, newPush, async (push) => {
        const denied = deniedIn(push, push.open);
        return denied ? failed(denied) : answer(await mirror.stub().open(push, caller.client));
      }),
    ),
  );

  app.post('/pushes/:id/files', (c) =>
    as(c, 'write', () =>
      withBody(c, moreEntries, async (entries) => {
        const id = c.req.param('id');
        const open = await mirror.stub().openOf(id);
        const denied = deniedIn(entries, open ?? OPEN_BY_DEFAULT);
        return denied ? failed(denied) : answer(await mirror.stub().stage(id, entries));
      }),
    ),
  );

  app.post('/pushes/:id/blobs', (c) =>
    as(c, 'write', async () => {
      const id = c.req.param('id');
      try {
        const arrived = await receiveBlobs(c.req.raw, mirror.blobs);
        return answer(await mirror.stub().arrived(id, arrived));
      } catch (error) {
        if (!(error instanceof BadBlobs)) throw error;
        if (error.arrived.length > 0) await mirror.stub().arrived(id, error.arrived);
        const suggestion = 'Push again; what has arrived is not sent twice.';
        const failure = doorFailure('invalid_input', { message: error.message, suggestion });
        return failed({ ...failure, http_status: error.status });
      }
    }),
  );
  return app;
}

async function withBody<Shape extends z.ZodType>(
  c: Context,
  shape: Shape,
  act: (body: z.output<Shape>) => Promise<Response>,
): Promise<Response> {
  const body = await bodyOf<z.output<Shape>>(c.req.raw, shape as never, MAX_LIST_BYTES);
  return 'failure' in body ? failed(body.failure) : act(body.value);
}

/** More than one request's files take with paths of any usual length. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** A path that is not open is refused here as well, whoever pushes it. */
function deniedIn({ files }: Pick<MoreEntries, 'files'>, open: readonly string[]): Failure | undefined {
  const denied = files.find(({ path }) => !isMirrored(path, { open }));
  if (!denied) return undefined;
  return {
    code: 'path_denied',
    http_status: 403,
    message: `${denied.path} is not open, and is not taken.`,
    suggestion:
      'Leave it out, or open its folder with `git config --add bowline.open`; secrets and keys never are.',
  };
}

const REFUSED: Partial<Record<PushAnswer['kind'], number>> = {
  other_base: 409,
  unknown_push: 404,
  too_many_files: 413,
};

function answer(said: PushAnswer): Response {
  return Response.json(said, {
    status: REFUSED[said.kind] ?? 200,
    headers: { 'cache-control': 'no-store' },
  });
}
