import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { endGroup, freePort, signalGroup } from '../local-bridge/lib/processes.ts';
import { QUIET, wranglerProgram } from '../local-bridge/local/up/wrangler.ts';
import { checksIn } from './conformance-results.ts';
import { brokenPromises, type Run, summary } from './conformance-summary.ts';

/** Runs the MCP conformance suite against the fixture Worker: `conformance.ts [revision] [scenario]`. */
const REVISIONS = ['2026-07-28', '2025-11-25'];
const START_TIMEOUT_MS = 60_000;
const RUN_TIMEOUT_MS = 180_000;

const FIXTURE = join(import.meta.dirname, '..', 'test', 'fixtures', 'conformance');
const SUITE = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);

const args = process.argv.slice(2);
const revisions = args.filter((arg) => REVISIONS.includes(arg));
const [scenario, tooMuch] = args.filter((arg) => !REVISIONS.includes(arg));
if (tooMuch !== undefined || scenario?.startsWith('-')) {
  console.error(`Usage: node scripts/conformance.ts [${REVISIONS.join('|')}] [scenario]`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'bowline-conformance-'));
const interrupted = new AbortController();
const worker = startWorker(await freePort(0));
process.once('exit', () => {
  interrupted.abort();
  worker.kill();
  // A process that was just killed may still be writing.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

await worker.ready;
const asked = revisions.length > 0 ? revisions : REVISIONS;
const runs = await Promise.all(asked.map((revision) => runSuite(revision, worker.url)));
await worker.stop();
console.log(summary(runs));
const broken = runs.flatMap(brokenPromises);
for (const line of broken) console.error(line);
if (broken.length > 0 || runs.some(({ code }) => code !== 0)) process.exitCode = 1;

function startWorker(port: number) {
  const options = ['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0'];
  const child = spawn(
    process.execPath,
    [wranglerProgram(), 'dev', ...options, '--persist-to', folder, '--show-interactive-dev-session=false'],
    {
      cwd: FIXTURE,
      // In a group of its own, so that the runtime that wrangler starts can be ended with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...QUIET, WRANGLER_LOG_PATH: folder, WRANGLER_REGISTRY_PATH: folder },
    },
  );
  const output = gathered(child.stdout, child.stderr);
  const url = `http://localhost:${port}`;
  return {
    url: `${url}/mcp`,
    ready: untilItAnswers(`${url}/healthz`, () => child.exitCode !== null, output),
    stop: () => endGroup(child),
    kill: () => child.pid !== undefined && signalGroup(child.pid, 'SIGKILL'),
  };
}

async function untilItAnswers(url: string, isGone: () => boolean, output: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  // After a failed build wrangler neither ends nor answers, but waits for somebody to edit.
  while (!isGone() && !output().includes('Build failed') && Date.now() < deadline) {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (response?.ok) return;
    await wait(50);
  }
  console.error(`The fixture Worker did not start. It said:\n${output()}`);
  process.exit(1);
}

async function runSuite(revision: string, url: string): Promise<Run> {
  const results = join(folder, revision);
  const what = scenario ? ['--scenario', scenario, '--spec-version', revision] : ['--requirements', revision];
  const expected = join(FIXTURE, `expected-failures.${revision}.yaml`);
  const child = spawn(
    process.execPath,
    ['dist/index.js', 'server', '--url', url, ...what, '--expected-failures', expected, '-o', results],
    {
      cwd: SUITE,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
      signal: interrupted.signal,
      killSignal: 'SIGKILL',
    },
  );
  // Ignore this error: only the interruption can cause it.
  child.on('error', () => undefined);
  const output = gathered(child.stdout, child.stderr);
  const [code] = await once(child, 'close');
  return {
    revision,
    code,
    output: output(),
    checks: checksIn(results, 'server'),
    scored: new Set(serverList(join(SUITE, 'requirements', `${revision}.yaml`))),
    expected: new Set(serverList(expected).map((entry) => entry.replace(/:.*/, ''))),
  };
}

/** Reads the entries under `server:`, which is all that these YAML files are needed for. */
function serverList(file: string): string[] {
  const [, list = ''] = /^server:\n((?: +.*\n)*)/m.exec(readFileSync(file, 'utf8')) ?? [];
  return [...list.matchAll(/^ +- (\S+)/gm)].map(([, entry = '']) => entry);
}

function gathered(...streams: readonly Readable[]): () => string {
  let text = '';
  for (const stream of streams) stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => stripVTControlCharacters(text);
}
