import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { ApiProblem } from '../support/cloudflare/account.ts';
import { API_TOKEN, type StandInCloudflare, standInCloudflare } from '../support/cloudflare/api.ts';
import { type StandInEdge, standInEdge } from '../support/cloudflare/edge.ts';
import { deployFrom } from '../support/deploy.ts';

// `bowline deploy` with the real wrangler, against a stand-in of Cloudflare's API on loopback. What it uploads then runs in workerd.

// Each test runs wrangler several times, and it builds the Worker anew.
vi.setConfig({ testTimeout: 900_000 });

const ADDRESS = 'https://bowline.me.workers.dev';
const QUICK = { yes: true, doctor: false };
/** What Cloudflare takes of a Worker on its free plan, compressed. */
const FREE_PLAN_BYTES = 3 * 1024 * 1024;
const OBJECTS = {
  ...{ OWNER: 'OwnerObject', GATE: 'GateObject', MEMORY: 'MemoryLog' },
  ...{ MACHINE: 'MachineObject', MIRROR: 'RepoMirror', EVENTS: 'EventsObject' },
};

let cloudflare: StandInCloudflare;
let edge: StandInEdge;
let bench: ReturnType<typeof deployFrom>;

const deploy = (options: Parameters<typeof bench.deploy>[0] = {}) =>
  bench.deploy(options, {
    BOWLINE_WRANGLER: '',
    CLOUDFLARE_API_BASE_URL: cloudflare.address,
    CLOUDFLARE_API_TOKEN: API_TOKEN,
  });
const keyIn = (stdout: string) => /bwl_owner_[\w-]{43}/.exec(stdout)?.[0] ?? '';
const textOf = (name: string) =>
  cloudflare.account.running('bowline').bindings.find((one) => one.name === name)?.text;

async function begin() {
  cloudflare = await standInCloudflare();
  edge = standInEdge(cloudflare.account, 'bowline', ADDRESS);
  bench = deployFrom(ADDRESS);
  const outside = globalThis.fetch;
  vi.stubGlobal('fetch', (url: string | URL, init?: RequestInit) =>
    String(url).startsWith(ADDRESS) ? edge.fetch(String(url), init) : outside(url, init),
  );
}

async function end() {
  vi.unstubAllGlobals();
  bench.forget();
  await edge.close();
  await cloudflare.close();
}

