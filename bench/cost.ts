import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AnyContract } from '../contracts/contract.ts';
import { catalogue } from '../contracts/index.ts';
import { pushOnce } from '../local-bridge/agent/mirror/push.ts';
import type { ToolSet } from '../src/core/tools.ts';
import { connectTestMachine, pairTestMachine } from '../test/support/link-gateway.ts';
import type { Cost } from './support/cost.ts';
import { startCountedGateway } from './support/counted-gateway.ts';

/**
 * Counts what Cloudflare's plans bill, for each kind of call: counters around the bindings and in the database, in the
 * whole gateway with everything on. Nothing here is a time, so figures are the same on every machine that is not busy: a read
 * that takes over a tenth of a second has a row for its end, and a long request looks its token up again.
 */
const CALLS = Number(process.env.BENCH_REQUESTS ?? 4);
/** The time for which an isolate believes a token. A lone call comes later and has it looked up. */
const BELIEF_MS = 5_200;
/** After this time the end of a call that nobody followed has travelled. */
const ENDED_MS = 300;

const home = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-bench-'));
process.env.BOWLINE_HOME = home;
const { gateway, owner, bearer } = await startCountedGateway('cost', ['read', 'write', 'machine', 'push']);
const { url } = gateway;
const headers = { ...bearer, 'content-type': 'application/json' };
await owner.call('PUT', 'settings/rates', {
  value: Object.fromEntries(Object.values(catalogue).map(({ wireName }) => [wireName, 1_000_000])),
});
const machine = await pairTestMachine(gateway, 'mini');
const link = await connectTestMachine(machine, url, toolsOf(catalogue.read_file, catalogue.create_file));
const push = await repoPush();

const call = async (tool: string, args: object) => {
  const response = await fetch(`${url}/tools/${tool}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(args),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${tool}: ${text}`);
};
const entry = () => ({
  file: 'decisions.jsonl',
  entry: JSON.stringify({ decision: randomBytes(8).toString('hex') }),
});
const file = () => ({ path: `notes/${randomBytes(8).toString('hex')}.md`, content: 'a note\n' });
/** Makes a call that waits, and says yes to it as the owner. */
const withYes = async (tool: string, args: object) => {
  const answer = call(tool, args);
  const path = 'approvals?state=pending';
  for (;;) {
    // Looked for once, as by somebody who was told of it.
    await setTimeout(2 * ENDED_MS);
    const { approvals } = (await owner.call('GET', path)) as { approvals: { code: string }[] };
    const [first] = approvals;
    if (!first) continue;
    await owner.call('POST', `approvals/${first.code}`, { decision: 'approve' });
    return answer;
  }
};
const page = async (path: string) =>
  void (await (await fetch(url + path, { headers: owner.headers })).text());
const mcp = async (method: string) => {
  const message = { jsonrpc: '2.0', id: 1, method, params: {} };
  const accept = 'application/json, text/event-stream';
  const body = JSON.stringify(message);
  await (await fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, accept }, body })).text();
};

await call('list_machines', {});
await withYes('write_memory_entry', entry());
await push();

const kinds: [what: string, act: () => Promise<void>][] = [
  ['`tools/list`', () => mcp('tools/list')],
  [
    'a token that nobody knows',
    async () => {
      const wrong = { ...headers, authorization: `Bearer ${'a:b:'}${randomBytes(16).toString('hex')}` };
      await (await fetch(`${url}/mcp`, { method: 'POST', headers: wrong, body: '{}' })).text();
    },
  ],
  ['`hello`, or another read that needs nothing else', () => call('hello', { name: 'Ada' })],
  ['`search`, in memory and repo', () => call('search', { query: 'note' })],
  ['`read_repo_file`', () => call('read_repo_file', { path: 'docs/a.md' })],
  ['`read_file` on a machine', () => call('read_file', { path: 'a.md' })],
  ['`write_memory_entry`, after a yes on a page', () => withYes('write_memory_entry', entry())],
  ['`create_file` on a machine, after a yes on a page', () => withYes('create_file', file())],
  ['the console, opened at its first page', () => page('/')],
  ['the console, the ledger', () => page('/ledger')],
  ['a push of one changed file to the mirror', push],
];
const ruled: typeof kinds = [
  ['`write_memory_entry`, by a rule', () => call('write_memory_entry', entry())],
  ['`create_file` on a machine, by a rule', () => call('create_file', file())],
];

console.log(`The middle of ${CALLS} lone calls, each over five seconds after the one before\n`);
const names = {
  requests: 'requests',
  objects: 'to objects',
  messages: 'on sockets',
  rowsRead: 'rows read',
  rowsWritten: 'rows written',
  kvReads: 'KV reads',
  kvWrites: 'KV writes',
  bucketA: 'R2 class A',
  bucketB: 'R2 class B',
} satisfies Record<keyof Cost, string>;
const columns = Object.keys(names) as (keyof Cost)[];
console.log(`| what | ${Object.values(names).join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`);
for (const [what, act] of kinds) await print(what, act);
for (const tool of ['write_memory_entry', 'create_file']) {
  const rule = { tool, effect: 'allow', match: { kind: 'tool' }, examples: { must: [], mustNot: [] } };
  await owner.call('POST', 'rules', rule);
}
for (const [what, act] of ruled) await print(what, act);

link.stop();
machine.forget();
await gateway.stop();
rmSync(home, { recursive: true });

async function print(what: string, act: () => Promise<void>): Promise<void> {
  await act();
  const costs: Cost[] = [];
  for (let n = 0; n < CALLS; n++) {
    await setTimeout(BELIEF_MS);
    await taken();
    await act();
    await setTimeout(ENDED_MS);
    costs.push(await taken());
  }
  const cells = columns.map((column) => {
    const all = costs.map((one) => one[column]).sort((a, b) => a - b);
    return all[Math.floor(all.length / 2)];
  });
  console.log(`| ${what} | ${cells.join(' | ')} |`);
}

async function taken(): Promise<Cost> {
  return (await fetch(`${url}/cost`)).json() as Promise<Cost>;
}

/** Makes tools of a machine that answer with their contract's example, because the gateway's side is counted. */
function toolsOf(...contracts: AnyContract[]): ToolSet {
  return new Map(
    contracts.map((contract) => [
      contract.wireName,
      {
        contract,
        call: async () => {
          throw new Error('The link runs what was prepared.');
        },
        look: async () => ({ kind: 'none' as const, why: 'Nothing is looked at here.' }),
        run: async () => ({ kind: 'ok' as const, output: contract.examples[0]?.output }),
      },
    ]),
  );
}

/** Makes a small repo, and gives a way to change a file of it and push. */
async function repoPush(): Promise<() => Promise<void>> {
  const root = join(home, 'repo');
  mkdirSync(join(root, 'docs'), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.com', ...args], { cwd: root });
  const write = (name: string) =>
    writeFileSync(join(root, 'docs', name), `# A note\n\n${randomBytes(8).toString('hex')}\n`);
  git('init', '--quiet', '--initial-branch=main');
  for (let n = 0; n < 100; n++) write(`${n}.md`);
  write('a.md');
  git('add', '.');
  git('commit', '--quiet', '-m', 'all');
  return async () => {
    write('1.md');
    git('commit', '--quiet', '-am', 'one');
    await pushOnce({ url, root, bearer: async () => headers, log: () => undefined });
  };
}
