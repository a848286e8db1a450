import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listDir } from '../../../contracts/files.ts';
import { cursorFor, pageFrom } from '../../../local-bridge/tools/handlers/files-list.ts';
import { failureOf, fileRig, outputOf, type Rig, refusing } from '../workspace/rig.ts';

const list = async (rig: Rig, args: object = {}) => outputOf(await rig.call('list_dir', args));
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${String(i).padStart(4, '0')}`, '']));

describe('list_dir', () => {
  it('lists files, then directories', async () => {
    const rig = fileRig({ files: { 'src/models/': '', 'src/utils.py': '', 'src/app.py': '' } });
    expect(await list(rig, { path: 'src' })).toEqual({
      success: true,
      output: 'Contents of ./src:\n  app.py\n  utils.py\n  models/\n',
      files_affected: [],
      execution_time_ms: expect.any(Number),
      metadata: { total_entries: 3, files: 2, directories: 1, entries_returned: 3, next_cursor: null },
    });
  });

  it('lists the open folder if no other is named', async () => {
    const rig = fileRig({ files: { 'a.txt': '', '.hidden': '', 'Z/': '' } });
    expect((await list(rig)).output).toBe('Contents of .:\n  .hidden\n  a.txt\n  Z/\n');
    expect((await list(rig, { path: '.' })).output).toBe('Contents of .:\n  .hidden\n  a.txt\n  Z/\n');
  });

  it('lists an empty directory', async () => {
    const { output, metadata } = await list(fileRig({ files: { 'empty/': '' } }), { path: 'empty' });
    expect(output).toBe('Contents of ./empty:\n');
    expect(metadata).toMatchObject({ total_entries: 0, entries_returned: 0, next_cursor: null });
  });

  it('says what is a link or special, counts them, and spells out hostile names', async () => {
    const rig = fileRig({ files: { 'evil\nname/': '', 'a\u202eb': '', 'tab\t': '', 'ü-😀': '' } });
    symlinkSync('/etc', rig.at('out'));
    symlinkSync('nowhere', rig.at('dangling'));
    execFileSync('mkfifo', [rig.at('pipe')]);
    const { output, metadata } = await list(rig);
    expect(output.split('\n').slice(1, -1)).toEqual([
      '  a\\u{202e}b',
      '  dangling (link)',
      '  out (link)',
      '  pipe (special file)',
      '  tab\\t',
      '  ü-😀',
      '  evil\\nname/',
    ]);
    expect(metadata).toMatchObject({ total_entries: 7, files: 3, directories: 1, entries_returned: 7 });
  });

  it.each([
    [{ path: '..' }, 'path_outside_root', "Path '..' is outside working directory"],
    [{ path: '/' }, 'path_outside_root', undefined],
    [{ path: 'C:\\' }, 'path_outside_root', undefined],
    [{ path: 'src\\models' }, 'invalid_path', undefined],
    [{ path: 'src/' }, 'invalid_path', undefined],
    [{ path: 'nul' }, 'invalid_path', undefined],
    [{ path: 'file.txt' }, 'not_a_directory', "Path 'file.txt' is not a directory"],
    [{ path: 'file.txt/x' }, 'not_a_directory', "Path 'file.txt' is not a directory"],
    [{ path: 'none' }, 'directory_not_found', "Directory 'none' not found"],
    [{ path: 'out' }, 'path_outside_root', undefined],
    [{ path: '.ssh' }, 'path_denied', undefined],
    [{ path: '.SSH' }, 'path_denied', undefined],
    [{ path: '' }, 'invalid_input', undefined],
    [{ path: 3 }, 'invalid_input', undefined],
    [{ cursor: '' }, 'invalid_input', undefined],
    [{ cursor: 'nonsense' }, 'invalid_cursor', undefined],
    [{ cursor: Buffer.from('["x",false,"a"]').toString('base64url') }, 'invalid_cursor', undefined],
    [{ cursor: Buffer.from('{}').toString('base64url') }, 'invalid_cursor', undefined],
    [{ root: 'other' }, 'unknown_root', undefined],
  ])('fails on %j with %s', async (args, code, message) => {
    const rig = fileRig({ files: { 'file.txt': '', 'src/models/': '', '.ssh/': '' } });
    symlinkSync('/etc', rig.at('out'));
    const failure = failureOf(await rig.call('list_dir', args));
    expect(failure.code).toBe(code);
    if (message) expect(failure.message).toBe(message);
  });

  it('says when the system forbids it', async () => {
    const rig = fileRig({ files: { 'closed/': '' }, disk: refusing('EACCES', /closed$/) });
    expect(failureOf(await rig.call('list_dir', { path: 'closed' }))).toEqual({
      code: 'permission_denied',
      message: 'Cannot list directory - permission denied',
    });
  });

  it('gives 1,000 entries at a time', async () => {
    const rig = fileRig({ files: many(1_001) });
    const of = async () => (await list(rig)).metadata;
    expect(await of()).toMatchObject({ total_entries: 1_001, files: 1_001, entries_returned: 1_000 });
    expect((await of()).next_cursor).toEqual(expect.any(String));
    for (const left of [1_000, 999]) {
      rmSync(rig.at(`f${String(left).padStart(4, '0')}`));
      expect(await of()).toMatchObject({ total_entries: left, entries_returned: left, next_cursor: null });
    }
  });

  it('goes on where a page ended, whatever came and went meanwhile', async () => {
    const rig = fileRig({ files: many(1_200) });
    mkdirSync(rig.at('a'));
    const first = await list(rig);
    expect(first.output).toContain('Warning: Showing entries 1-1000 of 1201; pass `next_cursor`');
    expect(first.output.endsWith('  f0999\n')).toBe(true);
    rmSync(rig.at('f0999'));
    writeFileSync(rig.at('f0000a'), '');
    const rest = await list(rig, { cursor: first.metadata.next_cursor });
    expect(rest.output.split('\n').slice(2, 3)).toEqual(['  f1000']);
    expect(rest.output.endsWith('  f1199\n  a/\n')).toBe(true);
    expect(rest.metadata).toMatchObject({ entries_returned: 201, next_cursor: null });
    // Elsewhere it means nothing.
    const elsewhere = await rig.call('list_dir', { path: 'a', cursor: first.metadata.next_cursor });
    expect(failureOf(elsewhere).code).toBe('invalid_cursor');
  });

  it.each(['x'.repeat(255), '\x01'.repeat(255), '😀'.repeat(63), '\ufffd'.repeat(255)])(
    'makes cursors that fit, of the longest names',
    (name) => {
      const cursor = cursorFor({ name, kind: 'file' }, '/p');
      expect(listDir.input.safeParse({ cursor }).success).toBe(true);
      expect(
        pageFrom(
          [
            { name, kind: 'file' },
            { name: '\uffff', kind: 'file' },
          ],
          cursor,
          '/p',
          9,
        )?.shown.at(-1)?.name,
      ).toBe('\uffff');
    },
  );
});