describe('an account that begins empty', () => {
  beforeAll(begin);
  afterAll(end);
  let ownerKey = '';
  let token = '';
  const hello = (secret: string) =>
    fetch(`${ADDRESS}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'hello', arguments: { name: 'Ada' } },
      }),
    });

  it('has a connector after one command, whose every hop works', async () => {
    const { code, stdout, stderr } = await deploy({ yes: true });
    expect(stderr).toBe('');
    expect(stdout).toContain(`Connector: ${ADDRESS}/mcp`);
    expect(stdout).toContain('Every hop that was checked works.');
    expect(code).toBe(0);
    ownerKey = keyIn(stdout);
    const { namespaces, buckets } = cloudflare.account;
    expect(namespaces.map(({ title }) => title)).toEqual(['bowline-oauth-kv']);
    expect(buckets).toEqual(['bowline-blobs']);
    expect(textOf('PUBLIC_URL')).toBe(ADDRESS);
    const session = await signInAsOwner(ADDRESS, ownerKey);
    token = (await session.createToken({ name: 'app', scopes: ['read'], days: 1 })).secret;
    const said = await hello(token);
    expect(await said.text()).toContain('Hello, Ada');
  });

  it('has its bindings, and a size within the free plan', () => {
    const { bindings, parts } = cloudflare.account.running('bowline');
    const [{ id = '' } = {}] = cloudflare.account.namespaces;
    for (const expected of [
      ...Object.entries(OBJECTS).map(([name, class_name]) => {
        return { name, type: 'durable_object_namespace', class_name };
      }),
      { name: 'BLOBS', type: 'r2_bucket', bucket_name: 'bowline-blobs' },
      { name: 'OAUTH_KV', type: 'kv_namespace', namespace_id: id },
      { name: 'CLIENT_ADDRESS_HEADER', type: 'plain_text', text: 'cf-connecting-ip' },
      { name: 'FETCHES_STAY_PUBLIC', type: 'plain_text', text: 'yes' },
    ]) {
      expect(bindings).toContainEqual(expected);
    }
    expect(parts.map(({ name }) => name)).toContain('worker.js');
    const modules = parts.filter(({ type }) => type === 'application/javascript+module');
    const gzipped = modules.reduce((sum, { text }) => sum + gzipSync(text).byteLength, 0);
    expect(gzipped).toBeGreaterThan(100 * 1024);
    expect(gzipped).toBeLessThan(FREE_PLAN_BYTES);
  });

  it('keeps its data, secrets and stores through a second deployment', async () => {
    const { account } = cloudflare;
    const secrets = ['OWNER_KEY_HASH', 'MEMORY_KEY'].map(textOf);
    const asked = cloudflare.asked.length;
    const { code, stdout, stderr } = await deploy();
    expect([code, stderr]).toEqual([0, '']);
    expect(keyIn(stdout)).toBe('');
    expect(['OWNER_KEY_HASH', 'MEMORY_KEY'].map(textOf)).toEqual(secrets);
    expect(textOf('PUBLIC_URL')).toBe(ADDRESS);
    expect([account.namespaces.length, account.buckets.length]).toEqual([1, 1]);
    const changes = cloudflare.asked.slice(asked).filter((what) => !what.startsWith('GET'));
    expect(changes).toEqual([
      'POST /workers/scripts/bowline/versions',
      'POST /workers/scripts/bowline/deployments',
      'PATCH /workers/scripts/bowline/script-settings',
      'POST /workers/scripts/bowline/subdomain',
    ]);
    expect(await (await hello(token)).text()).toContain('Hello, Ada');
  });

  it.runIf(AT_LENGTH)('goes back to the version before, with the same secrets and data, once', async () => {
    const { deployed } = cloudflare.account.worker('bowline');
    const [before, now] = deployed.slice(-2);
    expect(now).not.toBe(before);
    const { code, stdout, stderr } = await deploy({ rollBack: true });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('The version before the last deployment runs again');
    expect(cloudflare.account.running('bowline').id).toBe(before);
    expect(await (await hello(token)).text()).toContain('Hello, Ada');
    const again = await deploy({ rollBack: true });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('There is no version to go back to.');
    expect(cloudflare.account.running('bowline').id).toBe(before);
  });

  it.runIf(AT_LENGTH)('does not go back to a version whose owner key counts no more', async () => {
    const { code, stdout } = await deploy({ doctor: false, newOwnerKey: true });
    expect(code).toBe(0);
    const version = cloudflare.account.running('bowline').id;
    const back = await deploy({ doctor: false, rollBack: true });
    expect(back.stderr).toContain('There is no version to go back to.');
    expect(cloudflare.account.running('bowline').id).toBe(version);
    await expect(signInAsOwner(ADDRESS, ownerKey)).rejects.toThrow();
    await signInAsOwner(ADDRESS, keyIn(stdout));
  });
});

// What the command says at each failure is tested in test/node/deploy, with a stand-in for wrangler.
describe.runIf(AT_LENGTH)('a deployment of which each step fails in turn', () => {
  beforeAll(begin);
  afterAll(end);
  const busy = new ApiProblem(400, 10013, 'workers.api.error.unknown');
  const closed = new ApiProblem(403, 10000, 'Authentication error');
  const steps: [what: string, on: RegExp, how: ApiProblem | 'cut' | 'unheard', says: RegExp, cure: RegExp][] =
    [
      [
        'who is signed in',
        /GET \/user\/tokens/,
        closed,
        /Asking who is signed in did not work/,
        /npx wrangler login/,
      ],
      [
        'R2',
        /GET \/r2\/buckets$/,
        new ApiProblem(403, 10042, 'Please enable R2 through the Cloudflare Dashboard.'),
        /Checking whether R2 is on did not work/,
        /R2 is not on/,
      ],
      [
        'secrets',
        /GET .*\/secrets$/,
        closed,
        /Checking which secrets are set did not work/,
        /edit Workers scripts/,
      ],
      [
        'storage that is left',
        /GET \/storage\/kv\/namespaces$/,
        closed,
        /Checking which storage is there did not work/,
        /edit Workers scripts, KV and R2/,
      ],
      ['namespace', /POST \/storage\/kv/, closed, /Deploying the gateway did not work/, /KV and R2/],
      [
        'bucket, after the namespace was made',
        /POST \/r2/,
        busy,
        /Deploying the gateway did not work/,
        /Try again in a minute/,
      ],
      [
        'upload, after both were made',
        /PUT .*\/scripts\/bowline$/,
        new ApiProblem(400, 10027, 'Your Worker exceeded the size limit'),
        /Deploying the gateway did not work/,
        /too large for the plan/,
      ],
      [
        'upload whose answer is lost',
        /PUT .*\/scripts\/bowline$/,
        'unheard',
        /Deploying the gateway did not work/,
        /Try again|See what wrangler says/,
      ],
      [
        'name at workers.dev',
        /POST .*\/subdomain$/,
        busy,
        /Deploying the gateway did not work/,
        /Try again in a minute/,
      ],
      [
        'secrets are set, and the answer is lost',
        /PATCH .*\/secrets-bulk$/,
        'unheard',
        /Setting the secrets did not work/,
        /Try again in a minute/,
      ],
    ];

  it.each(steps)(
    '%s: says what to do, shows no key, and can be run again',
    async (_what, on, how, says, cure) => {
      cloudflare.fails = { on, how };
      const { code, stdout, stderr } = await deploy(QUICK);
      expect(stderr).toMatch(says);
      expect(stderr).toMatch(cure);
      expect(stderr).toContain('run `bowline deploy` again');
      expect(stderr).not.toMatch(/\n\s+at |stand-in-token/);
      expect(code).toBe(1);
      expect(keyIn(stdout)).toBe('');
    },
  );

  it('goes on to a gateway that works, with one of each store', async () => {
    cloudflare.fails = undefined;
    const { code, stdout, stderr } = await deploy({ yes: true });
    expect(stderr).toBe('');
    expect(stdout).toContain('Every hop that was checked works.');
    expect(code).toBe(0);
    expect(cloudflare.account.namespaces).toHaveLength(1);
    expect(cloudflare.account.buckets).toHaveLength(1);
    await signInAsOwner(ADDRESS, keyIn(stdout));
  });

  const upgrades: [what: string, on: RegExp, how: ApiProblem | 'cut'][] = [
    ['the switch to what was uploaded', /POST .*\/deployments$/, busy],
    ['the upload', /POST .*\/versions$/, busy],
    ['the upload, out of reach', /POST .*\/versions$/, 'cut'],
  ];
  it.each(upgrades)('lets the version before run on when %s fails at an upgrade', async (_what, on, how) => {
    const { id } = cloudflare.account.running('bowline');
    cloudflare.fails = { on, how };
    const { code, stderr } = await deploy(QUICK);
    cloudflare.fails = undefined;
    expect(stderr).toMatch(/Deploying the gateway did not work/);
    expect(stderr).toMatch(/Try again in a minute/);
    expect(code).toBe(1);
    expect(cloudflare.account.running('bowline').id).toBe(id);
    expect((await fetch(`${ADDRESS}/.well-known/oauth-protected-resource/mcp`)).status).toBe(200);
  });

  it('does not take over sign-ins that a removed Worker left', async () => {
    const [namespace] = cloudflare.account.namespaces;
    cloudflare.account.workers.delete('bowline');
    cloudflare.account.keys.set(namespace?.id ?? '', ['grant:1']);
    const { code, stderr } = await deploy(QUICK);
    expect(code).toBe(1);
    expect(stderr).toContain('the sign-ins of an earlier one');
    expect(stderr).toContain(`kv namespace delete --namespace-id ${namespace?.id}`);
    expect(cloudflare.account.workers.size).toBe(0);
  });
});
