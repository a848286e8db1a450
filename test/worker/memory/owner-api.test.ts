import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkpointText } from '../../../src/core/chain.ts';
import { makeMemory } from '../../../src/memory/memory-port.ts';
import { api, browser, personalToken, signedIn } from '../auth/owner.ts';
import { post } from '../http.ts';
import { entry, inMemory, newMemory, PROGRESS } from './support.ts';

/** The memory of the gateway itself. */
const memory = () => env.MEMORY.get(env.MEMORY.idFromName('owner'));
const seq = async () => (await memory().state()).seq;

/** Asks the owner's API, and gives the status with what was said. */
async function ask(method: string, path: string, body?: unknown) {
  const answer = await api(await signedIn(), method, `memory/${path}`, body);
  return { status: answer.status, said: await answer.json<Record<string, unknown>>() };
}

const line = (n: number, more: object = {}) =>
  JSON.stringify({ timestamp: '2026-01-09T10:30:00Z', type: 'note', n, ...more });
const refusal = (message: RegExp) => ({
  status: 400,
  said: { code: 'invalid_input', message: expect.stringMatching(message) },
});

describe('the owner’s way to the memory', () => {
  it('is nobody else’s', async () => {
    for (const path of ['export', 'checkpoints', 'tail?file=decisions.jsonl']) {
      const answer = await browser().send(`/api/owner/memory/${path}`, {
        headers: { authorization: 'Bearer bwl_pat_x' },
      });
      expect(answer.status).toBe(401);
    }
    const own = await signedIn();
    for (const path of ['entries', 'import'])
      expect((await api({ ...own, csrf: 'wrong' }, 'POST', `memory/${path}`, {})).status).toBe(403);
    expect(await seq()).toBe(0);
  });

  it('writes an entry once, however often it is sent, and again if that is said', async () => {
    const note = { file: PROGRESS, entry: line(1) };
    const first = await ask('POST', 'entries', note);
    expect(first).toMatchObject({ status: 200, said: { line: 1, replayed: false } });
    expect((await ask('POST', 'entries', note)).said).toMatchObject({ line: 1, replayed: true });
    const again = await ask('POST', 'entries', { ...note, repeat: true });
    expect(again.said).toMatchObject({ line: 2, replayed: false });
    expect(await ask('POST', 'entries', { ...note, file: 'notes.txt' })).toMatchObject({ status: 400 });
  });

  it('reads the last lines of a file, and the log from any place on', async () => {
    for (const n of [7, 8, 9]) await ask('POST', 'entries', { file: 'decisions.jsonl', entry: line(n) });
    const { said } = await ask('GET', 'tail?file=decisions.jsonl&lines=2');
    expect((said.entries as { body: string }[]).map(({ body }) => JSON.parse(body).n)).toEqual([8, 9]);
    const all = (await ask('GET', 'export')).said;
    const rest = (await ask('GET', `export?after=${(await seq()) - 1}`)).said;
    expect(rest.entries).toEqual((all.entries as unknown[]).slice(-1));
    expect((await ask('GET', 'checkpoints')).said).toEqual({ checkpoints: [], key: null });
  });

  it.each([
    ['export?after=-1', /whole number/],
    ['export?after=x', /whole number/],
    ['tail?file=secrets.txt', /is one of/],
    ['tail?file=decisions.jsonl&lines=0', /from 1 to 1000/],
    ['tail', /is one of/],
  ])('refuses to read %s', async (path, message) => {
    expect(await ask('GET', path)).toMatchObject(refusal(message));
  });
});

describe('lines from before', () => {
  const bring = (lines: readonly string[], file = 'decisions.jsonl') =>
    ask('POST', 'import', { file, lines: lines.map((text) => ({ text, nth: 1 })) });

  it('come in once, as many of equal ones as there were', async () => {
    const lines = [line(20), line(21)].map((text) => ({ text, nth: 1 }));
    const twice = { text: line(21), nth: 2 };
    const asked = { file: 'decisions.jsonl', lines: [...lines, twice] };
    expect((await ask('POST', 'import', asked)).said).toMatchObject({ appended: 3, replayed: 0 });
    expect((await ask('POST', 'import', asked)).said).toMatchObject({ appended: 0, replayed: 3 });
  });

  it.each([
    ['a line break', ['{"a":\n1}'], /holds a line break/],
    ['more than an entry may be', [line(1, { long: 'ü'.repeat(5_200) })], /over 10240 bytes/],
    ['what is no object', ['[1]'], /not one JSON object/],
    ['what is no JSON', ['{'], /not one JSON object/],
    ['a key that stands there twice', ['{"a":1,"a":2}'], /not one JSON object/],
  ])('are all refused for one with %s', async (_, lines, message) => {
    const before = await seq();
    expect(await bring([line(30), ...lines])).toMatchObject(refusal(message));
    expect(await seq()).toBe(before);
  });

  it('need not be JSON in a file of Markdown', async () => {
    expect((await bring(['- not JSON'], 'best_practices.md')).said).toMatchObject({ appended: 1 });
  });
});

describe('a memory with a key', () => {
  it('signs its checkpoints, and shows the key that they are verified by', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const late: Promise<unknown>[] = [];
    const stub = newMemory();
    const signing = makeMemory({
      stub: () => stub,
      signingKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      changed: () => undefined,
      later: (work) => late.push(work),
      report: (error) => {
        throw error;
      },
    });
    await signing.append(entry(1));
    await Promise.all(late);
    const [checkpoint] = await stub.checkpoints();
    const x = (await signing.publicKey()) ?? '';
    const key = await crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x }, 'Ed25519', false, [
      'verify',
    ]);
    const { signature, ...said } = checkpoint ?? { seq: 0, head: '', at: 0, signature: '' };
    expect(said).toMatchObject({ seq: 1, head: (await stub.state()).head });
    const text = new TextEncoder().encode(checkpointText(said));
    expect(await crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'base64url'), text)).toBe(true);
  });
});

// The last, for nothing opens this memory again.
describe('a memory whose tables were changed', () => {
  it('takes nothing and reads nothing out, and still serves the log to whoever verifies it', async () => {
    await inMemory(memory(), (sql) => sql.exec('DROP TRIGGER log_only_grows'));
    await evictDurableObject(memory());
    const before = await seq();
    const locked = { said: { code: 'memory_locked', message: expect.stringContaining('log_only_grows') } };
    expect(await ask('POST', 'entries', { file: PROGRESS, entry: line(40) })).toMatchObject(locked);
    const lines = [{ text: line(41), nth: 1 }];
    expect(await ask('POST', 'import', { file: PROGRESS, lines })).toMatchObject(locked);
    expect(await ask('GET', `tail?file=${PROGRESS}`)).toMatchObject(locked);
    const authorization = `Bearer ${(await personalToken()).secret}`;
    for (const [tool, args] of [
      ['search', { query: 'note' }],
      ['fetch', { id: `memory:${PROGRESS}` }],
      ['fetch', { id: `memory:${PROGRESS}#1` }],
    ] as const) {
      const answer = await post(tool, JSON.stringify(args), { authorization });
      expect([answer.status, await answer.json()]).toMatchObject([503, locked.said]);
    }
    const own = await signedIn();
    for (const path of ['/memory', `/memory/${PROGRESS}`])
      expect(await (await own.send(path)).text()).toContain('log_only_grows');
    const { said } = await ask('GET', 'export');
    expect(said).toMatchObject({ head: { seq: before }, locked: expect.stringContaining('log_only_grows') });
  });
});
