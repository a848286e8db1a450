import { SCOPES, type TokenScope } from '../../contracts/contract.ts';
import type { Caller } from '../core/call.ts';

/** What a valid bearer stands for. */
export interface Bearer {
  readonly principal: string;
  readonly client: string;
  readonly scopes: ReadonlySet<TokenScope>;
  /** When it stops counting, in milliseconds. */
  readonly expiresAt: number;
}

/** Looks a token up where it is kept; `undefined` for one that is unknown, expired, revoked or for somewhere else. */
export type TokenLookup = (token: string) => Promise<Bearer | undefined>;

/** How long an isolate may go on believing a token: the time within which revoking takes effect. */
const BELIEF_MS = 5_000;
const MAX_REMEMBERED = 512;
/** For how long a token that was good is worth a lookup even from an address that sends many bad ones. */
const GOOD_MS = 3_600_000;

/** Wraps a lookup so that a token in steady use is looked up every few seconds and not every call. */
export function rememberTokens(lookup: TokenLookup, now: () => number = () => Date.now()) {
  const known = new Map<string, { bearer: Bearer; until: number }>();
  let forgotten = 0;
  const good = new Map<string, number>();
  const remembered: TokenLookup = async (token) => {
    const entry = known.get(token);
    return entry && entry.until > now() ? entry.bearer : renewed(token);
  };
  /** Looks a token up whatever is remembered of it. */
  const renewed: TokenLookup = async (token) => {
    const at = now();
    known.delete(token);
    const before = forgotten;
    const bearer = await lookup(token);
    if (bearer) {
      if (good.size >= MAX_REMEMBERED) good.delete(good.keys().next().value ?? '');
      good.set(token, at);
    }
    // Only good tokens are remembered, or a flood of bad ones would push them out; and none that was looked
    // up while some were revoked, since it may have been one of those.
    if (bearer && before === forgotten) {
      if (known.size >= MAX_REMEMBERED) known.delete(known.keys().next().value ?? '');
      known.set(token, { bearer, until: Math.min(at + BELIEF_MS, bearer.expiresAt) });
    }
    return bearer;
  };
  const forget = () => {
    forgotten++;
    known.clear();
  };
  /** Whether a token was good within the last hour, whatever it is now. */
  const wasGood = (token: string) => now() - (good.get(token) ?? Number.NEGATIVE_INFINITY) < GOOD_MS;
  return { lookup: remembered, renewed, forget, wasGood };
}

/**
 * The token of an `Authorization` header; never one from a URL or a cookie. Ours have about 60 characters, and the
 * store fails at a key that is made of a very long one.
 */
export function tokenOf(request: Request): string | undefined {
  return /^bearer +([\w.~+/:=-]{1,256})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

export function callerOfBearer(bearer: Bearer, via: Caller['via']): Caller {
  return { principal: bearer.principal, client: bearer.client, via, scopes: bearer.scopes };
}

/** The `WWW-Authenticate` headers of RFC 6750 and RFC 9728, by which a client finds its way in. */
export interface Challenges {
  /** For no token, or one that does not count. */
  unauthorized(request: Request): string;
  /** For a good token that was not granted enough: names all the call needs, what is held included. */
  insufficientScope(held: ReadonlySet<TokenScope>, needed: TokenScope): string;
}

export function challengesFor(origin: string): Challenges {
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  return {
    unauthorized: (request) => {
      const error = request.headers.has('authorization')
        ? 'error="invalid_token", error_description="The token is unknown, expired, revoked or for another server", '
        : '';
      return `Bearer ${error}${metadata}, scope="${SCOPES.join(' ')}"`;
    },
    insufficientScope: (held, needed) => {
      const scope = SCOPES.filter((one) => held.has(one) || one === needed).join(' ');
      // What no app can be granted is not named to one: it would ask for it again and again.
      const named = SCOPES.some((one) => one === needed) ? `scope="${scope}", ` : '';
      return `Bearer error="insufficient_scope", ${named}${metadata}, error_description="This needs ${needed}"`;
    },
  };
}

/** RFC 9728: who guards `/mcp` and what may be asked for. */
export function protectedResourceMetadata(origin: string): Response {
  return Response.json(
    {
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Bowline',
    },
    { headers: { 'cache-control': 'max-age=3600' } },
  );
}
