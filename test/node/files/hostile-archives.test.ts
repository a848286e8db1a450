import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listArchive, listingText } from '../../../local-bridge/tools/reading/archives.ts';
import { fileRig } from '../workspace/rig.ts';
import { records, tarEntry, tarOf, zipOf } from './made-files.ts';
import { read } from './read-many.ts';

const DAMAGED = { problem: 'has a damaged list of files' };
const END = Buffer.alloc(1_024);
const x = (name: string, bytes = 1) => tarEntry(name, Buffer.alloc(bytes, 'x'));

/** The names and sizes that are listed, or why there are none. */
async function listed(bytes: Buffer) {
  const listing = await listArchive(bytes);
  if (!listing || 'problem' in listing) return listing?.problem;
  return listing.entries.map(({ name, bytes: size, target }) => [name, size, ...(target ? [target] : [])]);
}

/** A zip that keeps the place and number of its entries in the longer form. */
function largeZip(names: readonly string[], count = names.length, at = 4n): Buffer {
  const zip = zipOf(names);
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(at, 48);
  const pointer = Buffer.alloc(20);
  pointer.writeUInt32LE(0x07064b50);
  pointer.writeBigUInt64LE(BigInt(zip.length - 22), 8);
  const end = Buffer.from(zip.subarray(-22));
  end.writeUInt16LE(0xffff, 10);
  end.writeUInt32LE(0xffffffff, 16);
  return Buffer.concat([zip.subarray(0, -22), large, pointer, end]);
}

describe('a zip that lies', () => {
  it.each([
    ['has more entries than its end tells', zipOf(['a', 'hidden'], 1)],
    ['has fewer', zipOf(['a'], 2)],
    ['tells so in the longer form', largeZip(['a', 'hidden'], 1)],
    ['begins its list nowhere', largeZip(['a'], 1, 2n ** 63n)],
    ['points to an end that is none', largeZip(['a']).fill(0, 115, 123)],
  ])('%s', async (_, bytes) => {
    expect(await listArchive(bytes)).toMatchObject(DAMAGED);
  });

  it('about no more than can be checked is listed', async () => {
    expect(await listed(largeZip(['a', 'b']))).toEqual([
      ['a', 7],
      ['b', 7],
    ]);
    const bytes = zipOf(['a', 'a', 'a']);
    // Three entries that claim four gigabytes each, all of them the same bytes.
    for (let i = 0; i < 3; i++) bytes.writeUInt32LE(0xfffffffe, 4 + i * 47 + 24);
    expect(await listed(bytes)).toEqual(Array(3).fill(['a', 0xfffffffe]));
  });

  it('has the size of a large entry where it is said', async () => {
    const zip = zipOf(['a']);
    zip.writeUInt32LE(0xffffffff, 4 + 24);
    zip.writeUInt16LE(20, 4 + 30);
    const extra = Buffer.alloc(20);
    extra.set([9, 0, 4, 0], 0);
    extra.set([1, 0, 8, 0], 8);
    extra.writeBigUInt64LE(5_000_000_000n, 12);
    const at = 4 + 46 + 1;
    expect(await listed(Buffer.concat([zip.subarray(0, at), extra, zip.subarray(at)]))).toEqual([
      ['a', 5_000_000_000],
    ]);
  });
});

