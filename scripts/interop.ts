import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue, type Key } from '../interop/catalogue.ts';
import type { ListedTool, Task } from '../interop/client.ts';
import { LARGE, SMALL } from '../interop/sample.ts';
import { STEPS, type StepResult } from '../interop/steps.ts';
import { lost, type Row, recorded, withTable } from '../interop/table.ts';
import { signalGroup } from '../local-bridge/lib/processes.ts';
import { runBowline } from '../test/support/command.ts';
import { newRepo } from '../test/support/mirror-repo.ts';
import { startUp, type Up } from '../test/support/up.ts';

/**
 * Takes MCP clients from npm through the same walk against the product: `interop.ts [--write] [client…]`, or all of
 * them. It fails if a step fails that docs/interop.md lists as passed. `--write` records the results.
 */
const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'interop');
const PAGE = join(ROOT, 'docs', 'interop.md');
const AT_ONCE = 3;
const WALK_MS = 900_000;
const STOP_MS = 20_000;

const args = process.argv.slice(2);
const writes = args.includes('--write');
const keys = Object.keys(catalogue) as Key[];
const asked = args.filter((arg) => arg !== '--write');
if (asked.some((name) => !(name in catalogue)) || (writes && asked.length > 0)) {
  console.error(`Usage: node scripts/interop.ts [--write | client…]\nClients: ${keys.join(', ')}`);
  process.exit(2);
}

const walking = new Set<ChildProcess>();
let product: ChildProcess | undefined;
const home = mkdtempSync(join(tmpdir(), 'bowline-interop-'));
const repo = newRepo();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void tearDown().finally(() => process.exit(1)));

try {
  install();
  repo.commit({ 'README.md': '# Interop\n', [LARGE.path]: LARGE.text, [SMALL.path]: SMALL.text });
  const started = (child: ChildProcess) => {
    product = child;
  };
  const { ready } = await startUp({ home, args: ['--root', repo.root], started });
  const rows = await walks(ready, asked.length > 0 ? keys.filter((key) => asked.includes(key)) : keys);
  conclude(rows);
} finally {
  await tearDown();
}

async function tearDown(): Promise<void> {
  for (const child of walking) killGroup(child);
  if (product && product.exitCode === null && product.signalCode === null) {
    const ended = once(product, 'exit');
    product.kill('SIGINT');
    const stubborn = setTimeout(() => product?.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(stubborn);
  }
  repo.remove();
  // A process that was just killed may still be writing.
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) signalGroup(pid, 'SIGKILL');
}

/** Reports what failed, and which failures are new. Writes the page if asked to. */
function conclude(rows: readonly Row[]): void {
  for (const { key, results } of rows)
    for (const { step, outcome, detail } of Object.values(results))
      if (outcome === 'failed') console.error(`\n${key}, ${STEPS[step]}: ${detail}`);
  const page = readFileSync(PAGE, 'utf8');
  if (writes) writeFileSync(PAGE, withTable(page, rows));
  const gone = lost(recorded(page), rows);
  for (const line of gone) console.error(`It used to pass: ${line}`);
  if (gone.length > 0) process.exitCode = 1;
}

/** Installs the clients from the lock file, unless they are there already. */
function install(): void {
  const lock = readFileSync(join(FOLDER, 'package-lock.json'), 'utf8');
  const stamp = join(FOLDER, 'node_modules', '.installed-lock.json');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
    run('npm', ['ci', '--ignore-scripts', '--loglevel=error']);
    writeFileSync(stamp, lock);
  }
  // The clients' own types are known only now.
  run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', FOLDER]);
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ended with ${status}.`);
}

/** Lists the tools of both servers, without MCP. */
async function offers(): Promise<Record<'gateway' | 'stdio', ListedTool[]>> {
  const published = join(ROOT, 'contracts', 'generated', 'mcp-tools.json');
  const { tools: gateway } = JSON.parse(readFileSync(published, 'utf8')) as { tools: ListedTool[] };
  const local = await runBowline(['tools', '--local', '--json'], { env: { BOWLINE_HOME: home } });
  const { tools } = JSON.parse(local.stdout) as { tools: { name: string }[] };
  const names = new Set(tools.map(({ name }) => name));
  return { gateway, stdio: gateway.filter(({ name }) => names.has(name)) };
}

/** Runs a few clients at a time, because most of a walk is waiting. */
async function walks(ready: Up['ready'], keys: readonly Key[]): Promise<Row[]> {
  const offered = await offers();
  const waiting = [...keys];
  const rows = new Map<Key, Row>();
  const takeSome = async () => {
    for (let key = waiting.shift(); key; key = waiting.shift()) {
      const row = await walked(key, ready, offered[catalogue[key].against]);
      rows.set(key, row);
      const outcomes = Object.values(row.results).map(({ outcome }) => outcome);
      const count = (which: string) => outcomes.filter((outcome) => outcome === which).length;
      console.log(`${key}: ${count('passed')} passed, ${count('absent')} absent, ${count('failed')} failed`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeSome));
  return keys.flatMap((key) => rows.get(key) ?? []);
}

/** Runs one client's walk in a process group of its own, which ends with it. */
async function walked(key: Key, ready: Up['ready'], offered: readonly ListedTool[]): Promise<Row> {
  const folder = join(home, 'clients', key);
  mkdirSync(folder, { recursive: true });
  const { mcp, rest, token, owner_key } = ready;
  const task: Task = {
    key,
    endpoint: { mcp, token, folder, root: repo.root },
    gateway: { url: rest, ownerKey: owner_key },
    offered,
  };
  const child = fork(join(FOLDER, 'run.ts'), {
    execPath: 'node',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: WALK_MS,
    killSignal: 'SIGKILL',
  });
  walking.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const results: Row['results'] = {};
  child.on('message', (result: StepResult) => {
    results[result.step] = result;
  });
  child.send(task);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  // Programs between a client and the gateway may outlive the client.
  killGroup(child);
  walking.delete(child);
  if (code !== 0) console.error(`${key} ended with ${code} and said:\n${said}`);
  return { key, results };
}
