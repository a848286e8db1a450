import { objectionTo } from '../web/address.ts';

/** What an app calls itself by: a name that it was given here, or the address of a document about it. */
export type ClientName =
  | { readonly kind: 'registered' | 'document'; readonly id: string }
  | { readonly kind: 'refused'; readonly why: string };

/** No URL, however it is parsed: a scheme would need its colon. */
const REGISTERED = /^[A-Za-z0-9_.~-]{1,200}$/;
/** Records of an app are kept under its id, and the store takes keys of 512 bytes. */
const MAX_ADDRESS_CHARS = 400;

/**
 * Reads a client's id, before anything is fetched for it. An address counts in its one canonical spelling only, so
 * that nobody who reads it later can take it for another one.
 */
export function clientNamed(id: string): ClientName {
  if (REGISTERED.test(id)) return { kind: 'registered', id };
  const url = URL.canParse(id) ? new URL(id) : undefined;
  if (url?.protocol !== 'https:') return refused('it is not the address of a web page');
  const objection = objectionTo(url);
  if (objection) return refused(objection);
  // What did not decode stands in the address as U+FFFD, which is not canonical either.
  const isCanonical = url.href === id && id.length <= MAX_ADDRESS_CHARS && url.hash === '' && decodes(id);
  return isCanonical ? { kind: 'document', id } : refused('it is not written as addresses are');
}

/** The client that a request to authorize names, read by the parser that the OAuth library reads it with. */
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
