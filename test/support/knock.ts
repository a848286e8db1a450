import { type ClientRequest, type IncomingMessage, request } from 'node:http';

// `node test/support/knock.ts <port>…` asks each port for all that a local runtime ever served beside its Worker,
// and prints what it heard. It needs nothing but Node, so that it runs inside a sandbox too.

/** What a port answered to one request. */
export interface Heard {
  readonly port: number;
  readonly asked: string;
  /** The status, or why there is none. */
  readonly status: number | string;
  readonly body: string;
}

interface Knock {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const EXPLORER = ['/cdn-cgi/explorer', '/cdn-cgi/local/explorer'].flatMap((root) => [
  root,
  `${root}/`,
  `${root}/api`,
  `${root}/api/local/workers`,
  `${root}/api/storage/kv/namespaces`,
  `${root}/api/r2/buckets`,
  `${root}/api/workers/durable_objects/namespaces`,
]);

/** Headers by which wrangler's and Miniflare's parts tell each other what to do. */
const INNER = [
  { 'MF-Original-URL': 'http://localhost/cdn-cgi/local/explorer/api' },
  { 'MF-Route-Override': 'bowline' },
  { 'MF-Custom-Fetch-Service': '0#x' },
  { 'MF-Custom-Node-Service': '0$outbound' },
  { 'MF-Op': 'GET', 'MF-Op-Target': '1', 'MF-Op-Key': 'OWNER', 'MF-Op-Secret': '00' },
  { 'MF-Proxy-Shared-Secret': 'x' },
  { 'MF-CF-Blob': '{"clientIp":"203.0.113.9"}' },
];

const KNOCKS: readonly Knock[] = [
  ...EXPLORER.map((path) => ({ path })),
  ...[
    '/cdn-cgi/local/r2/public/bowline-blobs/',
    '/cdn-cgi/local/r2/public/bowline-blobs/planted',
    '/cdn-cgi/local/r2/s3/bowline-blobs',
    '/cdn-cgi/local/scheduled',
    '/cdn-cgi/handler/scheduled',
    '/cdn-cgi/mf/scheduled',
    '/cdn-cgi/local/platform-proxy',
    '/cdn-cgi/live-reload',
    '/cdn-cgi/ProxyWorker/play',
    '/cdn-cgi/InspectorProxyWorker/websocket',
    '/cdn-cgi/mf/stream',
    '/cdn-cgi/mf/imagedelivery/a',
    '/cdn-cgi/trace',
    '/__cf_local/stream',
    '/__cf_local/imagedelivery/a',
    '/__cf_local/imageupload/a',
    '/core/public-url',
    '/core/dev-registry',
    '/core/do-storage/bowline-OwnerObject',
    '/core/workflow-storage/x',
    '/browser/sessionIds',
    '/json',
    '/json/version',
  ].map((path) => ({ path })),
  ...[
    '/cdn-cgi/local/email',
    '/cdn-cgi/handler/email',
    '/core/error',
    '/core/log',
    '/core/store-temp-file',
  ].map((path) => ({
    path,
    method: 'POST',
    body: '{"name":"Error","message":"m","stack":"at a (/etc/passwd:1:1)"}',
  })),
  ...INNER.map((headers) => ({ path: '/cdn-cgi/local/platform-proxy', headers })),
  // As a page of another port of this computer asks, and as one whose name was rebound to this computer.
  { path: '/cdn-cgi/explorer/api', headers: { origin: 'http://localhost:1' } },
  { path: '/cdn-cgi/explorer/api', headers: { origin: 'http://evil.example', host: 'evil.example' } },
  {
    path: '/cdn-cgi/live-reload',
    headers: {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'WRANGLER_PROXYWORKER_LIVE_RELOAD_PROTOCOL',
    },
  },
  // By this word workerd is told to let its insides be called.
  { method: 'CONNECT', path: 'miniflare-unsafe-internal-capnp-connect' },
  { method: 'CONNECT', path: 'localhost:22' },
];

/** All of it, at each port, one after the other. */
export async function knock(ports: readonly number[]): Promise<Heard[]> {
  const heard: Heard[] = [];
  for (const port of ports) {
    for (const one of KNOCKS) heard.push(await ask(port, one));
  }
  return heard;
}

function ask(port: number, { method = 'GET', path, headers = {}, body }: Knock): Promise<Heard> {
  const inner = Object.entries(headers).map(([name, value]) => ` ${name}: ${value}`);
  const asked = `${method} ${path}${inner.join('')}`;
  return new Promise((done) => {
    const end = (status: number | string, text = '') => done({ port, asked, status, body: text });
    const sent: ClientRequest = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: { host: `localhost:${port}`, ...headers },
      },
      (response: IncomingMessage) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => end(response.statusCode ?? 0, text)).on('error', () => end('cut off', text));
      },
    );
    // An answer that opens a way through is no answer of the Worker's.
    for (const event of ['upgrade', 'connect'] as const) {
      sent.once(event, (response: IncomingMessage, socket: { destroy(): void }) => {
        socket.destroy();
        end(response.statusCode ?? 0, `(${event})`);
      });
    }
    sent.setTimeout(10_000, () => sent.destroy(new Error('no answer')));
    sent.once('error', (error: Error & { code?: string }) => end(error.code ?? error.message));
    sent.end(body);
  });
}

if (import.meta.main) process.stdout.write(JSON.stringify(await knock(process.argv.slice(2).map(Number))));
