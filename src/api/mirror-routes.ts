import { type Context, Hono } from 'hono';
import type * as z from 'zod';
import type { Caller } from '../core/call.ts';
import { doorFailure, type Failure } from '../core/failure.ts';
import { MAX_UNFINISHED, moreEntries, newPush, PIECES, type PushAnswer } from '../core/mirror-push.ts';
import type { GateStub } from '../gate/gate-stub.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import type { Mirror } from '../mirror/mirror-port.ts';
import { type Pusher, pushRecord } from '../mirror/push-record.ts';
import { BadBlobs, receiveBlobs } from '../mirror/receive-blobs.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { type Challenges, tokenOf } from '../owner/bearer.ts';
import { ownerOnly } from '../owner/owner-http.ts';
import { sessionSecretIn } from '../owner/session-cookie.ts';

interface MirrorRoutesPorts {
  readonly auth: Pick<AuthPorts, 'origin' | 'owner'>;
  readonly mirror: Mirror;
  gate(): GateStub;
  /** Identifies the sender of a request by its bearer token. */
  callerOf(request: Request): Promise<Caller | undefined>;
  readonly challenges: Challenges;
}

const HOW_TO_PUSH =
  'Push as the owner, with the owner key in BOWLINE_OWNER_KEY, or with a token that the owner made for it: `bowline token create --name mirror --scopes push`.';

type Act = (pusher: Pusher, mayPush: boolean) => Promise<Response>;

/**
 * Takes the pushes of `bowline mirror`, from the owner or with a token of the scope `push`. That is a scope
 * of its own because a push decides what every model reads. A push can never change what is open. The owner's
 * settings alone decide that.
 */
export function mirrorRoutes({ auth, mirror, gate, callerOf, challenges }: MirrorRoutesPorts): Hono {
  const app = new Hono();
  const asOwner = ownerOnly(auth);

  const as = async (c: Context, may: readonly ('read' | 'push')[], act: Act) => {
    const request = c.req.raw;
    if (tokenOf(request) === undefined && sessionSecretIn(request) !== undefined)
      return asOwner(c, () => act({ principal: 'owner', by: 'the owner' }, true));
    const caller = await callerOf(request);
    if (!caller) return challenged(doorFailure('unauthorized'), challenges.unauthorized(request));
    const { principal, client: by, scopes } = caller;
    if (may.some((scope) => scopes.has(scope))) return act({ principal, by }, scopes.has('push'));
    const [needed = 'push'] = may;
    if (needed === 'push') await gate().settle([pushRecord({ principal, by }, {}, 'insufficient_scope')]);
    const failure = doorFailure('insufficient_scope', { suggestion: HOW_TO_PUSH });
    return challenged(failure, challenges.insufficientScope(scopes, needed));
  };
  const push = (c: Context, act: Act) => as(c, ['push'], act);

  app.get('/', (c) =>
    as(c, ['read', 'push'], async (_, mayPush) => {
      const status = { ...(await mirror.stub().status()), pieces: PIECES };
      return ok(mayPush ? { ...status, settings: await mirror.stub().settings() } : status);
    }),
  );

  app.post('/pushes', (c) =>
    push(c, (pusher) => withBody(c, newPush, async (body) => answer(await mirror.stub().open(body, pusher)))),
  );

  app.post('/pushes/:id/files', (c) =>
    push(c, () =>
      withBody(c, moreEntries, async (entries) =>
        answer(await mirror.stub().stage(c.req.param('id'), entries)),
      ),
    ),
  );

  app.post('/pushes/:id/blobs', (c) =>
    push(c, async () => {
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

function challenged(failure: Failure, challenge: string): Response {
  const response = failed(failure);
  response.headers.set('www-authenticate', challenge);
  return response;
}

async function withBody<Shape extends z.ZodType>(
  c: Context,
  shape: Shape,
  act: (body: z.output<Shape>) => Promise<Response>,
): Promise<Response> {
  const body = await bodyOf<z.output<Shape>>(c.req.raw, shape as never, MAX_LIST_BYTES);
  return 'failure' in body ? failed(body.failure) : act(body.value);
}

/** More than the files of one request need, with paths of any usual length. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

function notOpen(path: string | null): Failure {
  return {
    code: 'path_denied',
    http_status: 403,
    message:
      path === null
        ? 'None of the pushed paths is open, so the push was refused.'
        : `${path} is not open, so the push was refused.`,
    suggestion:
      'The owner opens more with `bowline mirror open` or on the console’s Repo page; secrets and keys never are.',
  };
}

type Wrong = Extract<PushAnswer, { kind: 'wrong_piece' }>;

/** Says what is wrong with a piece. It changed nothing, and the push can go on with the piece that is due. */
function wrongPiece({ why, piece, next }: Wrong): Failure {
  const said = {
    early: `Piece ${piece} of the push came before piece ${next}, so it was refused.`,
    changed: `Piece ${piece} of the push came again with other files, so it was refused.`,
    complete: `Piece ${piece} came after the last piece of the push, so it was refused.`,
    unnumbered: 'A piece of a push that has a name came without its number, so it was refused.',
    other: 'An unfinished push of this name says something else, so this one was refused.',
  }[why];
  const suggestion =
    why === 'other'
      ? 'Give each push a name of its own: the digest of everything that it says.'
      : 'Push again with `bowline mirror push`; what has arrived is not sent twice.';
  return doorFailure('invalid_input', { message: said, suggestion });
}

function namedTwice(path: string): Failure {
  return doorFailure('invalid_input', {
    message: `The push names ${path} twice, so it was refused.`,
    suggestion: 'Name each path of a commit once.',
  });
}

const REFUSED: Partial<Record<PushAnswer['kind'], number>> = {
  other_base: 409,
  unknown_push: 404,
  too_many_files: 413,
};

/** What somebody reads who pushes without `bowline`, which acts on the kind alone. */
const WORDS: Partial<Record<PushAnswer['kind'], string>> = {
  other_base: 'The mirror is not at the commit that the push has its differences to.',
  unknown_push: `There is no such push: it was refused, it was left for a day, its pusher began ${MAX_UNFINISHED} others, or the owner changed what is open.`,
  too_many_files: 'The push has more files than a mirror holds.',
};

function answer(said: PushAnswer): Response {
  if (said.kind === 'not_open') return failed(notOpen(said.path));
  if (said.kind === 'wrong_piece') return failed({ ...wrongPiece(said), http_status: 409 });
  if (said.kind === 'named_twice') return failed(namedTwice(said.path));
  const message = WORDS[said.kind];
  return Response.json(message === undefined ? said : { ...said, message }, {
    status: REFUSED[said.kind] ?? 200,
    headers: { 'cache-control': 'no-store' },
  });
}
