import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { SOON_MS } from '../support/soon.ts';
import { PROJECT, startUp, type Up } from '../support/up.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

const base = mkdtempSync(join(tmpdir(), 'bowline-servers-e2e-'));
const home = join(base, 'home');
const shared = join(base, 'shared');
let up: Up;
let owner: OwnerSession;
let planner: Server;
const script: string[] = [];

beforeAll(async () => {
  planner = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    const content = script.shift() ?? 'nothing';
    response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] }));
  });
  await new Promise<void>((resolve) => planner.listen(0, '127.0.0.1', resolve));
  mkdirSync(home);
  mkdirSync(shared);
  writeFileSync(join(shared, 'knots.txt'), 'A bowline makes a fixed loop.\n');
  const command = join(PROJECT, 'node_modules', '.bin', 'mcp-server-filesystem');
  const servers = { files: { command, args: [shared] } };
  writeFileSync(join(home, 'bridge.json'), JSON.stringify({ servers }), { mode: 0o600 });
  vi.stubEnv('LANGUAGE_URL', `http://127.0.0.1:${(planner.address() as AddressInfo).port}/v1`);
  vi.stubEnv('LANGUAGE_MODEL', 'scripted');
  up = await startUp({ home, opensNothing: true });
  owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
});
afterAll(async () => {
  await up?.stop();
  planner?.close();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const bowline = (...args: string[]) =>
  runBowline(args, {
    env: {
      BOWLINE_HOME: home,
      BOWLINE_URL: up.ready.rest,
      BOWLINE_OWNER_KEY: up.ready.owner_key,
      BOWLINE_TOKEN: up.ready.token,
    },
  });
/** What the gateway has joined. Asked often, because a command takes much longer. */
const joined = async () => JSON.stringify(await owner.call('GET', 'servers'));
const post = async (path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${up.ready.token}` };
  const response = await fetch(up.ready.rest + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};

describe('a server that a machine starts', () => {
  it('is offered by the gateway, graded with the command, and called through both doors', async () => {
    await vi.waitFor(async () => expect(await joined()).toContain('files__read_text_file'), {
      timeout: 20_000,
      interval: 200,
    });
    expect((await bowline('servers', 'list')).stdout).toContain('files__read_text_file');
    const graded = await bowline('servers', 'grade', 'files__read_text_file', 'read_only');
    expect(graded).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('files__read_text_file is read_only.'),
    });
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${up.ready.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(up.ready.mcp), { requestInit }));
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => name.startsWith('files__'))).toHaveLength(14);
    const path = join(shared, 'knots.txt');
    const answer = await vi.waitFor(async () => {
      const result = await client.callTool({ name: 'files__read_text_file', arguments: { path } });
      expect(result.isError).toBeFalsy();
      return result;
    }, SOON_MS);
    expect(answer.structuredContent).toEqual({ content: 'A bowline makes a fixed loop.\n' });
    await client.close();
    expect(await post('/tools/files__read_text_file', { path: '/etc/passwd' })).toMatchObject({
      status: 502,
      body: { code: 'tool_failed', message: expect.stringContaining('Access denied') },
    });
    const check = await bowline('servers', 'check', 'files');
    expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('files__write_file') });
  });

  it('waits for the owner where it is not graded, and nothing runs before', async () => {
    const file = join(shared, 'new.txt');
    const held = post('/tools/files__write_file', { path: file, content: 'x' });
    const code = await untilWaiting(owner, ([first]) => first?.code);
    expect(readdirSync(shared)).toEqual(['knots.txt']);
    expect(await bowline('approvals', 'approve', code)).toMatchObject({ code: 0 });
    expect(await held).toMatchObject({ status: 200 });
    expect(readFileSync(file, 'utf8')).toBe('x');
  });

  it('has its new tools graded as its hints propose, all at once, and no other', async () => {
    expect((await bowline('servers', 'list')).stdout).toContain('its server proposes');
    expect(await bowline('servers', 'accept', 'files')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no terminal to ask in.'),
    });
    const accepted = await bowline('servers', 'accept', 'files', '--yes');
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringMatching(/Graded \d+ tools of files\./) });
    expect(accepted.stdout).toContain('files__get_file_info');
    // The owner graded the one, and the other has a flag: it is named like Bowline's own.
    for (const left of ['files__read_text_file', 'files__create_directory'])
      expect(accepted.stdout).not.toContain(left);
    expect((await bowline('servers', 'accept', 'files', '--yes')).stdout).toContain('has no new tool');
  });

  it('joins and goes while the bridge runs', async () => {
    const command = join(PROJECT, 'node_modules', '.bin', 'mcp-server-sequential-thinking');
    expect(await bowline('servers', 'add', 'thinking', '--', command)).toMatchObject({ code: 0 });
    const shows = async (text: string, is: boolean) => {
      await vi.waitFor(async () => expect((await joined()).includes(text)).toBe(is), {
        timeout: SOON_MS,
        interval: 200,
      });
      expect((await bowline('servers', 'list')).stdout.includes(text)).toBe(is);
    };
    await shows('thinking__sequentialthinking', true);
    expect(await bowline('servers', 'remove', 'thinking')).toMatchObject({ code: 0 });
    await shows('thinking', false);
  });

  it('answers a question, with a summary that stands in its answer', async () => {
    const path = join(shared, 'knots.txt');
    const bullets = [
      { claim: 'The loop is fixed.', evidence: 'makes a fixed loop' },
      { claim: 'It is strong.', evidence: 'it is very strong' },
    ];
    script.push(
      JSON.stringify({ tool: 'files__read_text_file', arguments: { path } }),
      JSON.stringify({ type: 'summary', bullets }),
    );
    const asked = await bowline('ask', 'what', 'is', 'a', 'bowline?');
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('The loop is fixed.') });
    expect(asked.stdout).toContain('1 of 2 bullets were dropped');
    expect(asked.stdout).not.toContain('strong.');
  });
});
