import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Preview } from '../../../contracts/preview.ts';
import { fileRig, type Rig, refusing } from '../workspace/rig.ts';

type Name = Parameters<Rig['look']>[0];
interface Asked {
  readonly path: string;
  readonly [field: string]: unknown;
}

const MB = 1024 * 1024;

/** Everything below a folder with its times, so that nothing can be touched without being seen. */
function treeOf(rig: Rig): string[] {
  const paths = readdirSync(rig.base, { recursive: true }).map(String).sort();
  return paths.map((path) => {
    const { mtimeNs, ctimeNs, size, ino } = lstatSync(`${rig.base}/${path}`, { bigint: true });
    return `${path} ${mtimeNs} ${ctimeNs} ${size} ${ino}`;
  });
}

/** Files at the limit of size. Most cases ask for none of them, and to write them takes longer than the rest. */
const LARGE: Readonly<Record<string, string>> = {
  'large.txt': 'x'.repeat(10 * MB + 1),
  'full.txt': `old${'x'.repeat(10 * MB - 3)}`,
};

function hostile(disk?: Parameters<typeof refusing>, asked = '') {
  const large = LARGE[asked];
  const rig = fileRig({
    files: {
      'there.txt': 'old old\n',
      'sub/': '',
      bytes: 'a\0b',
      ...(large === undefined ? {} : { [asked]: large }),
    },
    ...(disk ? { disk: refusing(...disk) } : {}),
  });
  mkdirSync(`${rig.base}/outside`);
  symlinkSync('../outside', rig.at('out'));
  symlinkSync('sub', rig.at('in'));
  symlinkSync('there.txt', rig.at('link.txt'));
  symlinkSync('nowhere', rig.at('dangling'));
  execFileSync('mkfifo', [rig.at('pipe')]);
  return rig;
}

const create = (path: string, more: object = {}): [Name, Asked] => [
  'create_file',
  { path, content: 'new\n', ...more },
];
const folder = (path: string, more: object = {}): [Name, Asked] => ['create_directory', { path, ...more }];
const change = (path: string, more: object = {}): [Name, Asked] => [
  'replace_string_in_file',
  { path, old_string: 'old', new_string: 'new', ...more },
];
const NOWHERE = [
  '../x',
  '/tmp/x',
  '~/x',
  'D:\\x',
  'out/x',
  'in/x',
  'x.',
  'a:b',
  'nul',
  '.git/config',
  '.ENV',
];

async function shown(rig: Rig, name: Name, args: object): Promise<Preview> {
  const looked = await rig.look(name, args);
  if ('kind' in looked) throw new Error(`Nothing is shown: ${JSON.stringify(looked)}`);
  return looked;
}

describe('a preview', () => {
  it.each([
    ...NOWHERE.flatMap((path) => [create(path), folder(path), change(path)]),
    ...['.', 'there.txt', 'sub', 'dangling', 'pipe', 'there.txt/x', 'link.txt'].map((path) => create(path)),
    ...['there.txt', 'there.txt/a/b', 'dangling', 'pipe', 'link.txt'].map((path) => folder(path)),
    ...['.', 'sub', 'no.txt', 'no/no.txt', 'pipe', 'link.txt', 'bytes', 'large.txt'].map((path) =>
      change(path),
    ),
    change('there.txt', { old_string: 'none' }),
    change('full.txt', { new_string: 'longer' }),
    create('x', { root: 'other' }),
    folder('x', { root: 'other' }),
    change('there.txt', { root: 'other' }),
  ])('of %s %j refuses as the call does, and changes nothing', async (name, args) => {
    const rig = hostile(undefined, args.path);
    const before = treeOf(rig);
    const looked = await rig.look(name, args);
    expect(treeOf(rig)).toEqual(before);
    const called = await rig.call(name, args);
    expect(called.kind).toBe('failed');
    expect(looked).toEqual(called);
  });

  it.each([create('new.txt'), create('a/b/new.txt'), folder('a'), folder('a/b'), change('there.txt')])(
    'of %s %j refuses what the system forbids, as the call does',
    async (name, args) => {
      const rig = hostile(['EACCES', /./, 'mayAdd']);
      const looked = await rig.look(name, args);
      expect(looked).toMatchObject({ kind: 'failed', failure: { code: 'permission_denied' } });
      expect(looked).toEqual(await rig.call(name, args));
    },
  );

  it.each([
    create('new.txt'),
    create('a/b/new.txt'),
    folder('a/b'),
    folder('sub'),
    folder('.'),
    change('there.txt'),
  ])('of %s %j changes nothing', async (name, args) => {
    const rig = hostile();
    const before = treeOf(rig);
    await shown(rig, name, args);
    expect(treeOf(rig)).toEqual(before);
  });

  it('says what would be made, and where', async () => {
    const rig = hostile();
    expect(await shown(rig, ...create('a/b/new.txt'))).toMatchObject({
      files: [
        { path: 'a', change: 'create folder' },
        { path: 'a/b', change: 'create folder' },
        { path: 'a/b/new.txt', change: 'create' },
      ],
      diff: '--- /dev/null\n+++ a/b/new.txt\n@@ -0,0 +1,1 @@\n+new\n',
    });
    const made = await shown(rig, ...folder('sub/a/b'));
    expect(made.files).toEqual([
      { path: 'sub/a', change: 'create folder' },
      { path: 'sub/a/b', change: 'create folder' },
    ]);
    expect(await shown(rig, ...folder('sub'))).toMatchObject({ files: [], diff: null });
  });

  it('says that only the first of several is replaced', async () => {
    const rig = hostile();
    const { facts } = await shown(rig, ...change('there.txt'));
    expect(facts).toContainEqual({
      text: 'The text is there 2 times. Only the first, at line 1, is replaced.',
      unusual: true,
    });
  });

  it('says that a change does not show', async () => {
    const { facts } = await shown(hostile(), ...change('there.txt', { new_string: 'a\u202eb' }));
    expect(facts).toContainEqual({ text: 'The new text has invisible characters.', unusual: true });
  });

  it('says so where there is too much to show', async () => {
    const rig = fileRig({ files: { 'f.txt': `old\n${'a line\n'.repeat(300_000)}` } });
    const { diff, facts } = await shown(rig, ...change('f.txt'));
    expect(diff).toBeNull();
    expect(facts.at(-1)).toMatchObject({ text: expect.stringContaining('too large'), unusual: true });
    const long = await shown(rig, ...create('g.txt', { content: 'a line\n'.repeat(20_000) }));
    expect(long.diff).toBeNull();
  });
});

