import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../contracts/contract.ts';
import { SOON_MS } from '../support/soon.ts';
import { dispatch, type Task, taskClient } from '../support/task-client.ts';
import { startTwoSides } from '../support/two-sides.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

let sides: Awaited<ReturnType<typeof startTwoSides>>;
let client: ReturnType<typeof taskClient>;
/** Another token of the same owner. */
let other: ReturnType<typeof taskClient>;
beforeAll(async () => {
  sides = await startTwoSides('tasks', { approves: false });
  client = taskClient(sides.url, sides.token);
  const { secret } = await sides.owner.createToken({ name: 'other', scopes: [...SCOPES], days: 1 });
  other = taskClient(sides.url, secret);
}, 240_000);
afterAll(() => sides?.stop());

const at = (name: string) => join(sides.root, name);
const NO_SUCH_TASK = { error: { code: -32602, message: expect.stringContaining('no such task of yours') } };

/** Makes a call that becomes a task, and gives the task with the code of its approval, if it waits for one. */
async function begin(tool: string, args: object): Promise<{ id: string; code: string; said: Task }> {
  const { result: said, error } = await client.call(tool, args);
  if (said?.resultType !== 'task') throw new Error(JSON.stringify(said ?? error));
  const code = /approvals\/([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(said.statusMessage ?? '')?.[1] ?? '';
  return { id: said.taskId, code, said };
}

const decide = (code: string, decision: Record<string, string>) =>
  sides.owner.call('POST', `approvals/${code}`, decision);
const approve = (code: string) => decide(code, { decision: 'approve' });

/** Asks about a task until it has a status. */
async function until(id: string, status: string): Promise<Task> {
  const ask = async () => (await client.get(id)).result;
  await expect.poll(async () => (await ask())?.status, { timeout: SOON_MS }).toBe(status);
  return (await ask()) as Task;
}

const ticking = (file: string) => `while true; do echo tick >> '${file}'; sleep 0.1; done`;

async function untilTicking(file: string): Promise<void> {
  await expect.poll(() => existsSync(at(file)), { timeout: SOON_MS, interval: 50 }).toBe(true);
}

async function untilStill(file: string): Promise<void> {
  const silentFor = () => Date.now() - statSync(at(file)).mtimeMs;
  await expect.poll(silentFor, { timeout: SOON_MS, interval: 50 }).toBeGreaterThan(1_000);
}

describe('a call that waits for its owner', () => {
  it('is a task at once, runs after the yes, and keeps its result', async () => {
    const { id, code, said } = await begin('create_file', { path: 'a.txt', content: 'x' });
    expect(said).toMatchObject({ status: 'working', ttlMs: 86_400_000, pollIntervalMs: 2_000 });
    expect(said).not.toHaveProperty('content');
    expect(said).not.toHaveProperty('requestState');
    const { result: waits } = await client.get(id);
    expect(waits).toMatchObject({ taskId: id, status: 'working', resultType: 'complete' });
    expect(waits?.statusMessage).toContain(`${sides.url}/approvals/${code}`);
    expect(existsSync(at('a.txt'))).toBe(false);
    await approve(code);
    const done = await until(id, 'completed');
    expect(done.result).toMatchObject({ isError: false, structuredContent: { success: true } });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('x');
    expect(await until(id, 'completed')).toEqual(done);
    expect(await client.cancel(id)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await until(id, 'completed')).toEqual(done);
  });

  it('runs once, however many ask about it at once', async () => {
    const { id, code } = await begin('run_in_terminal', { command: 'echo once >> once.txt' });
    await approve(code);
    const all = await Promise.all(Array.from({ length: 10 }, () => client.get(id)));
    expect(all.filter(({ error }) => error)).toEqual([]);
    const { result } = await until(id, 'completed');
    expect(result).toMatchObject({ structuredContent: { success: true } });
    expect(readFileSync(at('once.txt'), 'utf8')).toBe('once\n');
  });

  it('ends with the no of its owner, and their sentence', async () => {
    const { id, code } = await begin('create_file', { path: 'no.txt', content: 'x' });
    await decide(code, { decision: 'deny', note: 'Not in this folder.' });
    const { result } = await until(id, 'completed');
    expect(result).toMatchObject({ isError: true });
    expect(result?.content[0]?.text).toContain('Not in this folder.');
    expect(existsSync(at('no.txt'))).toBe(false);
  });

  it('shows the outcome that the owner had it run to', async () => {
    const { id, code } = await begin('create_file', { path: 'now.txt', content: 'x' });
    expect(await decide(code, { decision: 'run' })).toMatchObject({ outcome: 'ok' });
    expect((await until(id, 'completed')).result).toMatchObject({ structuredContent: { success: true } });
  });

  it('is withdrawn by cancelling it, and a yes to it runs nothing', async () => {
    const { id, code } = await begin('create_file', { path: 'gone.txt', content: 'x' });
    expect(await client.cancel(id)).toMatchObject({ result: { resultType: 'complete' } });
    await until(id, 'cancelled');
    await expect(approve(code)).rejects.toThrow(/The caller left/);
    expect(existsSync(at('gone.txt'))).toBe(false);
  });

  it('is withdrawn after its yes as well, if nobody asked about it since', async () => {
    const { id, code } = await begin('create_file', { path: 'late.txt', content: 'x' });
    await approve(code);
    await client.cancel(id);
    await until(id, 'cancelled');
    expect(existsSync(at('late.txt'))).toBe(false);
  });

  it('does not end while it is over the limit of calls a minute, and runs later', async () => {
    const { id, code } = await begin('create_file', { path: 'limit.txt', content: 'x' });
    await approve(code);
    await sides.owner.call('PUT', 'settings/rates', { value: { create_file: 0 } });
    const { result: over } = await client.get(id);
    await sides.owner.call('PUT', 'settings/rates', { value: {} });
    expect(existsSync(at('limit.txt'))).toBe(false);
    await until(id, 'completed');
    expect(readFileSync(at('limit.txt'), 'utf8')).toBe('x');
    // It ran, so it cannot have been told as ended before.
    expect(over?.status).toBe('working');
  });

  it('never becomes a flood: the limit of open questions holds', async () => {
    const path = (i: number) => ({ path: `flood-${i}.txt`, content: 'x' });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await begin('create_file', path(i))).id);
    const { result } = await client.call('create_file', path(5));
    expect(result).toMatchObject({ isError: true, resultType: 'complete' });
    expect(JSON.stringify(result)).toContain('too_many_of_yours');
    for (const id of ids) await client.cancel(id);
  });
});

