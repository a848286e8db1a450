import { clientNamed } from './client-id.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** How a code or token begins that a grant gave out: whose grant, and which. */
const GRANTED = /^([\w-]{1,100}):([\w-]{1,100}):/;

/**
 * A request to OAuth's endpoints in which no stranger names an app by an address; its body must be small. The library
 * reads the form as it was judged here, and answers a stranger as it does any client that it does not know.
 */
export async function withKnownClient(request: Request, kv: KVNamespace): Promise<Request> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (request.method !== 'POST' || type.trim().toLowerCase() !== FORM_TYPE) return request;
  const form = new URLSearchParams(await request.text());
  nameClient(form);
  dropLong(form);
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

/** Codes and tokens of ours have about 60 characters. The store fails at a key that is made of a very long one. */
const MAX_SECRET_CHARS = 256;

function dropLong(form: URLSearchParams): void {
  for (const name of ['code', 'refresh_token', 'token', 'subject_token', 'actor_token'])
    if (form.getAll(name).some((secret) => secret.length > MAX_SECRET_CHARS)) form.set(name, 'unknown');
}

/** A client that signs who it is may leave its id out; it is put in, so that it is read in one place. */
function nameClient(form: URLSearchParams): void {
  const [assertion] = form.getAll('client_assertion');
  if (assertion !== undefined && !form.get('client_id'))
    form.set('client_id', issuerOf(assertion) || 'unknown');
}

/**
 * Whether a request names a client that is registered here, or one whose document the owner let in with the very
 * grant that the request is about. The library fetches the document before it looks at anything else.
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

/** The client of the grant that a code or token belongs to, as the library keeps it. */
async function grantedTo(form: URLSearchParams, kv: KVNamespace): Promise<string | undefined> {
  const secret = form.get('code') ?? form.get('refresh_token') ?? form.get('token') ?? '';
  const [, user, grant] = GRANTED.exec(secret) ?? [];
  if (user === undefined || grant === undefined) return undefined;
  const kept = await kv.get<{ clientId?: unknown }>(`grant:${user}:${grant}`, 'json');
  return typeof kept?.clientId === 'string' ? kept.clientId : undefined;
}

/** Whom an assertion says that it is from. Its signature is looked at later, with a key that is fetched. */
function issuerOf(assertion: string): string {
  const [, claims = ''] = assertion.split('.');
  try {
    const { iss } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { iss?: unknown };
    return typeof iss === 'string' ? iss : '';
  } catch {
    return '';
  }
}

/** Whether a name and password in a header are of a client that is registered here; no other has a password. */
function isRegisteredName(authorization: string): boolean {
  const [, credentials] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  try {
    const [name = ''] = atob(credentials ?? '').split(':');
    return clientNamed(name).kind === 'registered';
  } catch {
    return false;
  }
}
