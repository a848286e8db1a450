import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { freePort } from '../../local-bridge/lib/processes.ts';
import { openBrowser } from '../support/browser.ts';
import { AUTHOR, cloneProject } from '../support/clone.ts';
import { runBowline } from '../support/command.ts';
import { letIn } from '../support/oauth-owner.ts';
import { type Connector, newConnector } from '../support/signed-in-client.ts';
import { untilWaiting } from '../support/waiting-calls.ts';
import { type WatchedOutput, watchOutput } from '../support/watch-output.ts';

// One walk in steps: each stands on what the one before it left, so after a wrong one there are no more.
let isAstray = false;
afterEach(({ task }) => {
  isAstray ||= task.result?.state === 'fail';
});
beforeEach(({ skip }) => {
  if (isAstray) skip();
});

const folder = mkdtempSync(join(tmpdir(), 'bowline-newcomer-'));
const home = join(folder, 'home');
const readyFile = join(folder, 'ready.json');
let clone: string;
let port: number;
let browser: Browser;
let page: Page;
let started: { readonly child: ChildProcess; readonly watched: WatchedOutput } | undefined;
let ownerKey = '';
let connector: Connector;
let client: Client;

beforeAll(async () => {
  mkdirSync(home);
  [browser, port] = await Promise.all([openBrowser(), freePort(0)]);
  page = await browser.newPage();
});
afterAll(async () => {
  await connector?.close();
  await browser?.close();
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** As on a computer that has never seen Bowline. */
function environment(): Record<string, string> {
  const { BOWLINE_HOME: _home, BOWLINE_URL: _url, BOWLINE_TOKEN: _token, ...inherited } = process.env;
  return { ...(inherited as Record<string, string>), HOME: home, NO_COLOR: '1' };
}

/** What `npm start` runs, found in the manifest as npm finds it. */
async function start(): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  const [program = '', ...args] = scripts.start.split(' ');
  const child = spawn(program, [...args, '--port', String(port), '--ready-file', readyFile], {
    cwd: clone,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const watched = watchOutput(child);
  started = { child, watched };
  // However long a busy computer takes, it either says that it is up or ends.
  const isUp = new Promise<void>((done) => {
    child.stdout.on('data', () => watched.output().includes('Ctrl-C stops it.') && done());
  });
  const ended = watched.ended.then((code) => {
    throw new Error(`It ended with ${code}:\n${watched.output()}`);
  });
  await Promise.race([isUp, ended]);
  return watched.output();
}

async function stop(): Promise<number | null> {
  if (!started) return null;
  const { child, watched } = started;
  started = undefined;
  if (child.exitCode !== null) return child.exitCode;
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  await watched.ended;
  return code;
}

const bowline = (...args: string[]) =>
  runBowline(args, {
    program: join(clone, 'local-bridge', 'bin.mjs'),
    env: {
      HOME: home,
      BOWLINE_HOME: '',
      BOWLINE_URL: `http://localhost:${port}`,
      BOWLINE_OWNER_KEY: ownerKey,
    },
  });

const call = async (name: string, args: Record<string, unknown>) => {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(JSON.stringify(result.content));
  return result.structuredContent as Record<string, unknown>;
};

/** The owner, at a terminal, says yes to the call that says this. */
async function approve(words: string): Promise<void> {
  const owner = await signInAsOwner(`http://localhost:${port}`, ownerKey);
  const code = await untilWaiting(owner, (all) => all.find(({ full }) => full.includes(words))?.code);
  await owner.signOut();
  const { stdout } = await bowline('approvals', 'list', '--json');
  const { approvals } = JSON.parse(stdout) as { approvals: object[] };
  expect(approvals).toContainEqual(expect.objectContaining({ code, full: expect.stringContaining(words) }));
  expect(await bowline('approvals', 'approve', code)).toMatchObject({ code: 0, stderr: '' });
}

const seen = async () => {
  const { stdout } = await bowline('ledger', '--json', '--limit', '200');
  const { entries } = JSON.parse(stdout) as {
    entries: { tool: string; client: string; outcome: string; decision: string }[];
  };
  return entries.map(({ tool, outcome, decision }) => `${tool} ${decision} ${outcome}`);
};

it('clones and starts, and is shown where everything is', async () => {
  clone = cloneProject(folder);
  const screen = await start();
  expect(screen).toContain(`MCP: http://localhost:${port}/mcp`);
  // A slow computer says so and goes on without waiting.
  expect(screen).toMatch(/Mirror: (?:commit [0-9a-f]{12}, \d+ files|on its way)/);
  expect(screen).toContain(`with ${clone} open`);
  ownerKey = readFileSync(/Owner key: in (\S+)/.exec(screen)?.[1] ?? '', 'utf8').trim();
  expect(ownerKey).toMatch(/^bwl_owner_/);
  // What is printed may be kept: nothing that is printed signs anybody in.
  expect(screen).not.toMatch(/bwl_|#code=/);
  expect(existsSync(join(home, '.bowline', 'gateway'))).toBe(true);
});

it('connects a client by OAuth, through a browser', async () => {
  connector = await newConnector(`http://localhost:${port}/mcp`, 'A newcomer’s app');
  client = await connector.connect((address) => letIn(page, address, ownerKey));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['hello', 'read_repo_file', 'write_memory_entry', 'list_dir', 'run_in_terminal']),
  );
});

it('reads a file of the repo, as it was committed', async () => {
  const content = readFileSync(join(clone, 'README.md'), 'utf8');
  await vi.waitFor(
    async () => expect(await call('read_repo_file', { path: 'README.md' })).toMatchObject({ content }),
    { timeout: 60_000, interval: 200 },
  );
});

const entry = { timestamp: '2026-01-09T10:30:00Z', type: 'milestone', text: 'walked' };

it('appends to the memory, once the owner said yes', async () => {
  const writing = call('write_memory_entry', { file: 'progress_log.jsonl', entry });
  await approve('walked');
  expect(await writing).toMatchObject({ success: true, line_number: 1 });
});

it('lists a folder of the machine', async () => {
  const listing = await call('list_dir', { path: '.' });
  expect(listing).toMatchObject({ success: true });
  expect(listing.output).toContain('package.json');
});

it('runs a command, once the owner said yes', async () => {
  const running = call('run_in_terminal', { command: 'echo from the machine' });
  await approve('echo from the machine');
  expect(await running).toMatchObject({ success: true, metadata: { exit_code: 0 } });
  expect((await running).output).toContain('from the machine');
});

const walked = ['read_repo_file', 'write_memory_entry', 'list_dir', 'run_in_terminal'].map((tool) =>
  expect.stringMatching(new RegExp(`^${tool} \\S+ ok$`)),
);

it('sees all of it in the ledger', async () => {
  // The end of a call is written with the next one.
  await call('hello', {});
  expect(await seen()).toEqual(expect.arrayContaining(walked));
});

it('goes on when its sources are broken under it, and mirrors what is committed meanwhile', async () => {
  // Of the Worker alone, because the command below needs the rest.
  const broken = [join(clone, 'src', 'worker.ts'), join(clone, 'wrangler.toml')];
  for (const path of broken) {
    renameSync(path, `${path}.whole`);
    writeFileSync(path, `${readFileSync(`${path}.whole`, 'utf8')}\nbroken = (`);
  }
  writeFileSync(join(clone, 'README.md'), 'Read me anew.\n');
  execFileSync('git', [...AUTHOR, 'commit', '--quiet', '-m', 'anew', 'README.md'], { cwd: clone });
  await vi.waitFor(
    async () =>
      expect(await call('read_repo_file', { path: 'README.md' })).toMatchObject({
        content: 'Read me anew.\n',
      }),
    { timeout: 60_000, interval: 200 },
  );
  expect(await bowline('ledger')).toMatchObject({ code: 0 });
  // Back with the times they had, so that the next start has nothing to build.
  for (const path of broken) renameSync(`${path}.whole`, path);
});

it('stops, starts again, and everything is still there', async () => {
  await client.close();
  expect(await stop()).toBe(0);
  const screen = await start();
  expect(screen).not.toContain('Owner key');
  client = await connector.connect(() => Promise.reject(new Error('it was asked to sign in again')));
  expect(await call('read_repo_file', { path: '.claude/memory/progress_log.jsonl' })).toMatchObject({
    content: expect.stringContaining('walked'),
  });
  expect(await call('read_repo_file', { path: 'README.md' })).toMatchObject({ content: expect.any(String) });
  expect(await call('list_dir', { path: '.' })).toMatchObject({ success: true });
  expect(await seen()).toEqual(expect.arrayContaining(walked));
});