describe('a call that runs long', () => {
  it('is a task of the same record as `get_call`, and ends when it is cancelled', async () => {
    const { id, code } = await begin('run_in_terminal', { command: ticking('ticks.txt') });
    await approve(code);
    const running = await until(id, 'working');
    await untilTicking('ticks.txt');
    const [callId = ''] = /call_[\w-]+/.exec((await until(id, 'working')).statusMessage ?? '') ?? [];
    expect(running.statusMessage).toContain(callId);
    const { result: kept } = await client.call('get_call', { call_id: callId });
    expect(kept?.structuredContent).toMatchObject({ state: 'running', tool: 'run_in_terminal' });
    await client.cancel(id);
    await untilStill('ticks.txt');
    await until(id, 'cancelled');
    const { result: ended } = await client.call('get_call', { call_id: callId });
    expect(ended?.structuredContent).toMatchObject({ state: 'failed', error: { code: 'cancelled' } });
  });

  it('is a task also where a rule allows it, and gives its result', async () => {
    const args = { command: 'sleep 4' };
    const first = await begin('run_in_terminal', args);
    await decide(first.code, { decision: 'always', width: 'exact', lasts: 'hour' });
    const again = await begin('run_in_terminal', args);
    expect(again.code).toBe('');
    expect(again.said.statusMessage).toMatch(/call_/);
    const done = await until(again.id, 'completed');
    expect(done.result).toMatchObject({ isError: false, structuredContent: { success: true } });
    await client.cancel(first.id);
  });

  it('goes on when whoever asks about it leaves', async () => {
    const { id, code } = await begin('run_in_terminal', { command: ticking('left.txt') });
    await approve(code);
    const leaving = new AbortController();
    const asked = client.send('tasks/get', { taskId: id }, leaving.signal).catch(() => undefined);
    await untilTicking('left.txt');
    leaving.abort();
    await asked;
    const before = statSync(at('left.txt')).size;
    await expect.poll(() => statSync(at('left.txt')).size, { timeout: SOON_MS }).toBeGreaterThan(before);
    await client.cancel(id);
    await untilStill('left.txt');
  });

  it('is no task if it only reads, because nothing keeps what it read', async () => {
    const { result: read } = await client.call('read_file', { path: 'a.txt' });
    expect(read).toMatchObject({ resultType: 'complete', isError: false });
  });
});

