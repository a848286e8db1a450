import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { OPEN_BY_DEFAULT } from '../../../src/core/path-policy.ts';
import { ARCHIVE_LIMITS, type ArchiveLimits, filesInArchive } from '../../../src/mirror/archive.ts';
import { archive, COMMIT, file, gzip, pull, standIn } from './github.ts';
import { MODIFIED, newMirror, opened, pushed } from './support.ts';
import { outputOf, refusalOf, repoTools } from './tools.ts';

const list = async (mirror: ReturnType<typeof newMirror>) =>
  (await mirror.stub().list('', '', 100))?.files ?? [];

async function namesIn(packed: Uint8Array<ArrayBuffer>, limits: Partial<ArchiveLimits> = {}) {
  const names: string[] = [];
  const body = new Blob([packed]).stream();
  for await (const { path, size, bytes } of filesInArchive(body, { ...ARCHIVE_LIMITS, ...limits })) {
    names.push(path);
    if (size < 1_000) await bytes();
  }
  return names;
}

describe('the archive of a commit', () => {
  it('is mirrored as if it had been pushed', async () => {
    const mirror = newMirror();
    const tools = repoTools(mirror);
    await pushed(mirror, 'one', { 'docs/same.md': 'stays', 'docs/gone.md': 'goes', 'docs/a.md': 'old' });
    const seen: Request[] = [];
    const packed = await archive([
      file('.env', 'TOKEN=never'),
      file('README.md', '# Notes\n'),
      file('docs/a.md', 'from GitHub'),
      file('docs/same.md', 'stays'),
      file('docs/secrets/a.md', 'never'),
      file('docs/big.bin', new Uint8Array(1024 * 1024 + 1)),
      { header: { name: 'docs/link', type: 'symlink', linkname: '../../../etc/passwd', size: 0 } },
      file('src/closed.ts', 'closed'),
    ]);
    expect(await pull(mirror, standIn(packed, seen))).toEqual({ problem: null, again: false });
    expect((await list(mirror)).map(({ path, mode }) => `${mode} ${path}`)).toEqual([
      '100644 README.md',
      '100644 docs/a.md',
      '100644 docs/big.bin',
      '120000 docs/link',
      '100644 docs/same.md',
    ]);
    expect(outputOf(await tools.read('docs/a.md'))).toEqual({
      content: 'from GitHub',
      size: 11,
      commit: COMMIT,
      modified: '2026-01-10T00:00:00.000Z',
    });
    expect(outputOf(await tools.read('docs/same.md')).modified).toBe(new Date(MODIFIED).toISOString());
    expect(refusalOf(await tools.read('docs/gone.md')).code).toBe('file_not_found');
    expect(refusalOf(await tools.read('docs/big.bin')).code).toBe('file_too_large');
    expect(seen.map(({ url }) => new URL(url).host)).toEqual(['api.github.com', 'codeload.github.com']);
    // The token is for the API, and the place that it sends to has one of its own.
    expect(seen.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer ghp_for_tests', null]);
  });

  it('is not shown if it holds what looks like a secret, unless the owner allowed it', async () => {
    const mirror = newMirror();
    const key = `AKIA${'ABCDEFGH12345678'}`;
    await pushed(mirror, 'one', { 'docs/a.md': 'a' });
    const packed = await archive([file('docs/a.md', 'new'), file('docs/keys.md', `x\n\n${key}\n`)]);
    const { problem, again } = await pull(mirror, standIn(packed));
    expect(problem).toContain('docs/keys.md:3 (aws-access-key)');
    expect(problem).not.toContain(key);
    expect(again).toBe(false);
    expect((await list(mirror)).map(({ path }) => path)).toEqual(['docs/a.md']);
    const allowedSecrets = ['docs/keys.md:aws-access-key'];
    await pushed(mirror, 'two', { 'docs/a.md': 'a' }, { allowedSecrets });
    expect((await pull(mirror, standIn(packed))).problem).toContain('docs/keys.md:3');
    await opened(mirror, OPEN_BY_DEFAULT, allowedSecrets);
    expect((await pull(mirror, standIn(packed))).problem).toBeNull();
  });

  it('that cannot be had is a problem, and worth another try if GitHub is to blame', async () => {
    const mirror = newMirror();
    for (const [status, again] of [
      [404, false],
      [500, true],
      [429, true],
    ] as const) {
      const answer = await pull(mirror, async () => new Response('', { status }));
      expect(answer).toEqual({ problem: expect.stringContaining(String(status)), again });
    }
    const away = await pull(mirror, () => Promise.reject(new Error('no route')));
    expect(away).toEqual({ problem: expect.stringContaining('no route'), again: true });
    const inside = await pull(mirror, async () => {
      return new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/x' } });
    });
    expect(inside.problem).toContain('The archive was not taken');
    const cut = (await archive([file('docs/a.md', 'a'.repeat(5_000))])).slice(0, -20);
    expect((await pull(mirror, standIn(cut))).problem).not.toBeNull();
    expect(await mirror.stub().locate('docs/a.md')).toBeNull();
  });

  it.each([
    '../evil.md',
    'docs/../../evil.md',
    'docs//evil.md',
    './docs/evil.md',
    'docs\\..\\evil.md',
    '/etc/passwd',
  ])('that holds %j leads elsewhere, and is refused whole', async (name) => {
    const mirror = newMirror();
    const { problem, again } = await pull(
      mirror,
      standIn(await archive([file('README.md', 'ok'), file(name, 'x')])),
    );
    expect(problem).toContain('which leads elsewhere');
    expect(again).toBe(false);
    expect(await mirror.stub().locate('README.md')).toBeNull();
  });

  it.each([
    ['a file beside its folder', [file('one/a.md'), file('two/b.md')], 'more than one folder'],
    ['a file and no folder', [file('a.md')], 'outside its folder'],
    ['a name from the root', [file('/etc/passwd')], 'leads elsewhere'],
    ['a drive', [file('c:/a.md')], 'leads elsewhere'],
    [
      'a hard link',
      [{ header: { name: 'one/l', type: 'link', linkname: 'one/a', size: 0 } }],
      'holds a link',
    ],
    ['a device', [{ header: { name: 'one/d', type: 'block-device', size: 0 } }], 'holds a block-device'],
    ['a pipe', [{ header: { name: 'one/p', type: 'fifo', size: 0 } }], 'holds a fifo'],
  ] as const)('that holds %s is none of GitHub', async (_, entries, why) => {
    await expect(namesIn(await gzip(await packTar([...entries])))).rejects.toThrow(why);
  });

  it('that is a bomb is given up long before it is unpacked', async () => {
    const bomb = await archive([file('docs/bomb.bin', new Uint8Array(48 * 1024 * 1024))]);
    expect(bomb.length).toBeLessThan(100_000);
    await expect(namesIn(bomb)).rejects.toThrow('times its size');
  });

  it('may be as large as its limits and no larger', async () => {
    const packed = await archive([file('a', 'a'), file('b', 'b')]);
    // The global header is one of no repo's entries; the folder and its two files are.
    expect(await namesIn(packed, { entries: 3 })).toEqual(['a', 'b']);
    await expect(namesIn(packed, { entries: 2 })).rejects.toThrow('more than 2 entries');
    expect(await namesIn(packed, { packedBytes: packed.length })).toHaveLength(2);
    await expect(namesIn(packed, { packedBytes: packed.length - 1 })).rejects.toThrow('bytes');
    const unpacked = new Uint8Array(
      await new Response(
        new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')),
      ).arrayBuffer(),
    ).length;
    expect(await namesIn(packed, { unpackedBytes: unpacked })).toHaveLength(2);
    await expect(namesIn(packed, { unpackedBytes: unpacked - 1 })).rejects.toThrow('unpacks to more');
  });

  it('that is no archive is refused', async () => {
    await expect(namesIn(new Uint8Array([1, 2, 3]))).rejects.toThrow();
    await expect(namesIn(await gzip(new Uint8Array(2_000).fill(120)))).rejects.toThrow();
  });
});
