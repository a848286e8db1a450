import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { VERSION } from '../../src/core/version.ts';
import { runBowline } from '../support/command.ts';
import { PROJECT, startUp, type Up } from '../support/up.ts';
import { untilWaiting } from '../support/waiting-calls.ts';
import { watchOutput } from '../support/watch-output.ts';

const folder = mkdtempSync(join(tmpdir(), 'bowline-pack-'));
const work = join(folder, 'work');
const home = join(folder, 'home');
const installed = join(folder, 'app', 'node_modules', 'bowline');
const program = join(installed, 'local-bridge', 'bin.mjs');

beforeAll(() => {
  const said = execFileSync('node', ['scripts/pack.ts', folder], { cwd: PROJECT, encoding: 'utf8' });
  const tarball = join(folder, `bowline-${VERSION}.tgz`);
  expect(said).toContain(tarball);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  linkDeclared();
  mkdirSync(work);
  writeFileSync(join(work, 'notes.txt'), 'from the package\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Installs what the package declares, and nothing else, from what is here. */
function linkDeclared(): void {
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const own = join(PROJECT, 'local-bridge', 'node_modules', name);
    const link = join(folder, 'app', 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(existsSync(own) ? own : join(PROJECT, 'node_modules', name), link);
  }
}

const env = (more: Record<string, string> = {}) => ({ BOWLINE_HOME: home, BOWLINE_URL: '', ...more });
const run = (args: readonly string[], more?: Record<string, string>) =>
  runBowline(args, { program, env: env(more) });

describe('the package', () => {
  it('holds what runs, no sources, no gateway and no secret of the clone', () => {
    const files = execFileSync('find', ['.', '-type', 'f'], { cwd: installed, encoding: 'utf8' });
    expect(files).toContain('./local-bridge/tools/terminal/warden.js');
    expect(files).toContain('./migrations/gate/0001_gate.sql');
    expect(files).not.toMatch(/\.tsx?$/m);
    expect(files).not.toMatch(/worker\.js|wrangler\.toml|\.env|runtime\/(prepare|template)/);
    const { dependencies, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(existsSync(join(installed, bin.bowline))).toBe(true);
    expect(Object.keys(dependencies)).not.toContain('wrangler');
  });

  it('says its version, and reads a file without a gateway', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'bridge.json'), JSON.stringify({ roots: [{ name: 'work', path: work }] }));
    const read = await run(['call', '--local', 'read_file', '--path', 'notes.txt']);
    expect(read).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('from the package') });
    const found = await run(['call', '--local', 'grep_search', '--pattern', 'the package']);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('notes.txt') });
    // The DOM is loaded only for a selector, so nothing else would miss it.
    const chosen = ['call', '--local', 'web_fetch', '--url', 'http://127.0.0.1/', '--selector', 'p::before'];
    expect(await run(chosen)).toMatchObject({ code: 1, stderr: expect.stringContaining('pseudo-element') });
  });

  it('serves MCP over stdio', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const inherited = { PATH: process.env.PATH ?? '', ...env() };
    await client.connect(
      new StdioClientTransport({
        command: 'node',
        args: [program, 'mcp'],
        env: inherited,
        stderr: 'inherit',
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('run_in_terminal');
    const read = await client.callTool({ name: 'read_file', arguments: { path: 'notes.txt' } });
    expect(read.structuredContent).toMatchObject({ success: true });
    await client.close();
  });

  it.each(['up', 'deploy'])('says of %s that it needs the clone', async (command) => {
    const { code, stdout, stderr } = await run([command]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('this is the package for machines');
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('the package beside a gateway', () => {
  let up: Up;
  beforeAll(async () => {
    up = await startUp({ home: join(folder, 'up'), args: ['--root', work] });
  });
  afterAll(() => up?.stop());

  it('pairs, connects, and runs a command that the owner said yes to', async () => {
    const owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
    const key = { BOWLINE_OWNER_KEY: up.ready.owner_key };
    expect(await run(['pair', up.ready.rest, '--name', 'packed', '--confirm'], key)).toMatchObject({
      code: 0,
    });
    const child = spawn('node', [program, 'connect', '--root', work], {
      env: { ...process.env, ...env(), NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const bridge = watchOutput(child);
    try {
      await bridge.shows(/● online/);
      const answer = fetch(`${up.ready.rest}/tools/run_in_terminal`, {
        method: 'POST',
        headers: { authorization: `Bearer ${up.ready.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ command: 'cat notes.txt', machine: 'packed' }),
      });
      const code = await untilWaiting(owner, ([first]) => first?.code);
      await owner.call('POST', `approvals/${code}`, { decision: 'approve' });
      expect(await (await answer).json()).toMatchObject({
        success: true,
        output: expect.stringContaining('from the package'),
      });
    } finally {
      child.kill('SIGTERM');
      await bridge.ended;
      await owner.signOut();
    }
  });
});
