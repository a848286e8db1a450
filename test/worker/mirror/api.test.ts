import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TokenScope } from '../../../contracts/contract.ts';
import { OPEN_BY_DEFAULT } from '../../../src/core/path-policy.ts';
import { personalToken } from '../auth/owner.ts';
import { chunked, send } from '../http.ts';
import { commitOf, described } from './support.ts';

const ownMirror = () => env.MIRROR.get(env.MIRROR.idFromName('owner'));

afterEach(() => ownMirror().changeSettings({ open: OPEN_BY_DEFAULT, allowedSecrets: [] }));

let bearer: Record<string, string>;

const bearerWith = async (scopes: readonly TokenScope[]) => ({
  authorization: `Bearer ${(await personalToken(scopes)).secret}`,
});

beforeAll(async () => {
  bearer = await bearerWith(['read', 'push']);
});

const post = (path: string, body: unknown, headers: Record<string, string> = bearer) =>
  send(`/api/mirror${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Sends contents under the names they are said to have. */
function sendBlobs(id: string, blobs: readonly (readonly [sha: string, bytes: Uint8Array])[], rest = '') {
  const head = JSON.stringify({ blobs: blobs.map(([sha, bytes]) => ({ sha, size: bytes.length })) });
  const body = new Blob([`${head}\n`, ...blobs.map(([, bytes]) => new Uint8Array(bytes)), rest]);
  return send(`/api/mirror/pushes/${id}/blobs`, { method: 'POST', headers: bearer, body });
}

async function opened(files: Parameters<typeof described>[1]) {
  const { push, contents } = described(`api ${Object.keys(files).join()}`, files);
  const response = await post('/pushes', push);
  expect(response.status).toBe(200);
  return { ...(await response.json<{ id: string; lacking: string[] }>()), contents };
}

describe('the mirror over HTTP', () => {
  it('takes a push from its first word to its last', async () => {
    const { id, lacking, contents } = await opened({ 'docs/a.md': 'sent a', 'docs/b.md': 'sent b' });
    const blobs = lacking.map((sha) => [sha, contents.get(sha) ?? new Uint8Array()] as const);
    const [first, second] = blobs;
    expect(await (await sendBlobs(id, first ? [first] : [])).json()).toMatchObject({
      lacking: [second?.[0]],
    });
    expect(await (await sendBlobs(id, second ? [second] : [])).json()).toMatchObject({
      kind: 'done',
      files: 2,
    });
    const status = await (await send('/api/mirror', { headers: bearer })).json();
    expect(status).toMatchObject({ files: 2, bytes: 12, branch: 'main', pushedBy: 'script', problem: null });
    const read = await send('/tools/read_repo_file', {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: '{"path":"docs/a.md"}',
    });
    expect(await read.json()).toMatchObject({ content: 'sent a' });
  });

  it.each<[string, string, readonly TokenScope[] | null, number]>([
    ['GET', '', null, 401],
    ['GET', '', ['write'], 403],
    ['POST', '/pushes', null, 401],
    ['POST', '/pushes', ['read', 'write', 'machine'], 403],
    ['POST', '/pushes/x/files', ['read', 'write', 'machine'], 403],
    ['POST', '/pushes/x/blobs', ['read', 'write', 'machine'], 403],
    ['POST', '/pushes/x/blobs', null, 401],
  ])('%s %s with the scopes %j is refused', async (method, path, scopes, status) => {
    const headers = scopes ? await bearerWith(scopes) : {};
    const response = await send(`/api/mirror${path}`, {
      method,
      headers,
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
  });

  it.each([
    '.env',
    'docs/.env',
    'docs/.ENV',
    'secrets/a',
    'docs/Secrets/a',
    '.git/config',
    'docs/a.key',
    'docs/a.PEM',
    '../a',
    'docs/../a',
    '/docs/a',
    'docs//a',
    'docs\\a',
    'docs/./a',
    'src/a.ts',
    'docs/.env.',
    'docs/.ｅnv',
    'docs/a／.env',
    'docs/.e\u200bnv',
    'docs/a\u0000.md',
    '.claude/memory/decisions.jsonl',
    '.Claude/Memory/Decisions.jsonl',
    '.claude/memory/best_practices.md',
    '.claude/memory/progress_log.JSONL.',
    '.claude/memory/progress\u200b_log.jsonl',
  ])('does not take %j, in a first request or a later one', async (path) => {
    const open = path.startsWith('src') ? undefined : { open: ['**'] };
    if (open) await ownMirror().changeSettings({ ...open, allowedSecrets: [] });
    const { push } = described('denied', { [path]: 'x' }, open);
    expect((await post('/pushes', push)).status).toBe(403);
    const first = await post('/pushes', { ...push, files: [], complete: false });
    const { id } = await first.json<{ id: string }>();
    expect(
      (await post(`/pushes/${id}/files`, { files: push.files, removed: [], complete: true })).status,
    ).toBe(403);
  });

  it('refuses contents that are not what they are called, and keeps none of them', async () => {
    const { id, lacking, contents } = await opened({ 'docs/x.md': 'right x' });
    const [sha = ''] = lacking;
    const right = contents.get(sha) ?? new Uint8Array();
    const wrong = new TextEncoder().encode('wrong x');
    expect((await sendBlobs(id, [[sha, wrong]])).status).toBe(400);
    expect((await sendBlobs(id, [[commitOf('some other'), right]])).status).toBe(400);
    expect(await env.BLOBS.head(`blobs/${commitOf('some other')}`)).toBeNull();
    for (const body of [
      '',
      'no json\n',
      '{"blobs":[{"sha":"x","size":1}]}\nx',
      '{"blobs":[{"sha"',
      `{"blobs":[{"sha":"${sha}","size":99}]}\nshort`,
    ]) {
      const response = await send(`/api/mirror/pushes/${id}/blobs`, {
        method: 'POST',
        headers: bearer,
        body,
      });
      expect(response.status, body).toBe(400);
    }
    expect((await sendBlobs(id, [], 'more')).status).toBe(400);
    expect(await (await sendBlobs(id, [[sha, right]])).json()).toMatchObject({ kind: 'done' });
  });

  it('takes 1 MB at once and not a byte more, and 8 MB together', async () => {
    const MB = 1024 * 1024;
    const { id, lacking, contents } = await opened({
      'docs/mb.bin': 'b'.repeat(MB),
      'docs/over.bin': 'b'.repeat(MB + 1),
    });
    expect(lacking).toHaveLength(1);
    const over = [...contents].find(([, bytes]) => bytes.length > MB);
    expect((await sendBlobs(id, over ? [over] : [])).status).toBe(413);
    const full = new Uint8Array(MB);
    const nine = Array.from({ length: 9 }, () => [commitOf('x'), full] as const);
    expect((await sendBlobs(id, nine)).status).toBe(413);
    const one = [...contents].find(([, bytes]) => bytes.length === MB);
    expect(await (await sendBlobs(id, one ? [one] : [])).json()).toMatchObject({ kind: 'done', files: 2 });
  });

  it('reads no more of a list than its limit', async () => {
    const response = await send('/api/mirror/pushes', {
      method: 'POST',
      headers: bearer,
      body: chunked(' '.repeat(4 * MB_1 + 1)),
    });
    expect(response.status).toBe(413);
  });

  it.each<[string, object]>([
    ['a commit that is none', { commit: 'HEAD' }],
    ['no folder open', { open: [] }],
    ['a pattern that opens secrets', { open: ['secrets/**'] }],
    ['a pattern of another kind', { open: ['docs/*.md'] }],
    ['a field of its own', { extra: 1 }],
    [
      'a mode that git lacks',
      { files: [{ path: 'docs/a', sha: commitOf('a'), size: 1, mode: '100777', modified: 1 }] },
    ],
  ])('refuses a push with %s', async (_, over) => {
    const { push } = described('odd', { 'docs/a.md': 'x' });
    expect((await post('/pushes', { ...push, ...over })).status).toBe(400);
  });

  it('says of a push it does not know that it does not', async () => {
    const answer = await post('/pushes/nobody/files', { files: [], removed: [], complete: true });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      kind: 'unknown_push',
      message: expect.stringContaining('There is no such push'),
    });
  });
});

const MB_1 = 1024 * 1024;
