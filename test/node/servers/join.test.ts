import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { announcedServers } from '../../../contracts/link-servers.ts';
import {
  type JoinedServers,
  type JoinOptions,
  joinStdioServers,
} from '../../../local-bridge/agent/servers/join.ts';
import { isAlive } from '../../../local-bridge/lib/processes.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import type { Caller } from '../../../src/core/call.ts';
import type { Door } from '../../../src/core/invoke.ts';
import { hasUnseen } from '../../../src/core/visible.ts';
import { SOON_MS } from '../../support/soon.ts';

const folder = mkdtempSync(join(tmpdir(), 'bowline-join-'));
const bin = (name: string) => fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));
const program = fileURLToPath(new URL('../../fixtures/servers/hostile.ts', import.meta.url));
const quick = { firstMs: 20, longestMs: 80, stableMs: 60_000 };

const open: JoinedServers[] = [];
afterEach(async () => {
  for (const joined of open.splice(0)) await joined.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function joined(servers: unknown, options: JoinOptions = {}): Promise<JoinedServers> {
  const made = await joinStdioServers(servers, { backoff: quick, ...options });
  open.push(made);
  return made;
}

let files = 0;
async function hostile(wrong = '', options: JoinOptions = {}) {
  const notes = join(folder, `notes-${++files}`);
  onTestFinished(() => rmSync(notes, { force: true }));
  const entry = {
    command: process.execPath,
    args: ['--no-warnings', program, wrong, notes],
    env: { WORD: 'a', BOWLINE_X: 'b' },
  };
  const servers = await joined({ bad: entry }, options);
  const noted = (what: string) =>
    (existsSync(notes) ? readFileSync(notes, 'utf8') : '')
      .split('\n')
      .flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : []));
  const tools = servers.tools(door);
  return {
    servers,
    tools,
    noted,
    standing: () => {
      const [standing] = servers.report();
      if (!standing) throw new Error('No server.');
      return standing;
    },
    say: (word: string, more: Partial<Caller> = {}) =>
      tools.get('bad__say')?.call({ word }, { ...caller, ...more }),
  };
}

const door: Door = {
  newCallId: () => 'call_1',
  admit: () => ADMITTED,
  ...NO_LEDGER,
  report: (error) => {
    throw error;
  },
};
const caller: Caller = {
  principal: 'p',
  client: 'c',
  via: 'stdio',
  scopes: new Set(['machine', 'read', 'write']),
};

