import type { MiddlewareHandler } from 'hono';
import { doorFailure } from '../core/failure.ts';
import { failed } from '../http/json-http.ts';
import { seeOther } from '../http/respond.ts';
import { type Challenges, tokenOf } from './bearer.ts';
import { signInRequired } from './owner-http.ts';
import type { OwnerStub } from './owner-stub.ts';
import { sessionSecretIn } from './session-cookie.ts';

/** How often the credential of a request that goes on is looked up again. */
export const LOOK_EVERY_MS = 2_000;
/** For how long a request goes on while nobody can say whether its credential still counts. */
const DOUBT_MS = 4_000;

/** Longer than a held call takes to notice that its caller is gone. */
const DRAIN_MS = 10_000;

export interface LeashPorts {
  /**
   * Whether the credential that let a request in still counts, looked up where it is kept and never in a memory;
   * `undefined` for a request that came in without one.
   */
  credentialOf(request: Request, path: string): (() => Promise<boolean>) | undefined;
  readonly challenges: Pick<Challenges, 'unauthorized'>;
  /** Lets work go on after the answer has left. */
  later(work: Promise<unknown>): void;
}

/**
 * Ends what outlives its credential: a held call, a stream of events, a page that waits for news. Each is ended
 * within five seconds after its token or session was revoked or ran out. Short requests cost no look.
 */
export function endWithCredential({ credentialOf, challenges, later }: LeashPorts): MiddlewareHandler {
  return async (c, next) => {
    const sent = c.req.raw;
    const stillGood = ENDS_ITSELF.test(`${c.req.method} ${c.req.path}`)
      ? undefined
      : credentialOf(sent, c.req.path);
    if (!stillGood) return next();
    const over = new AbortController();
    const leave = () => over.abort();
    sent.signal.addEventListener('abort', leave, { once: true });
    // What runs for this request hears by the same signal that its caller left and that it was shut out.
    c.req.raw = new Request(sent, { signal: over.signal });
    const leash = watch(stillGood, leave);
    const answered = next();
    const isShutOut = await Promise.race([leash.ended, answered.then(() => false)]);
    if (isShutOut) {
      later(answered);
      return refusalOf(sent, c.req.path, challenges);
    }
    const { body } = c.res;
    if (body && isStream(c.res)) c.res = new Response(tied(body, leash, later), c.res);
    else leash.letGo();
    return undefined;
  };
}

/** Requests that end the very session they come with, or give it another secret, and are to be told so. */
const ENDS_ITSELF =
  /^(DELETE \/api\/owner\/sessions?(\/|$)|POST \/(prove|passkeys\/confirm)$|POST \/(api\/owner|connections)\/revoke-everything$|POST \/connections\/sessions\/revoke$|POST \/signout$)/;

/** What the next request with that credential would be told. */
function refusalOf(request: Request, path: string, { unauthorized }: LeashPorts['challenges']): Response {
  if (comesByToken(request, path)) {
    const response = failed(doorFailure('unauthorized'));
    response.headers.set('www-authenticate', unauthorized(request));
    return response;
  }
  return path.startsWith('/api/') ? failed(signInRequired) : seeOther('/signin');
}

interface Leash {
  /** Resolves to `true` once the credential has ended. */
  readonly ended: Promise<boolean>;
  letGo(): void;
}

/** Where a token lets its sender in. Everywhere else only the owner's session does. */
const BY_TOKEN = /^\/(mcp|tools|host|api\/mirror)(\/|$)/;

function comesByToken(request: Request, path: string): boolean {
  return tokenOf(request) !== undefined && BY_TOKEN.test(path);
}

/** Who came in by a token and who by a session, each with the way to ask whether that still counts. */
export function credentialsBy({ owner, tokenCounts }: CredentialPorts): LeashPorts['credentialOf'] {
  return (request, path) => {
    const token = tokenOf(request);
    if (token !== undefined && BY_TOKEN.test(path)) return () => tokenCounts(token);
    const secret = sessionSecretIn(request);
    return secret === undefined ? undefined : async () => (await owner().session(secret)) !== null;
  };
}

interface CredentialPorts {
  owner(): OwnerStub;
  /** Looks a token up where it is kept. */
  tokenCounts(token: string): Promise<boolean>;
}

/** Looks again and again. Who cannot be looked up for a while is shut out. */
function watch(stillGood: () => Promise<boolean>, shutOut: () => void): Leash {
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHeld = true;
  let sure = Date.now();
  const end = () => {
    shutOut();
    resolve(true);
  };
  const look = async () => {
    const asked = Date.now();
    const said = await Promise.race([stillGood().catch(() => undefined), nothingAfter(LOOK_EVERY_MS)]);
    if (!isHeld) return;
    if (said === true) sure = asked;
    if (said === false || Date.now() - sure >= DOUBT_MS) return end();
    timer = setTimeout(look, LOOK_EVERY_MS);
  };
  timer = setTimeout(look, LOOK_EVERY_MS);
  const letGo = () => {
    isHeld = false;
    clearTimeout(timer);
  };
  return { ended, letGo };
}

async function nothingAfter(ms: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return undefined;
}

/** Events, and files that may take long to read; every other answer is whole when it leaves. */
function isStream({ headers }: Response): boolean {
  return (
    /^text\/event-stream\b/.test(headers.get('content-type') ?? '') || headers.has('content-disposition')
  );
}

/** The same stream, which ends when its reader is shut out, whether or not they read on. */
function tied(
  body: ReadableStream<Uint8Array>,
  leash: Leash,
  later: LeashPorts['later'],
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      void leash.ended.then(() => {
        if (isOver) return;
        isOver = true;
        controller.close();
        // The call behind it is told by its signal. It gets the time to end as calls do, in the ledger as well.
        later(drained(reader));
      });
    },
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await reader.read();
      if (isOver) return;
      if (!done) return controller.enqueue(value);
      isOver = true;
      leash.letGo();
      controller.close();
    },
    cancel: (reason: unknown) => {
      isOver = true;
      leash.letGo();
      return reader.cancel(reason);
    },
  };
  // Nothing is read ahead, so that nothing waits here that its reader could still have once shut out.
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** Reads what nobody is to have, up to its end if that is near. */
async function drained(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const tooLate = nothingAfter(DRAIN_MS);
  while ((await Promise.race([reader.read(), tooLate]))?.done === false);
  await reader.cancel();
}
