import { env, exports } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Scope } from '../../../contracts/contract.ts';
import { send } from '../http.ts';
import {
  api,
  bearer,
  connectedApp,
  inOwner,
  mcpCall,
  newAddress,
  owner,
  personalToken,
  signedIn,
  timed,
  token,
} from './support.ts';

// What only the first stream takes, such as loading the SDK, is no part of what is measured.
beforeAll(async () => {
  const { leave } = await listen((await personalToken()).secret);
  await leave();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const MEMORY = 'memory://decisions.jsonl';

/** Opens a stream of news, as a client of the 2026 protocol does. */
async function listen(secret: string) {
  const request = new Request(mcpCall('2026', bearer(secret)), {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: {
        notifications: {
          toolsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: [MEMORY, 'repo://README.md'],
        },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  request.headers.set('mcp-method', 'subscriptions/listen');
  request.headers.delete('mcp-name');
  const response = await exports.default.fetch(request);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const stream = reading(response);
  const ack = JSON.parse(await stream.until('acknowledged'));
  return { ...stream, honored: ack.params.notifications };
}

/** Reads a stream of events; `until` gives the data of the first that holds a text, `rest` all up to its end. */
function reading(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('expected a body');
  let heard = '';
  const until = async (text: string): Promise<string> => {
    for (;;) {
      const found = heard.split('\n').find((line) => line.startsWith('data: ') && line.includes(text));
      if (found) return found.slice('data: '.length);
      const { done, value } = await reader.read();
      if (done) throw new Error(`The stream ended before ${text}: ${heard}`);
      heard += value;
    }
  };
  const rest = async () => {
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) heard += next.value;
    } catch {
      // Cut off, which is an end as well.
    }
    return heard;
  };
  return { until, rest, leave: () => reader.cancel() };
}

const publish = (...events: object[]) =>
  env.EVENTS.get(env.EVENTS.idFromName('owner')).publish(...events.map((event) => JSON.stringify(event)));

/** What a token is, and how somebody else than its holder knows it. */
interface Held {
  readonly secret: string;
  readonly id: string;
  readonly clientId: string;
}

async function script(scopes: readonly Scope[] = ['read']): Promise<Held> {
  const made = await personalToken(scopes);
  return { secret: made.secret, id: made.token.id, clientId: '' };
}

async function app(): Promise<Held> {
  const { access_token: secret, clientId, visitor } = await connectedApp(['read']);
  const { apps } = await (await api(visitor, 'GET', 'access')).json<{
    apps: { id: string; clientId: string }[];
  }>();
  return { secret, clientId, id: apps.find((one) => one.clientId === clientId)?.id ?? '' };
}

describe('an open stream of news', () => {
  type Ended = [string, () => Promise<Held>, (held: Held) => Promise<unknown>];
  const endsWithin = async (open: Ended[1], end: Ended[2]) => {
    const held = await open();
    const stream = await listen(held.secret);
    await end(held);
    expect(await timed(stream.rest())).toBeLessThan(5_000);
  };

  // At once, because each waits until the gateway looks again.
  it.concurrent.each<Ended>([
    ['its token is revoked, wherever that was done', script, ({ id }) => owner().revokeToken(id)],
    [
      'its token runs out',
      script,
      ({ id }) =>
        inOwner((sql) => sql.exec('UPDATE token SET expires_at = ? WHERE id = ?', Date.now() + 500, id)),
    ],
    [
      'its holder signs out',
      script,
      ({ secret }) => send('/api/token', { method: 'DELETE', headers: bearer(secret) }),
    ],
    ['its app is shut out', app, async ({ id }) => api(await signedIn(), 'DELETE', `apps/${id}`)],
    [
      'its app signs out',
      app,
      ({ secret }) => send('/api/token', { method: 'DELETE', headers: bearer(secret) }),
    ],
    [
      'its app gives its token back',
      app,
      ({ secret, clientId }) => token({ client_id: clientId, token: secret }),
    ],
  ])('ends within five seconds after %s', (_, open, end) => endsWithin(open, end));

  // One after the other, because each of these ends other streams, too, or stands in for storage.
  it.each<Ended>([
    [
      'its token is replaced by one of the same name',
      script,
      () => owner().createToken({ name: 'script', scopes: ['read'], days: 1, replace: true }),
    ],
    [
      'its app signs out, while its record is in storage still',
      app,
      ({ secret }) => {
        vi.spyOn(env.OAUTH_KV, 'delete').mockResolvedValue();
        return send('/api/token', { method: 'DELETE', headers: bearer(secret) });
      },
    ],
    ['everything is revoked', app, async () => api(await signedIn(), 'POST', 'revoke-everything')],
    ['everything is revoked, by another isolate', script, () => owner().revokeAll()],
  ])('ends within five seconds after %s', (_, open, end) => endsWithin(open, end));

  it('goes on while its own token counts, whatever becomes of others', async () => {
    const { secret } = await script();
    const other = await script();
    const stream = await listen(secret);
    const looked = vi.spyOn(env.OWNER, 'get');
    await owner().revokeToken(other.id);
    await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(3), { timeout: 20_000 });
    await publish({ kind: 'resource_updated', uri: MEMORY });
    expect(JSON.parse(await stream.until('resources/updated'))).toMatchObject({ params: { uri: MEMORY } });
    await stream.leave();
  });

  it('ends when nobody can say whether its token still counts', async () => {
    const { secret } = await script();
    const stream = await listen(secret);
    const real = owner();
    vi.spyOn(env.OWNER, 'get').mockReturnValue(
      new Proxy(real, { get: () => () => Promise.reject(new Error('the object cannot be reached')) }),
    );
    expect(await timed(stream.rest())).toBeLessThan(7_000);
  });

  it('tells a token without `read` nothing of memory or repo, and says so', async () => {
    const { secret } = await script(['write', 'machine']);
    const stream = await listen(secret);
    expect(stream.honored).toEqual({ toolsListChanged: true });
    await publish(
      { kind: 'resource_updated', uri: MEMORY },
      { kind: 'resources_list_changed' },
      { kind: 'tools_list_changed' },
    );
    await stream.until('tools/list_changed');
    await stream.leave();
    expect(await stream.rest()).not.toContain('resources/');
    const reader = await listen((await script()).secret);
    expect(reader.honored).toEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [MEMORY, 'repo://README.md'],
    });
    await reader.leave();
  });

  it.each([[['read']], [['machine']]] as Scope[][][])(
    'is promised to a token with %s as far as it is kept',
    async (scopes) => {
      const { secret } = await script(scopes);
      const discover = async () => {
        const request = new Request(mcpCall('2026', bearer(secret)), {
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'server/discover',
            params: {
              _meta: {
                'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
                'io.modelcontextprotocol/clientCapabilities': {},
              },
            },
          }),
        });
        request.headers.set('mcp-method', 'server/discover');
        request.headers.delete('mcp-name');
        const response = await exports.default.fetch(request);
        return response.json<{ result: { capabilities: { resources: object } } }>();
      };
      const resources = scopes.includes('read') ? { listChanged: true, subscribe: true } : {};
      // The second answer is one that is remembered, of whoever asked first.
      for (const { result } of [await discover(), await discover()])
        expect(result.capabilities.resources).toEqual(resources);
    },
  );

  it('is no other than this one: the 2025 protocol has none', async () => {
    const { secret } = await script();
    const response = await send('/mcp', {
      headers: { ...bearer(secret), accept: 'text/event-stream', 'cf-connecting-ip': newAddress() },
    });
    expect(response.status).toBe(405);
  });
});