describe('a tar is listed as `tar` does', () => {
  it.each<[string, Buffer[], unknown]>([
    [
      'a size that is said before it',
      [
        tarEntry('x', records({ size: '1024' }), { kind: 'x' }),
        tarEntry('a', tarOf([['b', 0]]).subarray(0, 1_024), { bytes: 0 }),
      ],
      [['a', 1_024]],
    ],
    [
      'a name within a remark',
      [tarEntry('x', records({ path: 'real', comment: 'a\n13 path=fake' }), { kind: 'x' }), x('a')],
      [['real', 1]],
    ],
    [
      'what is said of all',
      [tarEntry('g', records({ path: 'all' }), { kind: 'g' }), x('a'), x('b')],
      [
        ['all', 1],
        ['all', 1],
      ],
    ],
    [
      'a file with holes, in the newer form',
      [
        tarEntry('x', records({ 'GNU.sparse.name': 'holes', 'GNU.sparse.realsize': '999' }), { kind: 'x' }),
        x('GNUSparseFile.0/holes'),
      ],
      [['holes', 999]],
    ],
    [
      'a map of holes that goes on for ever',
      [
        tarEntry('s', Buffer.alloc(4_096, 1), {
          kind: 'S',
          bytes: 0,
          set: (head) => void head.fill(1, 482, 483),
        }),
      ],
      [['s', 0]],
    ],
    [
      'a link that claims bytes',
      [tarEntry('l', x('hidden'), { kind: '2', set: (head) => void head.write('../out', 157) })],
      [
        ['l', 0, '../out'],
        ['hidden', 1],
      ],
    ],
    [
      'the target of a link that is said before it',
      [
        tarEntry('k', Buffer.from('/etc/passwd\0'), { kind: 'K' }),
        tarEntry('l', Buffer.alloc(0), { kind: '1' }),
      ],
      [['l', 0, '/etc/passwd']],
    ],
    [
      'an entry without a name',
      [tarEntry('', Buffer.alloc(0)), x('a')],
      [
        ['', 0],
        ['a', 1],
      ],
    ],
    [
      'a size that is a number',
      [tarEntry('a', Buffer.alloc(0), { set: (head) => void head.fill(0, 124, 136).set([0x80], 124) })],
      [['a', 0]],
    ],
    [
      'a size beyond all numbers',
      [tarEntry('a', Buffer.alloc(0), { set: (head) => void head.fill(0xff, 124, 136) })],
      DAMAGED.problem,
    ],
    [
      'records that never end',
      [tarEntry('x', Buffer.from('99999999 path=b'), { kind: 'x' }), x('a')],
      [['a', 1]],
    ],
    [
      'records of no length',
      [tarEntry('x', Buffer.from('0 path=b\n1 \n2 \n'), { kind: 'x' }), x('a')],
      [['a', 1]],
    ],
  ])('%s', async (_, entries, expected) => {
    expect(await listed(Buffer.concat([...entries, END]))).toEqual(expected);
  });

  it('really: files with holes, links and names in two alphabets', async () => {
    const rig = fileRig({ files: { 'made/é': 'abc', 'made/last': 'x' } });
    execFileSync(
      'sh',
      ['-c', `truncate -s 3M made/holes && printf x >> made/holes && ln -s ../nowhere made/link`],
      {
        cwd: rig.path,
      },
    );
    for (const format of ['gnu', 'pax']) {
      execFileSync('tar', ['-S', `--format=${format}`, '-cf', `${format}.tar`, 'made'], { cwd: rig.path });
      const { bodies } = await read(rig, [`${format}.tar`]);
      for (const one of [
        / 3 {2}made\/é$/m,
        / 1 {2}made\/last$/m,
        / 3145729 {2}made\/holes$/m,
        / 0 {2}made\/link -> \.\.\/nowhere$/m,
      ])
        expect([format, bodies[0]]).toEqual([format, expect.stringMatching(one)]);
    }
  });

  it('and says when it ends too early', async () => {
    const listing = await listArchive(tarEntry('a', Buffer.alloc(512), { bytes: 9_999 }));
    expect(listing).toMatchObject({ isCut: true, entries: [{ name: 'a', bytes: 9_999 }] });
    const rig = fileRig({ files: { 'a.tar': tarEntry('a', Buffer.alloc(512), { bytes: 9_999 }) } });
    const { files, bodies } = await read(rig, ['a.tar']);
    expect(files[0]).toMatchObject({ kind: 'tar', truncated: true });
    expect(bodies[0]).toMatch(/the archive ends in the middle of a file/);
  });
});

describe('names in an archive', () => {
  const NAMES = [
    '../../etc/passwd',
    '/etc/passwd',
    'C:\\windows\\system32',
    'nul',
    'a\nb (lines 1-1 of 1)',
    'a\u001b[2Jb',
    'a\u202egnp.exe',
    'a\u0007b',
    '.git/hooks/post-checkout',
    '~/.ssh/authorized_keys',
  ];

  it.each([
    ['zip', zipOf(NAMES)],
    ['tar', tarOf(NAMES.map((name) => [name, 7]))],
  ])('are shown on a line of their own, and nothing of them is done: %s', async (kind, bytes) => {
    const rig = fileRig({ files: { archive: bytes } });
    const { bodies, files } = await read(rig, ['archive']);
    expect(files[0]).toMatchObject({ kind, lines_returned: NAMES.length });
    expect(bodies[0]).toContain('../../etc/passwd');
    expect(bodies[0]).toContain('a\\nb (lines 1-1 of 1)');
    expect(bodies[0]).not.toMatch(/[^ -~\n]/);
    expect(execFileSync('find', ['.'], { cwd: rig.path, encoding: 'utf8' }).trim().split('\n')).toHaveLength(
      2,
    );
  });

  it('are cut where they are endless', async () => {
    const long = 'n'.repeat(65_535);
    const zip = await listArchive(zipOf([long, 'b']));
    const said = tarEntry('L', Buffer.from(`${long}\0`), { kind: 'L' });
    const tar = await listArchive(Buffer.concat([said, x('a'), x('b'), END]));
    for (const listing of [zip, tar]) {
      if (!listing || 'problem' in listing) throw new Error('Not listed');
      expect(listing.entries[0]?.name.length).toBeLessThanOrEqual(8_192);
      expect(listing.entries[1]?.name).toBe('b');
      expect(listingText(listing).length).toBeLessThan(500);
    }
  });
});

describe('something packed', () => {
  const lying = gzipSync(tarOf([['a', 600]]));
  lying.fill(0, lying.length - 8);

  it.each([
    ['an endless one', gzipSync(Buffer.alloc(80_000_000)), 'unpacks to more than'],
    ['one that breaks off', gzipSync(tarOf([['a', 600]])).subarray(0, 60), 'is damaged'],
    ['one with a lie at its end', lying, 'is damaged'],
  ])('%s is not listed', async (_, bytes, why) => {
    expect(await listed(bytes)).toContain(why);
  });

  it('that holds another one is no archive', async () => {
    expect(await listArchive(gzipSync(gzipSync(tarOf([['a', 1]]))))).toBeUndefined();
    expect(await listArchive(gzipSync('just text'))).toBeUndefined();
  });
});
