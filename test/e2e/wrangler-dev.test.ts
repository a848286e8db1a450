import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { freePort } from '../../local-bridge/lib/processes.ts';
import { readyForWranglerDev } from '../../scripts/wrangler-dev.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { cloneProject } from '../support/clone.ts';
import { knock } from '../support/knock.ts';
import { wranglerDev } from '../support/wrangler-dev.ts';

let base: string;
let clone: string;
let port: number;
let worker: ReturnType<typeof wranglerDev>;
let ownerKey: string;

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-dev-')));
  clone = cloneProject(base);
  port = await freePort(0);
  worker = wranglerDev(clone, ['--port', String(port)]);
  await worker.ready;
  ownerKey = /bwl_owner_[\w-]{43}/.exec(worker.said())?.[0] ?? '';
});
afterAll(async () => {
  await worker?.stop();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

describe('`npx wrangler dev` in a fresh clone', () => {
  it('gives a gateway that the owner signs in to and calls', async () => {
    const url = `http://localhost:${port}`;
    const owner = await signInAsOwner(url, ownerKey);
    const { secret } = await owner.createToken({ name: 'dev', scopes: ['read', 'write'], days: 1 });
    expect(await call(url, secret, 'list_repo', {})).toMatchObject({ code: 'nothing_mirrored' });
    expect(await call(url, secret, 'hello', { name: 'Ada' })).toMatchObject({ greeting: 'Hello, Ada!' });
    const health = await fetch(`${url}/api/owner/health`, { headers: owner.headers });
    expect(await health.json()).toMatchObject({ settings: { owner_key: true, memory_key: true } });
    // Nothing sees where a name leads, so none is looked up. test/e2e/named-inside.test.ts has one that leads inside.
    expect(await call(url, secret, 'web_fetch', { url: 'http://pages.bowline-inside.com/' })).toMatchObject({
      code: 'blocked_url',
      message: expect.stringContaining('`npm start`'),
    });
  });

  it.each(['localhost', '127.0.0.1'])('says that it is at the address it was asked at: %s', async (host) => {
    const origin = `http://${host}:${port}`;
    const about = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`);
    expect(await about.json()).toMatchObject({
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
    });
    const server = await fetch(`${origin}/.well-known/oauth-authorization-server`);
    expect(await server.json()).toMatchObject({ issuer: origin, token_endpoint: `${origin}/oauth/token` });
  });

  it('is at no address of another computer', async () => {
    const [heard] = (await knock([port])).filter(({ asked }) => asked.includes('evil.example'));
    expect(heard).toMatchObject({ status: 403 });
  });

  it('keeps its secrets from other users, and from git', () => {
    expect(statSync(join(clone, '.dev.vars')).mode & 0o777).toBe(0o600);
    expect(statSync(join(clone, '.wrangler')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(clone, '.dev.vars'), 'utf8')).not.toContain(ownerKey);
    expect(readFileSync(join(clone, '.gitignore'), 'utf8').split('\n')).toContain('.dev.vars');
  });

  it.each(['.wrangler/state', '.dev.vars', '.env'])('closes %s to tools', (path) => {
    const words = ['call', '--local', '--json', 'read_file', '--path', path];
    const env = { ...process.env, BOWLINE_HOME: join(base, 'home') };
    const run = spawnSync('node', ['local-bridge/bin.mjs', ...words], { cwd: clone, env, encoding: 'utf8' });
    expect(JSON.parse(run.stdout)).toMatchObject({ code: 'path_denied' });
  });

  it('shows nobody what the Worker keeps', async () => {
    const heard = await knock([port]);
    const explorer = heard.filter(
      ({ asked }) => /^\S+ \S*explorer/.test(asked) && !asked.includes('evil.example'),
    );
    expect(explorer.length).toBeGreaterThan(10);
    expect(new Set(explorer.map(({ status }) => status))).toEqual(new Set([404]));
    await fetch(`http://localhost:${port}/callback?code=PLANTED-CODE`);
    const files = readdirSync(join(clone, '.wrangler'), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
    expect(files.filter((path) => /observability|trace/.test(path))).toEqual([]);
    expect(files.filter((path) => readFileSync(path).includes('PLANTED-'))).toEqual([]);
  });

  it('makes no new secrets for another start', () => {
    const secrets = () => readFileSync(join(clone, '.dev.vars'), 'utf8');
    const before = secrets();
    const print = vi.spyOn(console, 'log');
    const off = { X_LOCAL_EXPLORER: 'false', X_LOCAL_OBSERVABILITY: 'false' };
    readyForWranglerDev(clone, off);
    expect(print).not.toHaveBeenCalled();
    print.mockRestore();
    expect(secrets()).toBe(before);
  });

  it.runIf(AT_LENGTH)('knows its owner again after a new start, on another port', async () => {
    await worker.stop();
    port = await freePort(0);
    worker = wranglerDev(clone, ['--port', String(port)]);
    await worker.ready;
    expect(worker.said()).not.toContain('bwl_owner_');
    const url = `http://localhost:${port}`;
    const owner = await signInAsOwner(url, ownerKey);
    await owner.signOut();
    const about = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(await about.json()).toMatchObject({ resource: `${url}/mcp` });
  });

  it('does not start where wrangler would show what the Worker keeps', async () => {
    const open = wranglerDev(clone, ['--port', '0', '--env-file', '/dev/null']);
    onTestFinished(open.kill);
    // Where nothing refuses, it runs until somebody ends it.
    const started = open.ready.then(
      () => 'it started',
      () => open.ended,
    );
    expect(await Promise.race([open.ended, started])).toBe(1);
    expect(open.said()).toContain('X_LOCAL_EXPLORER and X_LOCAL_OBSERVABILITY must be false');
  });
});

async function call(url: string, token: string, tool: string, args: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/tools/${tool}`, { method: 'POST', headers, body: JSON.stringify(args) });
  return answer.json();
}
