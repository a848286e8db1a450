import { objectionTo } from '../web/address.ts';

/** An app's id: a name that it was given here, or the address of a document about it. */
type ClientName =
  | { readonly kind: 'registered' | 'document'; readonly id: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Never a URL, for any parser: a scheme needs its colon. */
const REGISTERED = /^[A-Za-z0-9_.~-]{1,200}$/;
/** The app's records are stored under its id, and the store takes keys of 512 bytes. */
const MAX_ADDRESS_CHARS = 400;

/**
 * Reads a client's id before anything is fetched for it. Accepts an address only in its canonical spelling,
 * so that no later reader can take it for another address.
 */
export function clientNamed(id: string): ClientName {
  if (REGISTERED.test(id)) return { kind: 'registered', id };
  const url = URL.canParse(id) ? new URL(id) : undefined;
  if (url?.protocol !== 'https:') return refused('it is not the address of a web page');
  const objection = objectionTo(url);
  if (objection) return refused(objection);
  // Bytes that did not decode stand in the address as U+FFFD, which is not canonical either.
  const isCanonical = url.href === id && id.length <= MAX_ADDRESS_CHARS && url.hash === '' && decodes(id);
  return isCanonical ? { kind: 'document', id } : refused('it is not written in the usual form');
}

/** Reads the client that an authorization request names, with the same parser that the OAuth library uses. */
export function clientAsking(request: Request): ClientName {
  const [id = '', ...more] = new URL(request.url).searchParams.getAll('client_id');
  return more.length > 0 ? refused('the request names more than one app') : clientNamed(id);
}

function decodes(address: string): boolean {
  try {
    return decodeURIComponent(address) !== '';
  } catch {
    return false;
  }
}

function refused(why: string): ClientName {
  return { kind: 'refused', why };
}
