import type { MiddlewareHandler } from 'hono';

interface Doorstep {
  /** Host names that this gateway answers to, without ports. */
  readonly hosts: ReadonlySet<string>;
  /** Other origins whose pages may call it. */
  readonly origins: ReadonlySet<string>;
}

interface DoorstepSettings {
  readonly PUBLIC_URL: string;
  readonly ALLOWED_HOSTS?: string;
  readonly ALLOWED_ORIGINS?: string;
}

/** Makes the doorstep from the settings. */
export function doorstepFor({ PUBLIC_URL, ALLOWED_HOSTS, ALLOWED_ORIGINS }: DoorstepSettings): Doorstep {
  return {
    hosts: new Set([new URL(PUBLIC_URL).hostname, ...listed(ALLOWED_HOSTS)]),
    origins: new Set(listed(ALLOWED_ORIGINS)),
  };
}

function listed(setting: string | undefined): string[] {
  return (setting ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

/** More `Host`s than honest clients use. */
const MAX_KNOWN = 16;

/** The host names of the computer that the gateway runs on. */
export const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Turns away requests that a web page smuggled in. A foreign `Host` is a rebound name; a foreign `Origin` is
 * somebody else's page. It checks both before anything is read.
 */
export function checkHostAndOrigin({ hosts, origins }: Doorstep): MiddlewareHandler {
  const known = new Map<string, string>();
  /** Gives the name in a `Host` that this gateway answers to. Reading it as an address costs more than all else here. */
  const welcomed = (said: string): string | undefined => {
    const before = known.get(said);
    if (before !== undefined) return before;
    const host = hostnameOf(said);
    if (host === undefined || !hosts.has(host)) return undefined;
    // A good name can have any port behind it.
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(said, host);
    return host;
  };
  return async (c, next) => {
    const host = welcomed(c.req.header('host') ?? new URL(c.req.url).host);
    if (host === undefined) return refuse('This gateway does not answer to this host name.');
    const origin = c.req.header('origin');
    if (origin === undefined) return next();
    const url = new URL(c.req.url);
    const welcome = isWelcome(origin, url, host, hosts, origins);
    const isPublic = READ.has(c.req.method) && PUBLIC.test(url.pathname);
    if (!welcome && !isPublic) return refuse('Pages of this origin may not call this gateway.');
    const headers = corsHeaders(welcome ? origin : '*');
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers });
    await next();
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };
}

const READ = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Documents that are the same for everybody. From them a client in a browser learns how to sign in. */
const PUBLIC = /^\/\.well-known\/oauth-(authorization-server|protected-resource)(\/mcp\/?)?$/;

function isWelcome(
  origin: string,
  url: URL,
  host: string,
  hosts: ReadonlySet<string>,
  origins: ReadonlySet<string>,
): boolean {
  if (origins.has(origin)) return true;
  const parsed = URL.canParse(origin) ? new URL(origin) : undefined;
  // `null` and other opaque origins have no URL and belong to nobody.
  if (!parsed || parsed.origin !== origin) return false;
  // Anybody on the network can forge an unencrypted page of the same host. They cannot forge an encrypted
  // one, even if a proxy in front of this gateway removes the encryption.
  if (parsed.host === url.host && [url.protocol, 'https:'].includes(parsed.protocol)) return true;
  // Tools on the owner's own computer may call a gateway that runs there, from any port.
  return LOOPBACK.has(host) && hosts.has(host) && LOOPBACK.has(parsed.hostname);
}

/** A name or an address in digits, and perhaps a port. A parser of addresses would take more, such as a user before it. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i;

function hostnameOf(host: string): string | undefined {
  if (!HOST.test(host)) return undefined;
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function corsHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    'access-control-allow-headers':
      'authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name',
    'access-control-expose-headers': 'www-authenticate, mcp-session-id, retry-after',
    'access-control-max-age': '600',
    vary: 'origin',
  };
}

function refuse(message: string): Response {
  const suggestion = 'Use the address Bowline printed, or add this one to its settings.';
  return Response.json({ code: 'forbidden_origin', http_status: 403, message, suggestion }, { status: 403 });
}
