import type { MiddlewareHandler } from 'hono';
import { doorFailure } from '../core/failure.ts';
import type { NewsLine } from '../events/news-line.ts';
import { failed } from '../http/json-http.ts';
import { endOf } from '../http/request-end.ts';
import { seeOther } from '../http/respond.ts';
import { type Challenges, tokenOf } from './bearer.ts';
import { type Credential, type Leash, watch } from './credential-watch.ts';
import { signInRequired } from './owner-http.ts';
import type { OwnerStub } from './owner-stub.ts';
import { sessionSecretIn } from './session-cookie.ts';

/** Longer than a held call takes to notice that its caller is gone. */
const DRAIN_MS = 10_000;

export interface LeashPorts {
  /** Finds the credential that let a request in. Gives `undefined` for a request without one. */
  credentialOf(request: Request, path: string): Credential | undefined;
  /** Listens for changes of credentials, whichever they are. */
  listen(): Promise<NewsLine>;
  readonly challenges: Pick<Challenges, 'unauthorized'>;
  /** Lets work continue after the answer has left. */
  later(work: Promise<unknown>): void;
}

/**
 * Ends what outlives its credential: a held call, a stream of events, a page that waits for news. Each ends
 * within five seconds after its token or session was revoked or expired. Short requests cost no lookup.
 */
export function endWithCredential({
  credentialOf,
  listen,
  challenges,
  later,
}: LeashPorts): MiddlewareHandler {
  return async (c, next) => {
    const sent = c.req.raw;
    const credential = ENDS_ITSELF.test(`${c.req.method} ${c.req.path}`)
      ? undefined
      : credentialOf(sent, c.req.path);
    if (!credential) return next();
    const over = endOf(sent);
    const leave = () => over.abort();
    // One signal tells the request's work both that the caller left and that it was shut out. MCP asks for it, because
    // another request around the first costs a third of what a bare Worker needs for an answer.
    if (!MCP.test(c.req.path)) c.req.raw = new Request(sent, { signal: over.signal });
    const leash = watch(credential, leave, listen, over.timer);
    const answered = next();
    const isShutOut = await Promise.race([leash.ended, answered.then(() => false)]);
    if (isShutOut) {
      later(answered);
      return refusalOf(sent, c.req.path, challenges);
    }
    // Ask for the body only of a stream: each body that is asked for becomes one.
    const body = isStream(c.res) ? c.res.body : null;
    if (body) c.res = new Response(tied(body, leash, later), c.res);
    else leash.letGo();
    return undefined;
  };
}

const MCP = /^\/mcp\/?$/;

/** Requests that end their own session or change its secret. They must still get their answer. */
const ENDS_ITSELF =
  /^(DELETE \/api\/owner\/sessions?(\/|$)|POST \/(prove|passkeys\/confirm)$|POST \/(api\/owner|connections)\/revoke-everything$|POST \/connections\/sessions\/revoke$|POST \/signout$)/;

/**
 * Tells the sender of a call what nobody else may tell them any more: that it may have run. Nothing of its result, and
 * not even how far it got, is for a token that does not count.
 */
const CUT_OFF = {
  message:
    'The sign-in of this request ended while the request was under way. If it made a call, the call may have run: its end is in the ledger.',
  suggestion:
    'Ask the owner what the ledger says of the call. Connect again or send another token, and repeat a call that changes something only if it did not run.',
};

/** Gives the answer that the next request with that credential would get, and says that this one had begun. */
function refusalOf(request: Request, path: string, { unauthorized }: LeashPorts['challenges']): Response {
  if (comesByToken(request, path)) {
    const mayHaveRun = request.method !== 'GET' && request.method !== 'HEAD';
    const response = failed(doorFailure('unauthorized', mayHaveRun ? CUT_OFF : undefined));
    response.headers.set('www-authenticate', unauthorized(request));
    return response;
  }
  return path.startsWith('/api/') ? failed(signInRequired) : seeOther('/signin');
}

/** Paths that tokens open. Everywhere else only the owner's session counts. */
const BY_TOKEN = /^\/(mcp|tools|host|api\/mirror)(\/|$)/;

function comesByToken(request: Request, path: string): boolean {
  return tokenOf(request) !== undefined && BY_TOKEN.test(path);
}

/** Finds out which credential let a request in, and gives the way to check it again. */
export function credentialsBy({ owner, tokenEnds }: CredentialPorts): LeashPorts['credentialOf'] {
  return (request, path) => {
    const token = tokenOf(request);
    // The tokens of apps are in a store with copies all over the world.
    if (token !== undefined && BY_TOKEN.test(path)) return { endsAt: () => tokenEnds(token), lags: true };
    const secret = sessionSecretIn(request);
    if (secret === undefined) return undefined;
    return { endsAt: async () => (await owner().session(secret))?.expiresAt, lags: false };
  };
}

interface CredentialPorts {
  owner(): OwnerStub;
  /** Looks a token up in its store. Gives the time when it ends, or `undefined` if it does not count. */
  tokenEnds(token: string): Promise<number | undefined>;
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
  const isEvents = /^(text\/event-stream|application\/x-ndjson)\b/.test(headers.get('content-type') ?? '');
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