describe("somebody else's task", () => {
  it('is none, and cannot be cancelled', async () => {
    const { id, code } = await begin('run_in_terminal', { command: ticking('theirs.txt') });
    expect(await other.get(id)).toMatchObject(NO_SUCH_TASK);
    expect(await other.update(id, {})).toMatchObject(NO_SUCH_TASK);
    expect(await other.cancel(id)).toMatchObject(NO_SUCH_TASK);
    await approve(code);
    await until(id, 'working');
    await untilTicking('theirs.txt');
    expect(await other.get(id)).toMatchObject(NO_SUCH_TASK);
    expect(await other.cancel(id)).toMatchObject(NO_SUCH_TASK);
    expect((await client.get(id)).result?.status).toBe('working');
    await client.cancel(id);
    await untilStill('theirs.txt');
  });

  it('cannot be named by changing a name, and no answer to a task decides', async () => {
    const { id, code } = await begin('create_file', { path: 'forged.txt', content: 'x' });
    const [kind = '', approval = '', made = '', mac = ''] = id.split('~');
    const forged = [
      ...['', 'x', '~~~', 'a'.repeat(10_000), approval, code],
      [kind, approval, '1', mac].join('~'),
      ['c', approval, made, mac].join('~'),
      [kind, approval, made, `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`].join('~'),
      `${id}~`,
      ` ${id}`,
    ];
    for (const taskId of forged) {
      const { result, error } = await client.get(taskId);
      expect([result, [-32602, -32020].includes(error?.code ?? 0)], taskId.slice(0, 80)).toEqual([
        undefined,
        true,
      ]);
    }
    const yes = { approval: { action: 'accept', content: { decision: 'approve' } } };
    expect(await client.update(id, yes)).toMatchObject({ result: { resultType: 'complete' } });
    expect((await client.get(id)).result?.status).toBe('working');
    expect(existsSync(at('forged.txt'))).toBe(false);
    await client.cancel(id);
  });
});

describe("the protocol's own client of tasks", () => {
  it('follows a call from the question to its result, and cancels another', async () => {
    const clientInfo = { name: 'tests', version: '1' };
    const clientCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const sdk = new Client(clientInfo, {
      capabilities: clientCapabilities,
      versionNegotiation: { mode: 'auto' },
    });
    const requestInit = { headers: { authorization: `Bearer ${sides.token}` } };
    await sdk.connect(new StreamableHTTPClientTransport(new URL(`${sides.url}/mcp`), { requestInit }));
    const session = createTaskSessionFromClient(sdk, {
      endpointId: 'bowline',
      rawDispatch: (message) => dispatch(sides, message as unknown as Parameters<typeof dispatch>[1]),
      v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities },
    });
    try {
      const made = await session.callTool('create_file', { path: 'own.txt', content: 'x' });
      expect(made.kind).toBe('task');
      await approve(await untilWaiting(sides.owner, ([first]) => first?.code));
      const { outcome } = await made.settle();
      expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { success: true } });
      expect(readFileSync(at('own.txt'), 'utf8')).toBe('x');
      const gone = await session.callTool('create_file', { path: 'not.txt', content: 'x' });
      if (gone.kind !== 'task') throw new Error(gone.kind);
      const code = await untilWaiting(sides.owner, ([first]) => first?.code);
      await gone.cancel();
      await expect(approve(code)).rejects.toThrow(/The caller left/);
    } finally {
      await session.close();
      await sdk.close();
    }
  });
});

describe('a client that does not follow tasks', () => {
  it('gets none, and none of their methods', async () => {
    const plain = taskClient(sides.url, sides.token, {});
    const { id } = await begin('create_file', { path: 'plain.txt', content: 'x' });
    const needs = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
    for (const reply of [
      await plain.get(id),
      await plain.cancel(id),
      await plain.update(id, {}),
      await plain.send('subscriptions/listen', { notifications: { taskIds: [id] } }),
    ])
      expect(reply).toMatchObject({ error: { code: -32021, data: needs } });
    await client.cancel(id);
  });
});
