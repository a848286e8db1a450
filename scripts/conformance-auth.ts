import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../local-bridge/lib/processes.ts';
import { openBrowser } from '../test/support/browser.ts';
import { registerApp } from '../test/support/oauth-app.ts';
import { letIn } from '../test/support/oauth-owner.ts';
import { startUp } from '../test/support/up.ts';
import { checksIn } from './conformance-results.ts';
import { summary } from './conformance-summary.ts';

/**
 * Runs the MCP conformance suite's scenarios for authorization servers against a running `bowline up`. Its owner signs
 * in through a browser and says yes.
 */
const RUN_TIMEOUT_MS = 60_000;
const SUITE = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);

const folder = mkdtempSync(join(tmpdir(), 'bowline-conformance-auth-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const starting = startUp({ home: folder });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => starting.then(({ stop }) => stop()).finally(() => process.exit(1)));
}
const [up, browser] = await Promise.all([starting, openBrowser()]);
try {
  const run = await runSuite();
  console.log(summary([run]));
  const statuses = [...run.checks.values()].flat().map(({ status }) => status);
  // The suite allows a skipped check or a warning. Here there is no reason for either.
  if (run.code !== 0 || statuses.length === 0 || statuses.some((status) => status !== 'SUCCESS')) {
    console.error(run.output);
    process.exitCode = 1;
  }
} finally {
  await browser.close();
  await up.stop();
}

async function runSuite() {
  const { mcp, rest, owner_key } = up.ready;
  const port = await freePort(0);
  const results = join(folder, 'results');
  const { clientId } = await registerApp(rest, {
    name: 'MCP conformance',
    redirectUrl: `http://127.0.0.1:${port}/callback`,
  });
  const args = ['--url', rest, '--client-id', clientId, '--resource', mcp, '--port', String(port)];
  const child = spawn(process.execPath, ['dist/index.js', 'authorization', ...args, '-o', results], {
    cwd: SUITE,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let output = '';
  try {
    const page = await browser.newPage();
    for await (const line of createInterface(child.stdout)) {
      output += `${line}\n`;
      if (line.startsWith(`${rest}/authorize?`)) await letIn(page, new URL(line), owner_key);
    }
  } catch (error) {
    // Its owner's sign-in failed, so it would wait for ever.
    child.kill('SIGKILL');
    throw error;
  }
  const [code] = await ended;
  const checks = checksIn(results, 'authorization-server');
  return {
    ...{ revision: 'authorization', code, output, checks },
    scored: new Set(checks.keys()),
    expected: new Set<string>(),
  };
}
