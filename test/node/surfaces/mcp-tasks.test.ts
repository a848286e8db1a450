import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import type { TaskPort, TaskState } from '../../../src/surfaces/tasks.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const DECLARED = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const working: TaskState = { status: 'working', createdAt: 0, updatedAt: 0 };

function open(port: Partial<TaskPort> = {}) {
  const tasks: TaskPort = {
    run: (tool, args, caller) => tool.call(args, caller),
    get: async () => working,
    answer: async () => true,
    cancel: async () => true,
    ...port,
  };
  const mcp = mcpOverHttp({ tools: new Map(), tasks });
  return async (method: string, { as = 'ada', can = DECLARED as object, version = '2026-07-28' } = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': can,
    };
    const isModern = version === '2026-07-28';
    const response = await mcp(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': version,
          ...(isModern ? { 'mcp-method': method, 'mcp-name': 't' } : {}),
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method },
          params: { taskId: 't', inputResponses: {}, ...(isModern ? { _meta } : {}) },
        }),
      }),
      { principal: as, client: 'tests', via: 'mcp', scopes: new Set(['read']) },
    );
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}'));
  };
}

describe('the methods of tasks', () => {
  it('answer 600 times a minute and principal', async () => {
    vi.setSystemTime(1_800_000_000_000);
    const send = open();
    for (let i = 0; i < 599; i++) await send(i % 2 === 0 ? 'tasks/get' : 'tasks/cancel');
    expect(await send('tasks/get')).toMatchObject({ result: { status: 'working' } });
    const refused = await send('tasks/update');
    expect(refused).toMatchObject({ error: { data: { 'dev.bowline/error': { code: 'rate_limited' } } } });
    expect(await send('tasks/get', { as: 'bob' })).toMatchObject({ result: { status: 'working' } });
    vi.setSystemTime(1_800_000_060_000);
    expect(await send('tasks/get')).toMatchObject({ result: { status: 'working' } });
  });

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s is not there for clients of 2025, nor for those that declare something else',
    async (method) => {
      const send = open();
      expect(await send(method, { version: '2025-11-25' })).toMatchObject({ error: { code: -32601 } });
      const others = [{}, { extensions: {} }, { tasks: {} }, { elicitation: {} }];
      for (const can of others)
        expect(await send(method, { can })).toMatchObject({ error: { code: -32021 } });
    },
  );

  it('ask to be asked less often after a minute', async () => {
    const send = open();
    for (const [age, pollIntervalMs] of [
      [59_999, 2_000],
      [60_000, 5_000],
      [60_001, 5_000],
    ] as const) {
      vi.setSystemTime(working.createdAt + age);
      expect(await send('tasks/get')).toMatchObject({ result: { pollIntervalMs } });
    }
  });

  it('keep what broke to themselves', async () => {
    const secret = 'a path on the disk';
    const send = open({ get: async () => Promise.reject(new Error(secret)) });
    const answer = await send('tasks/get');
    expect(answer).toMatchObject({ error: { data: { 'dev.bowline/error': { code: 'internal_error' } } } });
    expect(JSON.stringify(answer)).not.toContain(secret);
  });
});
