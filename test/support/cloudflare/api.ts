import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type WebServer, webServer } from '../web-server.ts';
import { ApiProblem, type Metadata, StandInAccount, secretsOf, type Version } from './account.ts';

/** The token that the stand-in takes. */
export const API_TOKEN = 'stand-in-token';

/** A request that fails, and how. */
interface Failure {
  /** Matched against `METHOD /path`, without the account's part. */
  readonly on: RegExp;
  /** `cut`: the connection breaks before an answer. `unheard`: it is done, and the answer is lost. */
  readonly how: ApiProblem | 'cut' | 'unheard';
}

export interface StandInCloudflare {
  readonly account: StandInAccount;
  /** For `CLOUDFLARE_API_BASE_URL`. */
  readonly address: string;
  /** What was asked, as `METHOD /path`, without the account's part. */
  readonly asked: readonly string[];
  fails: Failure | undefined;
  close(): Promise<void>;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly type: string;
}

type Handler = (asked: Asked, name: string) => unknown;

/**
 * A server on loopback with the part of Cloudflare's API that wrangler 4.135.0 uses to deploy. What it was asked was read off a
 * running wrangler; what it answers follows Cloudflare's reference of its API and what wrangler's code expects.
 */
export async function standInCloudflare(): Promise<StandInCloudflare> {
  const account = new StandInAccount();
  const routes = routesOf(account);
  const asked: string[] = [];
  const server: WebServer = await webServer(async (request, response) => {
    const body = await buffer(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
    const path = pathname.replace('/client/v4', '').replace(`/accounts/${account.id}`, '') || '/accounts/one';
    const what = `${request.method} ${path}`;
    asked.push(what);
    const failure = standIn.fails?.on.test(what) ? standIn.fails.how : undefined;
    if (failure === 'cut') return void request.socket.destroy();
    const [status, answer] = answerTo(() => {
      if (failure instanceof ApiProblem) throw failure;
      if (bearerOf(request) !== API_TOKEN) throw new ApiProblem(400, 9106, 'Authentication failed');
      return handle(routes, {
        method: request.method ?? '',
        path,
        query: searchParams,
        body,
        type: request.headers['content-type'] ?? '',
      });
    });
    if (failure === 'unheard') {
      await answer;
      return void request.socket.destroy();
    }
    response.statusCode = await status;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answer));
  });
  const standIn: StandInCloudflare = {
    account,
    address: `${server.origin}/client/v4`,
    asked,
    fails: undefined,
    close: server.close,
  };
  return standIn;
}

/** Cloudflare's envelope around a result or a problem. */
function answerTo(work: () => unknown): [Promise<number>, Promise<unknown>] {
  const settled = (async () => {
    try {
      const result = await work();
      return [200, { success: true, errors: [], messages: [], result }] as const;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      const { status, code, message } = error;
      return [status, { success: false, errors: [{ code, message }], messages: [], result: null }] as const;
    }
  })();
  return [settled.then(([status]) => status), settled.then(([, answer]) => answer)];
}

const bearerOf = (request: IncomingMessage) => request.headers.authorization?.replace(/^Bearer /, '');

function handle(routes: readonly [RegExp, Handler][], asked: Asked): unknown {
  for (const [route, handler] of routes) {
    const found = route.exec(`${asked.method} ${asked.path}`);
    if (found) return handler(asked, found[1] ?? '');
  }
  throw new ApiProblem(404, 7003, `No route for ${asked.method} ${asked.path}`);
}