describe('the diff of a preview', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    ...Array.from({ length: 12 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'),
    '-----END PRIVATE KEY-----',
  ].join('\n');

  it.each([
    ['around the change', `a\n${token}\nold\n`, 'old', 'new', token],
    ['in the line that changes', `password = "hunter22x" # old\n`, 'old', 'new', 'hunter22x'],
    ['whose label is taken away', 'password = "hunter22x"\n', 'password', 'x', 'hunter22x'],
    ['that begins far above', `${key}\nold\n`, 'old', 'new', 'MIIEvQ'],
    ['that is new', 'old\n', 'old', token, token],
  ])('hides a secret %s', async (_, content, old_string, new_string, secret) => {
    const rig = fileRig({ files: { 'f.txt': content } });
    const { diff, facts } = await shown(rig, 'replace_string_in_file', {
      path: 'f.txt',
      old_string,
      new_string,
    });
    expect(diff).toContain('[redacted:');
    expect(diff).not.toContain(secret);
    expect(facts.at(-1)?.text).toBe('The diff hides text that looks like a secret.');
  });

  it.each([
    ['in the middle', 'm15', '@@ -12,7 +12,7 @@'],
    ['at the beginning', 'm1\n', '@@ -1,4 +1,4 @@'],
    ['at the end', 'm30\n', '@@ -27,4 +27,4 @@'],
  ])('shows three lines around a change %s', async (_, old_string, hunk) => {
    const lines = Array.from({ length: 30 }, (_unused, i) => `m${i + 1}`);
    const rig = fileRig({ files: { 'f.txt': `${lines.join('\n')}\n` } });
    const args = { path: 'f.txt', old_string, new_string: old_string.replace('m', 'n') };
    const { diff } = await shown(rig, 'replace_string_in_file', args);
    expect(diff).toContain(`\n${hunk}\n`);
  });
});

describe('the state that the owner saw', () => {
  it.each([change('there.txt'), create('a/new.txt'), folder('a/b')])(
    'lets %s %j run while it is the same',
    async (name, args) => {
      const rig = hostile();
      const { state } = await shown(rig, name, args);
      expect((await rig.callSeen(name, args, state ?? '')).kind).toBe('ok');
    },
  );

  it.each([change('there.txt'), create('a/new.txt'), folder('a/b')])(
    'keeps %s %j from anything when it is another',
    async (name, args) => {
      const rig = hostile();
      const before = treeOf(rig);
      expect(await rig.callSeen(name, args, 'another')).toMatchObject({
        failure: { code: 'changed_since_approval' },
      });
      expect(treeOf(rig)).toEqual(before);
    },
  );

  it('is another for the same content with one byte more', async () => {
    const rig = hostile();
    const { state } = await shown(rig, ...change('there.txt'));
    writeFileSync(rig.at('there.txt'), `${readFileSync(rig.at('there.txt'), 'utf8')} `);
    expect((await shown(rig, ...change('there.txt'))).state).not.toBe(state);
  });
});
