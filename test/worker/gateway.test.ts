import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { MIB_4, post, send } from './http.ts';

describe('the gateway', () => {
  it('says hello over REST without a token', async () => {
    const response = await post('hello', '{"name":"Ada"}');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ greeting: 'Hello, Ada!' });
  });

  it.each(['POST', 'GET', 'DELETE'])('lets nobody near MCP without a token: %s', async (method) => {
    const response = await send('/mcp', { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
    expect(await response.json()).toMatchObject({ code: 'unauthorized', http_status: 401 });
  });

  it('does not read what somebody without a token sends to MCP', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const body of ['{', '['.repeat(100_000), ' '.repeat(MIB_4 + 1)]) {
      expect((await send('/mcp', { method: 'POST', headers, body })).status).toBe(401);
    }
  });

  it('says that it is there, to anybody', async () => {
    const response = await send('/healthz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true, version: VERSION });
  });
});