function routesOf(account: StandInAccount): [RegExp, Handler][] {
  const { id, name } = account;
  const SCRIPT = '/workers/scripts/([\\w-]+)';
  const at = (route: string) => new RegExp(`^${route}$`);
  return [
    [at('GET /user/tokens/verify'), () => ({ id: 'f'.repeat(32), status: 'active' })],
    [at('GET /user'), () => ({ id: 'e'.repeat(32), email: 'me@example.com' })],
    [at('GET /accounts'), () => [{ id, name, type: 'standard' }]],
    [at('GET /memberships'), () => [{ id: 'd'.repeat(32), status: 'accepted', account: { id, name } }]],
    [at('GET /r2/buckets'), () => ({ buckets: account.buckets.map((bucket) => ({ name: bucket })) })],
    [
      at('POST /r2/buckets'),
      ({ body }) => {
        const bucket = JSON.parse(body.toString()).name;
        account.makeBucket(bucket);
        return { name: bucket };
      },
    ],
    [
      at('GET /r2/buckets/([\\w-]+)'),
      (_, bucket) => {
        if (!account.buckets.includes(bucket))
          throw new ApiProblem(404, 10006, 'The specified bucket does not exist.');
        return { name: bucket };
      },
    ],
    [
      at('GET /storage/kv/namespaces'),
      ({ query }) => ((query.get('page') ?? '1') === '1' ? account.namespaces : []),
    ],
    [
      at('GET /storage/kv/namespaces/(\\w+)/keys'),
      (_, namespace) => (account.keys.get(namespace) ?? []).map((key) => ({ name: key })),
    ],
    [
      at('POST /storage/kv/namespaces'),
      ({ body }) => account.makeNamespace(JSON.parse(body.toString()).title),
    ],
    [
      at('GET /workers/subdomain'),
      () => {
        if (account.subdomain === undefined)
          throw new ApiProblem(404, 10007, 'workers.api.error.subdomain_not_found');
        return { subdomain: account.subdomain };
      },
    ],
    [at('GET /workers/services/([\\w-]+)'), (_, worker) => serviceOf(account, worker)],
    [
      at(`GET ${SCRIPT}/secrets`),
      (_, worker) =>
        secretsOf(account.running(worker)).map((secret) => ({ name: secret.name, type: secret.type })),
    ],
    [
      at(`PATCH ${SCRIPT}/secrets-bulk`),
      ({ body }, worker) => {
        const given: Record<string, { text: string }> = JSON.parse(body.toString()).secrets;
        account.setSecrets(
          worker,
          Object.fromEntries(Object.entries(given).map(([key, { text }]) => [key, text])),
        );
        return [];
      },
    ],
    [
      at(`GET ${SCRIPT}/settings`),
      (_, worker) => ({
        bindings: account.running(worker).bindings.map(({ text: _text, ...binding }) => binding),
      }),
    ],
    [at(`PATCH ${SCRIPT}/script-settings`), () => ({})],
    [at(`GET ${SCRIPT}/subdomain`), (_, worker) => onWorkersDev(account, worker)],
    [
      at(`POST ${SCRIPT}/subdomain`),
      ({ body }, worker) => {
        account.worker(worker).onWorkersDev = JSON.parse(body.toString()).enabled;
        return onWorkersDev(account, worker);
      },
    ],
    [
      at(`GET ${SCRIPT}/deployments`),
      (_, worker) => ({
        deployments: account.worker(worker).deployed.map(deploymentOf).reverse(),
      }),
    ],
    [
      at(`POST ${SCRIPT}/deployments`),
      ({ body, query }, worker) => {
        const [version] = JSON.parse(body.toString()).versions;
        account.deploy(worker, version.version_id, query.get('force') === 'true');
        return { id: version.version_id };
      },
    ],
    [
      at(`GET ${SCRIPT}/versions/[\\w-]+`),
      ({ path }, worker) => {
        const found = account.worker(worker).versions.find((version) => path.endsWith(version.id));
        if (!found) throw new ApiProblem(404, 10007, 'Could not find version');
        return versionAnswer(found);
      },
    ],
    [
      at(`POST ${SCRIPT}/versions`),
      async (asked, worker) => {
        account.worker(worker);
        const { metadata, parts } = await uploadIn(asked);
        return versionAnswer(account.upload(worker, metadata, parts));
      },
    ],
    [
      at(`PUT ${SCRIPT}`),
      async (asked, worker) => {
        const { metadata, parts } = await uploadIn(asked);
        const { id: version } = account.upload(worker, metadata, parts);
        account.worker(worker).deployed.push(version);
        return { id: worker, etag: version, deployment_id: version.replaceAll('-', ''), startup_time_ms: 10 };
      },
    ],
  ];
}

function serviceOf(account: StandInAccount, name: string): object {
  const worker = account.workers.get(name);
  if (!worker) throw new ApiProblem(404, 10090, 'workers.api.error.service_not_found');
  const script = {
    id: name,
    tag: account.id,
    tags: [],
    last_deployed_from: 'wrangler',
    ...(worker.migrationTag === undefined ? {} : { migration_tag: worker.migrationTag }),
  };
  return { id: name, default_environment: { environment: 'production', script } };
}

function onWorkersDev(account: StandInAccount, name: string): object {
  const enabled = account.worker(name).onWorkersDev;
  return { enabled, previews_enabled: enabled };
}

const WHEN = '2026-11-19T12:00:00.000Z';

function deploymentOf(version: string): object {
  return {
    id: version,
    source: 'wrangler',
    strategy: 'percentage',
    author_email: 'me@example.com',
    created_on: WHEN,
    annotations: {},
    versions: [{ version_id: version, percentage: 100 }],
  };
}

function versionAnswer({ id, bindings }: Version): object {
  return {
    id,
    number: 1,
    metadata: { created_on: WHEN, modified_on: WHEN, author_email: 'me@example.com', source: 'wrangler' },
    annotations: {},
    resources: {
      script: { etag: id, handlers: ['fetch'] },
      bindings: bindings.map(({ text: _, ...one }) => one),
    },
    startup_time_ms: 10,
  };
}

async function uploadIn({
  body,
  type,
}: Asked): Promise<{ metadata: Metadata; parts: { name: string; type: string; text: string }[] }> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const parts = [];
  for (const [name, part] of form) {
    if (typeof part !== 'string') parts.push({ name, type: part.type, text: await part.text() });
  }
  return { metadata: JSON.parse(String(form.get('metadata'))), parts };
}
