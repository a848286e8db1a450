import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { Mailbox } from '../../../src/events/mailbox.ts';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import { stateKey } from '../../support/mcp-endpoint.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An endpoint with a tool that never ends by itself. */
function open() {
  const mailbox = new Mailbox();
  const running: AbortSignal[] = [];
  const door = { newCallId: () => 'call', admit: () => ADMITTED, ...NO_LEDGER, report: () => undefined };
  const tools = toolSet(
    { hello: catalogue.hello },
    {
      hello: (_, { signal }) => {
        running.push(signal);
        return new Promise<never>(() => undefined);
      },
    },
    door,
    undefined,
  );
  const mail = {
    post: async (name: string, text: string) => mailbox.post(name, text),
    tell: async (name: string, text: string) => mailbox.tell(name, text),
    take: (name: string, ms: number) => mailbox.take(name, ms),
  };
  const mcp = mcpOverHttp({ tools, stateKey }, { mail });
  const send = (message: object, session?: string, as = 'ada', more: Record<string, string> = {}) =>
    mcp(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
          ...more,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
      { principal: as, client: 'tests', via: 'mcp', scopes: new Set(['read']) },
    );
  return {
    running,
    send,
    begin: async (as = 'ada') => {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      };
      const response = await send({ id: 0, method: 'initialize', params }, undefined, as);
      await response.text();
      return response.headers.get('mcp-session-id') ?? '';
    },
    call: async (session?: string, more: object = {}) => {
      const answer = send({ id: 1, method: 'tools/call', params: { name: 'hello', ...more } }, session);
      await vi.advanceTimersByTimeAsync(1_000);
      return answer;
    },
    cancel: (session?: string, as?: string, requestId: unknown = 1) =>
      send({ method: 'notifications/cancelled', params: { requestId } }, session, as),
  };
}

describe.each([
  ['a plain call', {}],
  ['a call with progress', { _meta: { progressToken: 1 } }],
])('a message that cancels %s', (_, more) => {
  it('ends it, and its answer stays without a message', async () => {
    const { running, begin, call, cancel } = open();
    const session = await begin();
    const answer = await call(session, more);
    expect((await cancel(session)).status).toBe(202);
    await vi.advanceTimersByTimeAsync(0);
    expect(running.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await answer.text()).not.toContain('data:');
  });

  it('ends it if it comes before anybody listens, or long after', async () => {
    const { running, begin, call, cancel } = open();
    const [early, late] = [await begin(), await begin()];
    await cancel(early);
    await call(early, more);
    await vi.advanceTimersByTimeAsync(0);
    expect(running[0]?.aborted).toBe(true);
    await call(late, more);
    await vi.advanceTimersByTimeAsync(50_000);
    await cancel(late);
    await vi.advanceTimersByTimeAsync(0);
    expect(running[1]?.aborted).toBe(true);
  });

  it('ends nothing of another client, another caller, or with another id', async () => {
    const { running, begin, call, cancel } = open();
    const session = await begin();
    await call(session, more);
    await cancel(await begin());
    await cancel(undefined);
    await cancel(session, 'mallory');
    await cancel(await begin('mallory'), 'mallory');
    await cancel(session, 'ada', 2);
    await cancel(session, 'ada', '1');
    await cancel(session, 'ada', {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(running.map(({ aborted }) => aborted)).toEqual([false]);
  });
});

describe('a message that cancels a call of a 2026 client, which has no session', () => {
  const saying = (name = 'app', version = '1') => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name, version },
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'hello',
  };
  const begin = (rig: ReturnType<typeof open>, id: number, name?: string, version?: string) => {
    const params = { name: 'hello', arguments: {}, _meta: saying(name, version) };
    return rig.send({ id, method: 'tools/call', params }, undefined, 'ada', headers);
  };
  const cancel = (rig: ReturnType<typeof open>, requestId: number, from = saying(), as = 'ada') =>
    rig.send({ method: 'notifications/cancelled', params: { requestId, _meta: from } }, undefined, as);
  const ended = ({ running }: ReturnType<typeof open>) => running.map(({ aborted }) => aborted);

  it('ends it, at once or as soon as it takes long', async () => {
    const rig = open();
    const late = begin(rig, 1);
    await vi.advanceTimersByTimeAsync(2_000);
    const first = cancel(rig, 1);
    await vi.advanceTimersByTimeAsync(0);
    expect([(await first).status, ended(rig)]).toEqual([202, [true]]);
    expect(await (await late).text()).not.toContain('data:');
    const early = begin(rig, 2);
    const second = cancel(rig, 2);
    await vi.advanceTimersByTimeAsync(1_400);
    expect([(await second).status, ended(rig)]).toEqual([202, [true, true]]);
    expect(await (await early).text()).not.toContain('data:');
  });

  it('ends nothing of a client with another name, of another caller, or with another id', async () => {
    const rig = open();
    void begin(rig, 1);
    await vi.advanceTimersByTimeAsync(1_000);
    const sent = [
      cancel(rig, 1, saying('another app')),
      cancel(rig, 1, saying('app', '2')),
      cancel(rig, 1, saying(), 'mallory'),
      cancel(rig, 2),
      cancel(rig, 1, {} as ReturnType<typeof saying>),
    ];
    await vi.advanceTimersByTimeAsync(2_000);
    for (const each of sent) expect((await each).status).toBe(202);
    expect(ended(rig)).toEqual([false]);
  });

  it('ends neither of two that call themselves alike and wait under the same number', async () => {
    const rig = open();
    void begin(rig, 1);
    void begin(rig, 1);
    await vi.advanceTimersByTimeAsync(1_000);
    const sent = cancel(rig, 1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([(await sent).status, ended(rig)]).toEqual([202, [false, false]]);
  });
});

describe('the mailbox', () => {
  it('gives a message once, to whoever asks for its name, and drops it after a minute', async () => {
    const box = new Mailbox();
    box.post('a', '1');
    expect(await box.take('a', 0)).toBe('1');
    const none = box.take('a', 100);
    await vi.advanceTimersByTimeAsync(100);
    expect(await none).toBeNull();
    const waiting = box.take('a', 100);
    box.post('b', '2');
    box.post('a', '3');
    expect(await waiting).toBe('3');
    await vi.advanceTimersByTimeAsync(60_000);
    const late = box.take('b', 100);
    await vi.advanceTimersByTimeAsync(100);
    expect(await late).toBeNull();
  });

  it('keeps no more than a thousand', async () => {
    const box = new Mailbox();
    for (let i = 0; i <= 1_000; i++) box.post(`${i}`, `${i}`);
    const first = box.take('0', 1);
    await vi.advanceTimersByTimeAsync(1);
    expect([await first, await box.take('1', 1), await box.take('1000', 1)]).toEqual([null, '1', '1000']);
  });
});
