import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { doorFailure, type Failure } from '../core/failure.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import { checkServer } from '../joined/check-server.ts';
import type { HostPorts } from '../joined/host-ports.ts';
import { MAX_TOOLS } from '../joined/joined-limits.ts';
import type { JoinedTools } from '../joined/joined-list.ts';
import { isServerName, SERVER_NAME_RULE } from '../joined/names.ts';
import { beginSignIn, finishSignIn } from '../joined/sign-in.ts';
import { tellListChanged } from '../joined/tell-list-changed.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { ownerOnly } from '../owner/owner-http.ts';
import { hasFreshProof, proofNeeded } from '../owner/proof.ts';

const token = z.string().min(1).max(8_192);
export const addBody = z.strictObject({
  name: z.string().refine(isServerName, SERVER_NAME_RULE),
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  /** The bearer token to send. It is never shown again. */
  token: token.optional(),
  allow: z.array(z.string().min(1).max(128)).max(128).optional(),
});
export const gradeBody = z.strictObject({
  tool: z.string().max(128),
  /** The hash of the tool as the owner saw it. The grade does not apply to a tool that changed since. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  grade: z.enum(['read_only', 'safe_write', 'dangerous']).nullable(),
});
/** The tools whose proposed grades the owner confirms, as they saw them. */
export const proposalsBody = z.strictObject({
  tools: z
    .array(z.strictObject({ name: gradeBody.shape.tool, hash: gradeBody.shape.hash }))
    .min(1)
    .max(MAX_TOOLS),
});
/** Tells if a tool asks less with that grade. Without a grade it counts as dangerous. */
export function asksLess(grade: z.infer<typeof gradeBody>['grade']): boolean {
  return grade === 'read_only' || grade === 'safe_write';
}

const tokenBody = z.strictObject({ token: token.nullable() });

export interface ServerRoutePorts {
  readonly auth: AuthPorts;
  readonly host: Omit<HostPorts, 'door'>;
  readonly joined: Pick<JoinedTools, 'forget'>;
}

/** Serves joined servers to the owner: what they offer, what is left out and why, and the owner's grades. */
export function serverOwnerRoutes({ auth, host, joined }: ServerRoutePorts): Hono {
  const app = new Hono();
  const asOwner = ownerOnly(auth);
  const { gate, events } = host;
  const listChanged = () => tellListChanged(joined, events);
  const shown = async (name: string) => ok({ server: await gate().server(name) });
  /** Acts on a server that the gateway reaches by itself. */
  const onHttp = (c: Context, act: (server: HttpServerRow) => Promise<Response>) =>
    asOwner(c, async () => {
      const server = await gate().server(c.req.param('name') ?? '');
      if (!server) return failed(missing);
      return server.url === null ? failed(onMachine(server.machine)) : act({ ...server, url: server.url });
    });

  app.get('/', (c) => asOwner(c, async () => ok({ servers: await gate().servers() })));
  app.post('/', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, addBody);
      if ('failure' in body) return failed(body.failure);
      const { name, url, token: secret, allow = null } = body.value;
      const added = await gate().addServer({ name, url, allow });
      if (added !== 'added') return failed(added === 'taken' ? nameTaken : tooMany);
      if (secret) await gate().keepServerSecret(name, JSON.stringify({ kind: 'token', token: secret }));
      await checkServer({ name, url, allow }, host);
      listChanged();
      return shown(name);
    }),
  );
  app.get('/:name', (c) =>
    asOwner(c, async () => {
      const server = await gate().server(c.req.param('name'));
      return server ? ok({ server }) : failed(missing);
    }),
  );
  app.delete('/:name', (c) =>
    asOwner(c, async () => {
      const removed = await gate().removeServer(c.req.param('name'));
      if (removed) listChanged();
      return removed ? ok({ removed: true }) : failed(missing);
    }),
  );
  app.post('/:name/check', (c) =>
    onHttp(c, async (server) => {
      await checkServer(server, host);
      joined.forget();
      return shown(server.name);
    }),
  );
  app.post('/:name/grade', (c) =>
    asOwner(c, async (visit) => {
      const body = await bodyOf(c.req.raw, gradeBody);
      if ('failure' in body) return failed(body.failure);
      if (asksLess(body.value.grade) && !hasFreshProof(visit)) return failed(proofNeeded);
      const graded = await gate().gradeTool({ server: c.req.param('name'), ...body.value });
      if (graded !== 'graded') return failed(graded === 'changed' ? changedSince : missing);
      listChanged();
      return shown(c.req.param('name'));
    }),
  );
  app.post('/:name/proposals', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, proposalsBody);
      if ('failure' in body) return failed(body.failure);
      const graded = await gate().acceptProposals({ server: c.req.param('name'), ...body.value });
      if (graded !== 'graded') return failed(graded === 'changed' ? changedSince : missing);
      listChanged();
      return shown(c.req.param('name'));
    }),
  );
  app.put('/:name/token', (c) =>
    onHttp(c, async (server) => {
      const body = await bodyOf(c.req.raw, tokenBody);
      if ('failure' in body) return failed(body.failure);
      const { token: secret } = body.value;
      const kept = secret === null ? null : JSON.stringify({ kind: 'token', token: secret });
      await gate().keepServerSecret(server.name, kept);
      await checkServer(server, host);
      joined.forget();
      return shown(server.name);
    }),
  );
  app.post('/:name/sign-in', (c) =>
    onHttp(c, async (server) => {
      const begun = await beginSignIn(server, host);
      return 'problem' in begun ? failed(noSignIn(begun.problem)) : ok({ url: begun.url });
    }),
  );
  return app;
}

/**
 * Takes the owner back from a server's sign-in page. The secret state alone decides what the request may do.
 */
export function signInCallback({ host, joined }: Omit<ServerRoutePorts, 'auth'>): Hono {
  const app = new Hono();
  app.get('/servers/callback', async (c) => {
    const done = await finishSignIn(new URL(c.req.url).searchParams, host);
    joined.forget();
    if ('problem' in done) return failed(noSignIn(done.problem));
    const server = await host.gate().server(done.server);
    if (server?.url) await checkServer({ ...server, url: server.url }, host);
    return c.redirect('/servers', 303);
  });
  return app;
}

type HttpServerRow = {
  readonly name: string;
  readonly url: string;
  readonly allow: readonly string[] | null;
};

const missing: Failure = {
  code: 'not_found',
  http_status: 404,
  message: 'There is no such server, or it has no such tool.',
  suggestion: 'List the servers to see what there is.',
};
const nameTaken: Failure = {
  code: 'name_taken',
  http_status: 409,
  message: 'A server of that name is joined already.',
  suggestion: 'Choose another name, or remove that one first.',
};
const tooMany: Failure = {
  code: 'too_many_servers',
  http_status: 409,
  message: 'No more servers can be joined.',
  suggestion: 'Remove one first.',
};
const changedSince: Failure = {
  code: 'tool_changed',
  http_status: 409,
  message: 'The tool has changed since you looked at it.',
  suggestion: 'Look at it again, then grade it.',
};

function onMachine(machine: string | null): Failure {
  const suggestion = `Change \`servers\` in bridge.json on ${machine ?? 'that machine'}; its bridge follows within seconds.`;
  return doorFailure('invalid_input', {
    message: 'A machine starts this server, not the gateway.',
    suggestion,
  });
}

function noSignIn(problem: string): Failure {
  return {
    code: 'sign_in_failed',
    http_status: 502,
    message: `Sign-in at the server failed: ${problem}`,
    suggestion: 'Begin again on the servers page, or give the server a token.',
  };
}
