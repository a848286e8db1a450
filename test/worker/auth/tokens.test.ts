import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createToken,
  findToken,
  listTokens,
  type PersonalToken,
  revokeToken,
} from '../../../src/owner/tokens.ts';
import { send } from '../http.ts';
import {
  anotherIsolate,
  api,
  bearer,
  inOwner,
  later,
  mcpStatus,
  personalToken,
  signedIn,
} from './support.ts';

const DAY = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

interface Made {
  readonly secret: string;
  readonly token: PersonalToken;
}

async function make(asked: object): Promise<Made> {
  const response = await api(await signedIn(), 'POST', 'tokens', asked);
  expect(response.status).toBe(200);
  return response.json<Made>();
}

const asked = { name: 'Nightly report', scopes: ['read'], days: 30 };

describe('a personal token', () => {
  it('is made over the API, shown once, and opens what it was made for', async () => {
    const { secret, token } = await make(asked);
    expect(secret).toMatch(/^bwl_pat_[\w-]{43}$/);
    expect(token).toMatchObject({ name: 'Nightly report', scopes: ['read'], seenAt: null });
    expect(token.expiresAt - token.createdAt).toBe(30 * DAY);
    expect(await mcpStatus('2025', bearer(secret))).toBe(200);
    expect(await mcpStatus('2026', bearer(secret))).toBe(200);
    const visitor = await signedIn();
    for (const path of ['/connections', '/api/owner/access']) {
      const text = await (await visitor.send(path)).text();
      expect(text).toContain('Nightly report');
      expect(text).not.toContain('bwl_pat_');
    }
  });

  it('is made on the page, shown there once, and not kept by anything on the way', async () => {
    const visitor = await signedIn();
    const fields = { csrf: visitor.csrf, name: 'From the page', scope: ['read', 'machine'], days: '7' };
    const response = await visitor.submit('/connections/tokens', fields);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [secret = ''] = /bwl_pat_[\w-]{43}/.exec(await response.text()) ?? [];
    expect(await mcpStatus('2026', bearer(secret))).toBe(200);
    expect(await (await visitor.send('/connections')).text()).not.toContain('bwl_pat_');
  });

  it('is kept as a hash', async () => {
    const { secret, token } = await make(asked);
    const rows = await inOwner((sql) => sql.exec('SELECT * FROM token WHERE id = ?', token.id).toArray());
    expect(rows).toHaveLength(1);
    expect(rows[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(rows)).not.toContain(secret.slice('bwl_pat_'.length));
    // Nothing that the owner is shown of it opens anything.
    for (const known of [token.id, `bwl_pat_${token.id}`, String(rows[0]?.hash)]) {
      expect(await mcpStatus('2026', bearer(known))).toBe(401);
    }
  });

  it('may do what it was made for, and says so to whoever calls', async () => {
    const { secret } = await make({ ...asked, scopes: ['write', 'machine'] });
    const held = await anotherIsolate().bearerOf(secret);
    expect([...(held?.scopes ?? [])]).toEqual(['write', 'machine']);
    expect(await mcpStatus('2026', bearer(secret))).toBe(403);
  });

  it('ends when its days are over', async () => {
    const { secret } = await make({ ...asked, days: 1 });
    later(DAY - 60_000);
    expect(await mcpStatus('2026', bearer(secret))).toBe(200);
    later(60_000);
    expect(await mcpStatus('2026', bearer(secret))).toBe(401);
  });

  it('is revoked in this isolate at once, and in every other within five seconds', async () => {
    const { secret, token } = await make(asked);
    const { bearerOf } = anotherIsolate();
    const elsewhere = async () => (await bearerOf(secret)) !== undefined;
    expect(await mcpStatus('2026', bearer(secret))).toBe(200);
    expect(await elsewhere()).toBe(true);
    later(0);
    const visitor = await signedIn();
    expect((await api(visitor, 'DELETE', `tokens/${token.id}`)).status).toBe(200);
    expect(await mcpStatus('2026', bearer(secret))).toBe(401);
    expect(await elsewhere()).toBe(true);
    later(5_000);
    expect(await elsewhere()).toBe(false);
    expect((await api(visitor, 'DELETE', `tokens/${token.id}`)).status).toBe(404);
  });

  it('is revoked from the page at once', async () => {
    const { secret, token } = await make(asked);
    expect(await mcpStatus('2026', bearer(secret))).toBe(200);
    const visitor = await signedIn();
    await visitor.submit('/connections/tokens/revoke', { csrf: visitor.csrf, id: token.id });
    expect(await mcpStatus('2026', bearer(secret))).toBe(401);
  });

  it('ends itself, and nothing else', async () => {
    const { secret } = await make(asked);
    const { secret: other } = await make(asked);
    expect(await mcpStatus('2026', bearer(secret))).toBe(200);
    const end = () => send('/api/token', { method: 'DELETE', headers: bearer(secret) });
    expect((await end()).status).toBe(200);
    expect(await mcpStatus('2026', bearer(secret))).toBe(401);
    expect((await end()).status).toBe(401);
    expect(await mcpStatus('2026', bearer(other))).toBe(200);
  });

  it('takes the place of those of its name where it is told to, and at once', async () => {
    const first = await make({ ...asked, name: 'command line' });
    const other = await make({ ...asked, name: 'command line 2' });
    const beside = await make({ ...asked, name: 'command line' });
    for (const { secret } of [first, other, beside])
      expect(await mcpStatus('2026', bearer(secret))).toBe(200);
    const last = await make({ ...asked, name: ' command line ', replace: true });
    expect(await mcpStatus('2026', bearer(first.secret))).toBe(401);
    expect(await mcpStatus('2026', bearer(beside.secret))).toBe(401);
    expect(await mcpStatus('2026', bearer(other.secret))).toBe(200);
    expect(await mcpStatus('2026', bearer(last.secret))).toBe(200);
  });

  it('is nobody’s to revoke by half a name', async () => {
    const { token } = await make(asked);
    const visitor = await signedIn();
    for (const id of ['%25', token.id.slice(0, 6), `${token.id}%25`, '_'.repeat(12), '%00']) {
      expect((await api(visitor, 'DELETE', `tokens/${id}`)).status).toBe(404);
    }
    expect((await api(visitor, 'DELETE', `tokens/${token.id}`)).status).toBe(200);
  });
});

describe('a wish for a token', () => {
  const text = (object: object) => JSON.stringify({ ...asked, ...object });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', 'name=x'],
    ['a list', '[]'],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['a field more', text({ admin: true })],
    ['a secret of one’s own', text({ secret: 'bwl_pat_mine' })],
    ['no name', text({ name: undefined })],
    ['an empty name', text({ name: '' })],
    ['a name of white space', text({ name: ' \t ' })],
    ['a name of 81 characters', text({ name: 'x'.repeat(81) })],
    ['a name that is no text', text({ name: 1 })],
    ['no scopes', text({ scopes: [] })],
    ['scopes left out', text({ scopes: undefined })],
    ['a scope there is not', text({ scopes: ['admin'] })],
    ['a scope in another case', text({ scopes: ['READ'] })],
    ['scopes in one text', text({ scopes: 'read write' })],
    ['two scopes in one', text({ scopes: ['read write'] })],
    ['five scopes', text({ scopes: ['read', 'read', 'write', 'machine', 'push'] })],
    ['no days', text({ days: 0 })],
    ['fewer days than none', text({ days: -1 })],
    ['366 days', text({ days: 366 })],
    ['half a day', text({ days: 1.5 })],
    ['days that are text', text({ days: '30' })],
    ['days without end', text({}).replace('30', '1e400')],
    ['a replacement that is no yes or no', text({ replace: 'yes' })],
    ['the days twice', '{"name":"x","scopes":["read"],"days":1,"days":365}'],
    [
      'the scopes twice, once in disguise',
      '{"name":"x","scopes":["read"],"days":1,"\\u0073copes":["machine"]}',
    ],
    ['a prototype', '{"name":"x","scopes":["read"],"days":1,"__proto__":{"replace":true}}'],
  ])('is refused with %s', async (_, body) => {
    const before = await inOwner((sql) => sql.exec('SELECT id FROM token').toArray());
    const response = await api(await signedIn(), 'POST', 'tokens', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_input', http_status: 400 });
    expect(await inOwner((sql) => sql.exec('SELECT id FROM token').toArray())).toEqual(before);
  });

  it('is refused over 64 KB, with the size for a reason, and taken up to it', async () => {
    const visitor = await signedIn();
    const body = text({});
    expect((await api(visitor, 'POST', 'tokens', body.padEnd(65_536))).status).toBe(200);
    const response = await api(visitor, 'POST', 'tokens', body.padEnd(65_537));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ message: 'The request body is over 65536 bytes.' });
  });

  it.each([
    ['no name', { name: '' }],
    ['no scope', { scope: [] }],
    ['a scope there is not', { scope: ['admin'] }],
    ['no days', { days: '0' }],
    ['366 days', { days: '366' }],
    ['half a day', { days: '0.5' }],
    ['days in words', { days: 'many' }],
  ])('is refused on the page with %s, in words', async (_, wrong) => {
    const visitor = await signedIn();
    const fields = { csrf: visitor.csrf, name: 'x', scope: ['read'], days: '1', ...wrong };
    const response = await visitor.submit('/connections/tokens', fields);
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain('A token needs a name');
    expect(html).not.toContain('bwl_pat_');
  });

  it.each([1, 365])('is granted for %i days', async (days) => {
    const { token } = await make({ ...asked, days });
    expect(token.expiresAt - token.createdAt).toBe(days * DAY);
  });
});

describe('the store of tokens', () => {
  it('says when one was last used, a minute at a time, and drops those that are over', async () => {
    await personalToken();
    await inOwner((sql) => {
      sql.exec('DELETE FROM token');
      const { secret, token } = createToken(sql, { name: 'a', scopes: ['read'], days: 1 }, 1_000_000);
      const seen = (at: number) => {
        findToken(sql, secret, at);
        return listTokens(sql, at)[0]?.seenAt;
      };
      expect([1_000_000, 1_059_999, 1_060_000].map(seen)).toEqual([1_000_000, 1_000_000, 1_060_000]);
      expect(findToken(sql, secret, 1_000_000 + DAY - 1)).toBeDefined();
      expect(findToken(sql, secret, 1_000_000 + DAY)).toBeUndefined();
      expect(listTokens(sql, 1_000_000 + DAY)).toEqual([]);
      createToken(sql, { name: 'b', scopes: ['read'], days: 1 }, 1_000_000 + DAY);
      expect(revokeToken(sql, token.id)).toBe(false);
    });
  });
});
