import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { closeConnections, type Shot, send } from '../bench/support/load.ts';
import { type OwnerSession, signInAsOwner } from '../local-bridge/lib/owner-client.ts';
import { repoIn } from '../test/support/mirror-repo.ts';
import { startUp } from '../test/support/up.ts';

/**
 * Calls tools of a whole `npm start` many times, as clients do, and shows how much memory its two runtimes have, and
 * how much of that is mapped from files: `--calls 100000`, and `--seconds 900` to end sooner. It fails if both together
 * end above their level. Linux only.
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '3600' },
  },
});
const [calls, seconds] = [Number(values.calls), Number(values.seconds)];
const STEPS = 20;
const AT_ONCE = 8;
const DAY_MS = 86_400_000;
const MB = 1_024;
/** What both may have together, in megabytes. */
const LEVEL = 300;
const pidShape = z.object({ pid: z.number() });
/** A file that reads give much of. */
const NOTES = 'One of many lines.\n'.repeat(500);

/** What is called, in turns: over REST, or over MCP as an app does. */
const JOBS: readonly (readonly [way: 'REST' | 'MCP', tool: string, input: object])[] = [
  ['MCP', 'hello', { name: 'Ada' }],
  ['REST', 'list_dir', { path: '.' }],
  ['MCP', 'read_file', { path: 'docs/notes.md' }],
  ['REST', 'create_directory', { path: 'made' }],
  ['MCP', 'search', { query: 'lines' }],
  ['REST', 'list_machines', {}],
  ['MCP', 'grep_search', { pattern: 'many', file_pattern: '*.md' }],
  ['REST', 'read_repo_file', { path: 'docs/notes.md' }],
];

const base = mkdtempSync(join(tmpdir(), 'bowline-curve-'));
const [home, state, root] = [join(base, 'home'), join(base, 'state'), join(base, 'root')];
for (const folder of [home, root]) mkdirSync(folder, { mode: 0o700 });
repoIn(root).commit({ 'docs/notes.md': NOTES });
const up = await startUp({ home, args: ['--state', state, '--root', root] });
try {
  const owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
  await letAllRun(owner);
  const pids = {
    gateway: pidIn(join(state, 'up.lock'), 'helper'),
    bridge: pidIn(join(state, 'machine', 'bridge-status.json')),
  };
  console.log('| calls | seconds | both, MB | gateway | of that files | bridge | of that files |');
  console.log('|---|---|---|---|---|---|---|');
  const began = performance.now();
  const isOver = () => performance.now() - began > seconds * 1_000;
  const show = () => {
    const [gateway, bridge] = [memoryOf(pids.gateway), memoryOf(pids.bridge)];
    const both = gateway.all + bridge.all;
    const cells = [both, gateway.all, gateway.files, bridge.all, bridge.files];
    const spent = ((performance.now() - began) / 1_000).toFixed(0);
    console.log(`| ${made} | ${spent} | ${cells.map((cell) => cell.toFixed(0)).join(' | ')} |`);
    return both;
  };
  let made = 0;
  let last = show();
  while (made < calls && !isOver()) {
    const until = Math.min(calls, made + Math.ceil(calls / STEPS));
    let next = made;
    const one = async () => {
      while (next < until && !isOver()) {
        await send(up.ready.rest, shotOf(next++, up.ready.token));
        made += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    last = show();
  }
  if (last > LEVEL) throw new Error(`They have ${last.toFixed(0)} MB after ${made} calls, over ${LEVEL}.`);
} finally {
  closeConnections();
  await up.stop();
  rmSync(base, { recursive: true, force: true });
}

/** No limit stops a call, and nobody is asked. */
async function letAllRun(owner: OwnerSession): Promise<void> {
  const rates = Object.fromEntries(JOBS.map(([, tool]) => [tool, 1_000_000]));
  await owner.call('PUT', 'settings/rates', { value: rates });
  await owner.call('POST', 'rules', {
    ...{ tool: 'create_directory', machine: null, effect: 'allow', expiresAt: Date.now() + DAY_MS },
    ...{ maxUses: null, note: 'memory', match: { kind: 'arguments', fields: { path: { equals: 'made' } } } },
    examples: { must: ['{"path":"made"}'], mustNot: ['{"path":"other"}'] },
  });
}

function shotOf(number: number, token: string): Shot {
  const [way, tool, input] = JOBS[number % JOBS.length] ?? ['REST', 'hello', {}];
  // Without one, the second would count as the first sent again.
  const args = tool === 'create_directory' ? { ...input, idempotency_key: `memory-${number}` } : input;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  if (way === 'REST') return { path: `/tools/${tool}`, headers, body: JSON.stringify(args) };
  const body = { jsonrpc: '2.0', id: number, method: 'tools/call', params: { name: tool, arguments: args } };
  return {
    path: '/mcp',
    headers: { ...headers, 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify(body),
  };
}

function pidIn(file: string, part?: string): number {
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return pidShape.parse(
    part === undefined ? content : z.looseObject({ [part]: z.unknown() }).parse(content)[part],
  ).pid;
}

/** In megabytes. */
function memoryOf(pid: number): { all: number; files: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / MB;
  return { all: of('VmRSS'), files: of('RssFile') + of('RssShmem') };
}