describe('servers from npm, unchanged', () => {
  it('offer what conforms: all of filesystem, memory and thinking, and one of everything', async () => {
    const servers = await joined({
      files: { command: bin('mcp-server-filesystem'), args: [folder] },
      memory: { command: bin('mcp-server-memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
      every: { command: bin('mcp-server-everything'), args: ['stdio'] },
      thinking: { command: bin('mcp-server-sequential-thinking'), env: { DISABLE_THOUGHT_LOGGING: 'true' } },
    });
    const counts = servers
      .report()
      .map(({ name, conformity: { tools, leftOut } }) => [name, tools.length, leftOut.length]);
    expect(counts).toEqual([
      ['files', 14, 0],
      ['memory', 9, 0],
      ['every', 1, 12],
      ['thinking', 1, 0],
    ]);
    expect(servers.report()[2]?.conformity.leftOut).toContainEqual({
      name: 'echo',
      reasons: ['It has no outputSchema.'],
    });
    const tools = servers.tools(door);
    const call = (name: string, args: object) => tools.get(name)?.call(args, caller);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes'] }];
    expect(await call('memory__create_entities', { entities })).toMatchObject({ output: { entities } });
    expect(await call('memory__read_graph', {})).toMatchObject({ output: { entities, relations: [] } });
    expect(await call('files__list_directory', { path: folder })).toMatchObject({
      output: { content: expect.stringContaining('[FILE] memory.jsonl') },
    });
    expect(await call('files__read_text_file', { path: '/etc/passwd' })).toMatchObject({
      failure: { code: 'tool_failed', message: expect.stringContaining('Access denied') },
    });
    expect(await call('every__get-structured-content', { location: 'Chicago' })).toMatchObject({
      output: { conditions: expect.any(String) },
    });
    const thought = { thought: 'One.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    expect(await call('thinking__sequentialthinking', thought)).toMatchObject({
      output: { thoughtNumber: 1, thoughtHistoryLength: 1 },
    });
    expect(announcedServers.safeParse(servers.announced()).success).toBe(true);
  });
});

describe('a server that means no good', () => {
  it('has only its good tools listed, each under its own name', async () => {
    const { standing, tools } = await hostile();
    expect([...tools.keys()]).toEqual(['bad__say', 'bad__run_in_terminal']);
    expect(standing().conformity.leftOut.map(({ name }) => name)).toEqual(['broken', 'lооk']);
    expect(standing().conformity.tools[1]?.flags.join()).toMatch(/own run_in_terminal/);
    expect(tools.get('bad__say')?.contract).toMatchObject({
      risk: 'dangerous',
      approval: 'ask',
      scope: 'machine',
    });
  });

  it('finds in its environment what it was given, and nothing of ours', async () => {
    vi.stubEnv('BOWLINE_OWNER_KEY_TEST', 'x');
    // Node hands this on to whatever it starts, where the tests' coverage is counted.
    vi.stubEnv('NODE_V8_COVERAGE', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { noted } = await hostile();
    const names = noted('env')[0]?.split(' ') ?? [];
    expect(names).toContain('WORD');
    expect(names.filter((name) => /BOWLINE|NODE_|VITEST/.test(name))).toEqual([]);
  });

  it('is understood in spite of what it prints besides', async () => {
    const { say } = await hostile('chatter');
    expect(await say('hi')).toMatchObject({ output: { text: 'hi' } });
  });

  it('is refused whatever it asks back', async () => {
    const { say, noted } = await hostile();
    expect(await say('ask')).toMatchObject({ output: { text: 'ask' } });
    await vi.waitFor(() => expect(noted('refused')).toHaveLength(3), { timeout: SOON_MS });
  });

  it('has an odd answer passed on raw and marked', async () => {
    const { say } = await hostile();
    expect(await say('odd')).toMatchObject({
      failure: { code: 'unparsed_result', raw: expect.stringContaining('Send me everything.') },
    });
  });

  it('that dies during a call fails that call, keeps its tools listed, and is started again', async () => {
    const { say, noted, standing, tools } = await hostile();
    expect(await say('die')).toMatchObject({ failure: { code: 'server_unreachable' } });
    expect(tools.has('bad__say')).toBe(true);
    await vi.waitFor(() => expect(standing()).toMatchObject({ is: 'up', restarts: 1 }), SOON_MS);
    expect(await say('again')).toMatchObject({ output: { text: 'again' } });
    expect(noted('pid')).toHaveLength(2);
  });

  it('that dies at each start is tried with pauses that grow, and its last words are kept', async () => {
    const { standing } = await hostile('dies');
    await vi.waitFor(() => expect(standing().restarts).toBeGreaterThanOrEqual(2), SOON_MS);
    expect(standing()).toMatchObject({ is: 'down', problem: expect.stringContaining('I cannot go on.') });
  });

  it('that comes up late joins late', async () => {
    const { standing, tools } = await hostile('dies-once');
    await vi.waitFor(() => expect(standing().is).toBe('up'), SOON_MS);
    expect(tools.has('bad__say')).toBe(true);
  });

  it('that never says hello holds up nothing', async () => {
    const before = performance.now();
    const { standing } = await hostile('mute', { waitMs: 200 });
    expect(performance.now() - before).toBeLessThan(SOON_MS);
    expect(standing()).toMatchObject({ is: 'starting', conformity: { tools: [] } });
  });

  it('that hangs in a call is left when its caller leaves, and answers the next', async () => {
    const { say } = await hostile();
    const leaving = new AbortController();
    const hanging = say('hang', { signal: leaving.signal });
    setImmediate(() => leaving.abort());
    expect(await hanging).toMatchObject({ failure: { code: 'cancelled' } });
    expect(await say('next')).toMatchObject({ output: { text: 'next' } });
  });

  it('that refuses in a million unseen and endless words is quoted in a line of a reader’s length', async () => {
    const { say } = await hostile();
    const { failure } = (await say('refuse')) as { failure: { code: string; message: string } };
    expect(failure.code).toBe('server_unreachable');
    expect(failure.message).toContain('Send me everything.');
    expect(failure.message.length).toBeLessThan(400);
    expect(hasUnseen(failure.message)).toBe(false);
  });

  it('that floods is ended, and started again', async () => {
    const { say, standing } = await hostile();
    expect(await say('flood')).toMatchObject({ failure: { code: 'server_unreachable' } });
    await vi.waitFor(() => expect(standing().restarts).toBe(1), SOON_MS);
  });

  it('that changes a tool has its old calls refused and its new list noticed', async () => {
    const changed = vi.fn();
    const { say, tools } = await hostile('', { changed });
    const old = tools.get('bad__say');
    await say('change');
    changed.mockClear();
    await vi.waitFor(() => expect(changed).toHaveBeenCalled(), SOON_MS);
    expect(await old?.call({ word: 'a' }, caller)).toMatchObject({ failure: { code: 'tool_changed' } });
    expect([...tools.keys()]).toEqual(['bad__say']);
    expect(tools.get('bad__say')?.contract.description).toContain('whole world');
  });

  it('leaves nothing running, its stubborn and runaway children included', async () => {
    const { servers, noted } = await hostile('children');
    const pids = noted('pid').map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await servers.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});

describe('settings of servers', () => {
  it.each([
    ['a name with an underscore', { a_b: { command: 'x' } }],
    ['no command', { a: { args: [] } }],
    ['a key that means nothing', { a: { command: 'x', shell: true } }],
    ['an environment that is none', { a: { command: 'x', env: { 'A=B': 'c' } } }],
    ['too many', Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`s${i}`, { command: 'x' }]))],
  ])('are refused with %s, and nothing is started', async (_, servers) => {
    await expect(joinStdioServers(servers)).rejects.toThrow(/`servers` in bridge.json cannot be used/);
  });

  it('that name none start nothing at all', async () => {
    const servers = await joinStdioServers({});
    expect([servers.report(), servers.announced(), servers.tools(door).size]).toEqual([[], [], 0]);
  });
});

it('leaves out what this machine’s own settings deny, and puts what is ours first', async () => {
  const { servers, tools } = await hostile();
  const ours = new Map([...tools].slice(0, 1).map(([, tool]) => ['hello', tool] as const));
  expect([...servers.tools(door, ours, ['bad__say']).keys()]).toEqual(['hello', 'bad__run_in_terminal']);
});
