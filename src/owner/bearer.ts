import { SCOPES, type TokenScope } from '../../contracts/contract.ts';
import type { Caller } from '../core/call.ts';
import { isWithin } from '../core/clock.ts';

/** The rights that a valid bearer token gives, and their holder. */
export interface Bearer {
  readonly principal: string;
  readonly client: string;
  readonly scopes: ReadonlySet<TokenScope>;
  /** The end of its validity, in milliseconds. */
  readonly expiresAt: number;
}

/**
 * Looks a token up in its store. Gives `undefined` for a token that is unknown, expired, revoked or for
 * somewhere else.
 */
type TokenLookup = (token: string) => Promise<Bearer | undefined>;

/** The time for which an isolate believes a token. Revoking takes effect within it. */
const BELIEF_MS = 5_000;
const MAX_REMEMBERED = 512;
/** A token that was good within this time is looked up even if its address sends many bad ones. */
const GOOD_MS = 3_600_000;

/** Wraps a lookup so that a token in steady use is looked up every few seconds instead of at every call. */
export function rememberTokens(lookup: TokenLookup, now: () => number = () => Date.now()) {
  const known = new Map<string, { bearer: Bearer; at: number }>();
  let forgotten = 0;
  const good = new Map<string, number>();
  const remembered: TokenLookup = async (token) => {
    const entry = known.get(token);
    const at = now();
    const isKnown = entry && isWithin(BELIEF_MS, entry.at, at) && entry.bearer.expiresAt > at;
    return isKnown ? entry.bearer : renewed(token);
  };
  /** Looks a token up, whatever is remembered of it. */
  const renewed: TokenLookup = async (token) => {
    const at = now();
    known.delete(token);
    const before = forgotten;
    const bearer = await lookup(token);
    if (bearer) {
      if (good.size >= MAX_REMEMBERED) good.delete(good.keys().next().value ?? '');
      good.set(token, at);
    }
    // Remember only good tokens, or a flood of bad ones would push them out. Do not remember a token whose
    // lookup ran during a revocation: it may be the revoked one.
    if (bearer && before === forgotten) {
      if (known.size >= MAX_REMEMBERED) known.delete(known.keys().next().value ?? '');
      known.set(token, { bearer, at });
    }
    return bearer;
  };
  const forget = () => {
    forgotten++;
    known.clear();
  };
  /** Tells whether a token was good within the last hour, whatever it is now. */
  const wasGood = (token: string) => isWithin(GOOD_MS, good.get(token) ?? Number.NEGATIVE_INFINITY, now());
  return { lookup: remembered, renewed, forget, wasGood };
}

/**
 * Reads the token of an `Authorization` header, never one from a URL or a cookie. Bowline's tokens have about
 * 60 characters, and the store fails at very long keys.
 */
export function tokenOf(request: Request): string | undefined {
  return /^bearer +([\w.~+/:=-]{1,256})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

export function callerOfBearer(bearer: Bearer, via: Caller['via']): Caller {
  return { principal: bearer.principal, client: bearer.client, via, scopes: bearer.scopes };
}

/** The `WWW-Authenticate` headers of RFC 6750 and RFC 9728, by which a client finds out how to sign in. */
export interface Challenges {
  /** Answers a missing or invalid token. */
  unauthorized(request: Request): string;
  /**
   * Answers a good token that lacks a scope. It names all scopes that the call needs, including those it
   * already has.
   */
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
      // Do not name a scope that no app can get: the app would ask for it again and again.
      const named = SCOPES.some((one) => one === needed) ? `scope="${scope}", ` : '';
      return `Bearer error="insufficient_scope", ${named}${metadata}, error_description="This needs ${needed}"`;
    },
  };
}

/** Gives the metadata of RFC 9728: who guards `/mcp`, and which scopes exist. */
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
