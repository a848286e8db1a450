import type { IncomingMessage } from 'node:http';
import { VERSION } from '../../src/core/version.ts';
import { bodyOf, type WebServer, webServer } from './web-server.ts';

/** What a stand-in answers; nothing at all if it says `silent`. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly silent?: boolean;
  /** Cuts the connection. */
  readonly cut?: boolean;
}

export interface Heard {
  readonly path: string;
  readonly method: string;
  readonly agent: string;
  readonly bearer: string | undefined;
  /** The JSON-RPC method, on `/mcp`. */
  readonly rpc: string | undefined;
  readonly origin: string;
}

/** How a stand-in differs from a gateway that is well. */
export interface Break {
  /** Answers instead, where it gives a reply. */
  instead?(heard: Heard): Reply | undefined;
  readonly tools?: readonly object[];
  readonly health?: object;
  readonly machine?: object;
  readonly servers?: readonly object[];
}

export const GOOD_TOOL = {
  name: 'hello',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

export const MIRROR = { commit: 'a'.repeat(40), pushedAt: Date.now(), files: 3, problem: null };

const MACHINE = {
  id: 'm_1',
  name: 'mini',
  online: true,
  since: 1_700_000_000_000,
  tools: ['list_dir'],
  version: VERSION,
};

export const STORAGE = ['OAUTH_KV', 'BLOBS', 'OWNER', 'GATE', 'MEMORY', 'MIRROR', 'EVENTS'].map((name) => ({
  name,
  ok: true,
}));

/** A gateway as `bowline doctor` sees one, over a real socket, whole but for what is broken on purpose. */
export function doctorGateway(broken: Break = {}): Promise<WebServer> {
  return webServer(async (request, response) => {
    const heard = await heardFrom(request);
    const { status = 200, headers = {}, body, silent, cut } = broken.instead?.(heard) ?? well(heard, broken);
    if (silent) return;
    if (cut) return void request.socket.destroy();
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body ?? {}));
  });
}

async function heardFrom(request: IncomingMessage): Promise<Heard> {
  const text = await bodyOf(request);
  const path = request.url ?? '';
  return {
    path,
    method: request.method ?? '',
    agent: request.headers['user-agent'] ?? '',
    bearer: /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1],
    rpc: path === '/mcp' ? JSON.parse(text).method : undefined,
    origin: `http://${request.headers.host}`,
  };
}

function well(heard: Heard, broken: Break): Reply {
  const { origin, path, method } = heard;
  switch (`${method} ${path}`) {
    case 'GET /healthz':
      return { body: { ok: true, version: VERSION } };
    case 'POST /mcp':
      return mcp(heard, broken);
    case 'GET /.well-known/oauth-protected-resource/mcp':
      return { body: { resource: `${origin}/mcp`, authorization_servers: [origin] } };
    case 'GET /.well-known/oauth-authorization-server':
      return { body: serverMetadata(origin) };
    case 'POST /oauth/register':
      return { status: 400, body: { error: 'invalid_client_metadata' } };
    case 'POST /oauth/token':
      return { status: 400, body: { error: 'invalid_grant' } };
    case 'POST /api/owner/session':
      return { headers: { 'set-cookie': '__Host-session=s; Path=/' }, body: { csrf: 'c' } };
    case 'POST /api/owner/tokens': {
      const token = { id: 't_1', name: 'bowline doctor', scopes: ['read', 'machine'], expiresAt: 1 };
      return { body: { secret: 'bwl_pat_doctor', token } };
    }
    case 'GET /api/owner/health':
      return { body: { ...health(broken), ...broken.health } };
    case 'GET /api/owner/servers':
      return { body: { servers: broken.servers ?? [] } };
    case 'GET /api/mirror':
      return { body: MIRROR };
    case 'POST /tools/list_machines':
      return { body: { machines: [{ ...MACHINE, ...broken.machine }] } };
    case 'POST /api/owner/machines/m_1/ping':
      return { body: { ms: 3, tools: 1 } };
    case 'POST /tools/list_dir':
      return { body: { success: true } };
    default:
      return method === 'DELETE' ? {} : { status: 404 };
  }
}

function mcp({ rpc, bearer, origin }: Heard, { tools = [GOOD_TOOL] }: Break): Reply {
  if (bearer === undefined) {
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } };
  }
  if (rpc === 'initialize')
    return { body: { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-11-25' } } };
  if (rpc === 'tools/list') return { body: { jsonrpc: '2.0', id: 2, result: { tools } } };
  return { status: 202, body: '' };
}

export function serverMetadata(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    code_challenge_methods_supported: ['S256'],
  };
}

function health({ machine }: Break) {
  return {
    version: VERSION,
    time: Date.now(),
    settings: { owner_key: true, memory_key: true, search: 'searxng', github: null },
    storage: STORAGE,
    memory: { value: { seq: 3, checkpoint: 1, locked: null } },
    mirror: { value: MIRROR },
    machines: { value: [{ ...MACHINE, ...machine }] },
  };
}
