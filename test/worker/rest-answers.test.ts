import { describe, expect, it, vi } from 'vitest';
import { doorErrors } from '../../contracts/door-errors.ts';
import type { Caller, Result } from '../../src/core/call.ts';
import { doorFailure, failureOf, internalFailure } from '../../src/core/failure.ts';
import type { Handler } from '../../src/core/handler.ts';
import { toolSet } from '../../src/core/tools.ts';
import { rest } from '../../src/surfaces/rest.ts';
import { everyone, reading, WatchedDoor } from '../support/tools.ts';

const nobody: Caller = { ...everyone, principal: 'anybody', scopes: new Set(['read']) };
// Under the name that the handlers are typed for, so that one handler can serve both.
const open = { ...reading, wireName: 'shelf_open', isPublic: true };

const known = new Map([
  ['Bearer good', everyone],
  ['Bearer reader', nobody],
]);

/** REST over two test tools, one of them public, for whoever sends a token known here. */
function gateway(handler: Handler<typeof reading, undefined>, scope = reading.scope) {
  const door = new WatchedDoor();
  const app = rest({
    tools: toolSet(
      { reading: { ...reading, scope }, open },
      { reading: handler, open: handler },
      door,
      undefined,
    ),
    callerOf: async (request) => known.get(request.headers.get('authorization') ?? ''),
    anybody: nobody,
    challenges: {
      unauthorized: () => 'Bearer',
      insufficientScope: (held, needed) => `Bearer scope="${[...held, needed].join(' ')}"`,
    },
  });
  const call = (tool: string, token?: string, init: RequestInit = {}) =>
    app.request(`http://localhost/tools/${tool}`, {
      method: 'POST',
      body: '{"id":"ab"}',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...init,
    });
  return { app, call, door };
}

const answering = (result: Result) => gateway(() => result as never);
const ok: Handler<typeof reading, undefined> = ({ id }, call) => call.ok({ text: id });

describe('a failure over REST', () => {
  const failures = Object.entries({ ...doorErrors, ...reading.errors }).map(([code, spec]) =>
    failureOf(code, spec),
  );

  it.each(failures)('$code is the object itself, and its status is the status', async (failure) => {
    const response = await answering({ kind: 'failed', failure }).call('shelf_read', 'good');
    expect(response.status).toBe(failure.http_status);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await response.text()).toBe(JSON.stringify(failure));
  });

  it('says in the header how long to wait, as in the body', async () => {
    const failure = doorFailure('rate_limited', { retryAfter: 12.3 });
    const response = await answering({ kind: 'failed', failure }).call('shelf_read', 'good');
    expect(response.headers.get('retry-after')).toBe('13');
    expect(await response.json()).toMatchObject({ http_status: 429, retry_after: 13 });
  });

  it('keeps the call id', async () => {
    const { call, door } = gateway(() => {
      throw new Error('secret');
    });
    const response = await call('shelf_read', 'good');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual(internalFailure('call_1'));
    expect(door.reported).toHaveLength(1);
  });
});

describe('a result over REST', () => {
  it('leaves out what only MCP can carry', async () => {
    const extras = { content: [{ type: 'text' as const, text: 'shown' }], meta: { engine: 'rules' } };
    const response = await answering({ kind: 'ok', output: { text: 'x' }, ...extras }).call(
      'shelf_read',
      'good',
    );
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"text":"x"}');
  });

  it('that is a question is a refusal, as there is nobody to ask', async () => {
    const response = await answering({ kind: 'needs_input', requests: {} }).call('shelf_read', 'good');
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual(doorFailure('approval_required'));
  });
});

describe('who calls over REST', () => {
  it('has to send a good token to a tool that is not public', async () => {
    const handler = vi.fn(ok);
    for (const token of [undefined, 'bad']) {
      const response = await gateway(handler).call('shelf_read', token);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toEqual(doorFailure('unauthorized'));
    }
    expect(handler).not.toHaveBeenCalled();
  });

  it('is whom the token names, or else anybody where the tool is public', async () => {
    const { call, door } = gateway(ok);
    await call('shelf_read', 'good');
    await call('shelf_open', 'good');
    await call('shelf_open');
    expect(door.admitted.map(({ caller }) => caller.principal)).toEqual(['tester', 'tester', 'anybody']);
    expect((await call('shelf_open', 'bad')).status).toBe(401);
    expect(door.admitted).toHaveLength(3);
  });

  it('is told which scope is missing, in the header as well', async () => {
    const { call } = gateway(ok, 'write');
    const response = await call('shelf_read', 'reader');
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe('Bearer scope="read write"');
    expect(await response.json()).toMatchObject({ code: 'insufficient_scope', http_status: 403 });
  });

  it('is not let in by a body that nobody has read yet', async () => {
    const response = await gateway(ok).call('shelf_read', undefined, { body: '{' });
    expect(response.status).toBe(401);
  });

  it('ends the call by leaving', async () => {
    const leaving = new AbortController();
    const { call } = gateway(() => {
      leaving.abort();
      return new Promise<never>(() => {});
    });
    const response = await call('shelf_read', 'good', { signal: leaving.signal });
    expect(await response.json()).toEqual(doorFailure('cancelled'));
  });
});

describe('descriptions over REST', () => {
  it('list every tool, in the forms of MCP, of OpenAI and of OpenAPI', async () => {
    const { app } = gateway(ok);
    const names = ['shelf_read', 'shelf_open'];
    const { tools } = await (await app.request('/tools')).json<{ tools: { name: string }[] }>();
    expect(tools.map(({ name }) => name)).toEqual(names);
    const functions = await (await app.request('/openai/functions.json')).json<
      { type: string; function: { name: string } }[]
    >();
    expect(functions.map((entry) => [entry.type, entry.function.name])).toEqual(
      names.map((n) => ['function', n]),
    );
    const spec = await (await app.request('/openapi.json')).json<{ openapi: string; paths: object }>();
    expect(spec.openapi).toBe('3.1.0');
    expect(Object.keys(spec.paths)).toEqual(names.map((name) => `/tools/${name}`));
  });

  it('are listed with the status, transport and endpoint of each', async () => {
    const { tools } = await (await gateway(ok).app.request('/tools')).json<{ tools: object[] }>();
    expect(tools[0]).toMatchObject({
      name: 'shelf_read',
      status: 'active',
      transport: 'mcp (http), http',
      endpoint: '/mcp, /tools/shelf_read',
    });
  });
});
