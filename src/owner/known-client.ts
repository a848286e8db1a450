import { clientNamed } from './client-id.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** The beginning of a code or token of a grant: its owner, and its grant. */
const GRANTED = /^([\w-]{1,100}):([\w-]{1,100}):/;

/**
 * Checks a request to OAuth's endpoints, so that no stranger can name an app by an address. The request's
 * body must be small. The library then reads the same form that was judged here, and answers a stranger as it
 * answers any unknown client.
 */
export async function withKnownClient(request: Request, kv: KVNamespace): Promise<Request> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (request.method !== 'POST' || type.trim().toLowerCase() !== FORM_TYPE) return request;
  const form = new URLSearchParams(await request.text());
  nameClient(form);
  dropLong(form);
  nameResource(form);
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  if (!(await isKnown(form, headers, kv))) {
    for (const name of ['client_id', 'client_assertion', 'client_assertion_type']) form.delete(name);
    headers.delete('authorization');
    form.set('client_id', 'unknown');
  }
  const { url, method, signal } = request;
  return new Request(url, { method, headers, signal, body: form.toString() });
}

/** Takes the slash off the name of `/mcp`, which some clients add. */
export function nameResource(form: URLSearchParams): void {
  const [resource, ...more] = form.getAll('resource');
  if (more.length === 0 && resource?.endsWith('/mcp/')) form.set('resource', resource.slice(0, -1));
}

/**
 * The longest secret to look up. Bowline's codes and tokens have about 60 characters, and the store fails at
 * very long keys.
 */
const MAX_SECRET_CHARS = 256;

function dropLong(form: URLSearchParams): void {
  for (const name of ['code', 'refresh_token', 'token', 'subject_token', 'actor_token'])
    if (form.getAll(name).some((secret) => secret.length > MAX_SECRET_CHARS)) form.set(name, 'unknown');
}

/**
 * Puts the id into the form of a client that signs who it is. Such a client may leave the id out, but it
 * should be read in one place.
 */
function nameClient(form: URLSearchParams): void {
  const [assertion] = form.getAll('client_assertion');
  if (assertion !== undefined && !form.get('client_id'))
    form.set('client_id', issuerOf(assertion) || 'unknown');
}

/**
 * Tells whether a request names a client that is registered here, or one whose document the owner let in with
 * the very grant that the request is about. The library fetches the document before it looks at anything
 * else.
 */
async function isKnown(form: URLSearchParams, headers: Headers, kv: KVNamespace): Promise<boolean> {
  const authorization = headers.get('authorization') ?? '';
  if (/^basic/i.test(authorization) && !isRegisteredName(authorization)) return false;
  for (const id of form.getAll('client_id').filter((each) => each !== '')) {
    const client = clientNamed(id);
    if (client.kind === 'refused') return false;
    if (client.kind === 'document' && (await grantedTo(form, kv)) !== id) return false;
  }
  return true;
}

/** Names the grant that a code or token belongs to. */
export function grantOf(secret: string): string | undefined {
  const [, user, grant] = GRANTED.exec(secret) ?? [];
  return user === undefined || grant === undefined ? undefined : `${user}:${grant}`;
}

/** Finds the client of the grant behind a code or token, in the library's own records. */
async function grantedTo(form: URLSearchParams, kv: KVNamespace): Promise<string | undefined> {
  const secret = form.get('code') ?? form.get('refresh_token') ?? form.get('token') ?? '';
  const grant = grantOf(secret);
  if (grant === undefined) return undefined;
  const kept = await kv.get<{ clientId?: unknown }>(`grant:${grant}`, 'json');
  return typeof kept?.clientId === 'string' ? kept.clientId : undefined;
}

/** Reads who an assertion claims to be from. Its signature is checked later, with a key that is fetched. */
function issuerOf(assertion: string): string {
  const [, claims = ''] = assertion.split('.');
  try {
    const { iss } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { iss?: unknown };
    return typeof iss === 'string' ? iss : '';
  } catch {
    return '';
  }
}

/** Tells whether the name in a header is a client registered here. No other client has a password. */
function isRegisteredName(authorization: string): boolean {
  const [, credentials] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  try {
    const [name = ''] = atob(credentials ?? '').split(':');
    return clientNamed(name).kind === 'registered';
  } catch {
    return false;
  }
}
