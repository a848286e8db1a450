import { errorText } from '../core/error-text.ts';
import { BlockedUrl } from './guarded-fetch.ts';

/** Why a fetch failed, with the code that every fetching tool has for it. */
export interface FetchRefusal {
  readonly kind: 'refused';
  readonly code: 'invalid_url' | 'blocked_url' | 'fetch_failed' | 'timeout' | 'too_large';
  readonly message: string;
  readonly suggestion?: string;
}

/** Explains an exception of a fetch in words. They hold only the origin of the address. */
export function refusalOf(error: unknown, { origin }: URL): FetchRefusal {
  const chain = causes(error);
  const blocked = chain.find((cause) => cause instanceof BlockedUrl);
  if (blocked) {
    const code = blocked.reason === 'redirects' ? 'fetch_failed' : 'blocked_url';
    return { kind: 'refused', code, message: blocked.message };
  }
  const text = chain.map((cause) => `${codeOf(cause)} ${errorText(cause)}`).join('\n');
  const [, say] = REASONS.find(([pattern]) => pattern.test(text)) ?? [/./, 'could not be read to the end'];
  return { kind: 'refused', code: 'fetch_failed', message: `${origin} ${say}.` };
}

/** The only thing that workerd says when it cannot reach a host. Its log has the cause. */
const WORKERD_SAYS = /^ ?internal error; reference = /m;
const UNREACHED =
  'cannot be reached: its name leads nowhere or to an address that is not public, its certificate is not valid, or it ' +
  'does not speak HTTP';

/** Gives the same error, or a clearer one for workerd's text that explains nothing. */
export function inPlainWords(error: unknown, origin: string): unknown {
  if (!(error instanceof Error) || !WORKERD_SAYS.test(error.message)) return error;
  return new Error(`${origin} ${UNREACHED}.`, { cause: error });
}

/** The first match decides. Node uses codes, workerd its own sentences. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [WORKERD_SAYS, UNREACHED],
  [/\bZ_|zlib|gzip|brotli|decompress|inflate/i, 'sent a body whose compression is broken'],
  [/ENOTFOUND|EAI_|ENODATA|DNS|getaddrinfo/, 'is a host name that does not resolve'],
  [/CERT|certificate|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/i, 'has no valid TLS certificate'],
  [/SSL|TLS|EPROTO/, 'does not complete a TLS connection'],
  [/ECONNREFUSED|[Cc]onnection refused/, 'refuses the connection'],
  [/ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT/, 'does not answer'],
  [/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, 'cannot be reached'],
  [/Network connection lost/, 'refuses the connection, or broke it off'],
  [/ECONNRESET|UND_ERR_SOCKET|EPIPE|terminated/i, 'broke off the connection'],
  [/HPE_|UND_ERR_RESPONSE|[Hh]eader|parse/i, 'sent something that is not HTTP'],
  [/Invalid URL/i, 'redirects to something that is not an address'],
];

/** Gives an error with all its causes, including those of the attempts at each address of a host. */
function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  const queue = [error];
  while (queue.length > 0 && found.length < 16) {
    const next = queue.shift();
    if (next === undefined || next === null) continue;
    found.push(next);
    if (next instanceof AggregateError) queue.push(...next.errors);
    if (next instanceof Error) queue.push(next.cause);
  }
  return found;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
