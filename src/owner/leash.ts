import type { MiddlewareHandler } from 'hono';
import { isWithin } from '../core/clock.ts';
import { doorFailure } from '../core/failure.ts';
import { failed } from '../http/json-http.ts';
import { seeOther } from '../http/respond.ts';
import { type Challenges, tokenOf } from './bearer.ts';
import { signInRequired } from './owner-http.ts';
import type { OwnerStub } from './owner-stub.ts';
import { sessionSecretIn } from './session-cookie.ts';

/** The time between two lookups of the credential of a long request. */
export const LOOK_EVERY_MS = 2_000;
/** The time for which a request continues while nobody can say whether its credential is valid. */
const DOUBT_MS = 4_000;

/** Longer than a held call takes to notice that its caller is gone. */
const DRAIN_MS = 10_000;

export interface LeashPorts {
  /**
   * Gives a way to check the credential that let a request in. The check always asks the store, never a
   * memory. Gives `undefined` for a request without a credential.
   */
  credentialOf(request: Request, path: string): (() => Promise<boolean>) | undefined;
  readonly challenges: Pick<Challenges, 'unauthorized'>;
  /** Lets work continue after the answer has left. */
  later(work: Promise<unknown>): void;
}

/**
 * Ends what outlives its credential: a held call, a stream of events, a page that waits for news. Each ends
 * within five seconds after its token or session was revoked or expired. Short requests cost no lookup.
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
    // One signal tells the request's work both that the caller left and that it was shut out.
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

/** Requests that end their own session or change its secret. They must still get their answer. */
const ENDS_ITSELF =
  /^(DELETE \/api\/owner\/sessions?(\/|$)|POST \/(prove|passkeys\/confirm)$|POST \/(api\/owner|connections)\/revoke-everything$|POST \/connections\/sessions\/revoke$|POST \/signout$)/;

/** Gives the answer that the next request with that credential would get. */
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

/** Paths that tokens open. Everywhere else only the owner's session counts. */
const BY_TOKEN = /^\/(mcp|tools|host|api\/mirror)(\/|$)/;

function comesByToken(request: Request, path: string): boolean {
  return tokenOf(request) !== undefined && BY_TOKEN.test(path);
}

/** Finds out which credential let a request in, and gives the way to check it again. */
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
  /** Looks a token up in its store. */
  tokenCounts(token: string): Promise<boolean>;
}

/** Checks again and again. Shuts the sender out if the check fails for some time. */
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
    if (said === false || !isWithin(DOUBT_MS, sure, Date.now())) return end();
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

/**
 * Recognises answers that may take long: events whose number nobody knows yet, and large files. Every other answer is
 * whole when it leaves.
 */
function isStream({ headers }: Response): boolean {
  const isEvents = /^text\/event-stream\b/.test(headers.get('content-type') ?? '');
  return (isEvents && !headers.has('content-length')) || headers.has('content-disposition');
}

/** Gives the same stream, but ends it when its reader is shut out, whether or not they still read. */
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
        // The call behind the stream learns it from its signal. Give it the time to end normally, with its
        // record in the ledger.
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
  // Read nothing ahead: a reader who is shut out could still get what waits here.
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** Reads a stream that nobody may have any more, up to its end if that is near. */
async function drained(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const tooLate = nothingAfter(DRAIN_MS);
  while ((await Promise.race([reader.read(), tooLate]))?.done === false);
  await reader.cancel();
}
