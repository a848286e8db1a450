import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { SOON_MS } from '../../support/soon.ts';
import { failureOf, fileRig, outputOf, refusing } from '../workspace/rig.ts';

const MB = 1024 * 1024;

async function replaced(content: string | Buffer, old_string: string, new_string: string) {
  const rig = fileRig({ files: { 'f.txt': content } });
  const result = await rig.call('replace_string_in_file', { path: 'f.txt', old_string, new_string });
  return { rig, result, bytes: readFileSync(rig.at('f.txt')) };
}

describe('replace_string_in_file', () => {
  it('replaces the only occurrence', async () => {
    const { rig, result, bytes } = await replaced('a\nb\nc\nd\nhello old\n', 'old', 'new');
    expect(outputOf(result)).toEqual({
      success: true,
      output: 'Replaced 1 occurrence in f.txt',
      files_affected: ['f.txt'],
      execution_time_ms: expect.any(Number),
      metadata: {
        occurrences_found: 1,
        occurrences_replaced: 1,
        lines_changed: [5],
        location: rig.at('f.txt'),
      },
    });
    expect(bytes.toString()).toBe('a\nb\nc\nd\nhello new\n');
    expect(readdirSync(rig.path)).toEqual(['f.txt']);
  });

  it('replaces only the first of several, and warns', async () => {
    const { result, bytes } = await replaced('1\n2\n3\n4\nx x\nx\n', 'x', 'y');
    const warning = 'Found 3 occurrences, replaced only the first at line 5';
    const { output, metadata } = outputOf(result);
    expect(output).toBe(`Replaced 1 occurrence in f.txt\nWarning: ${warning}`);
    expect(metadata).toMatchObject({
      occurrences_found: 3,
      occurrences_replaced: 1,
      lines_changed: [5],
      warning,
    });
    expect(bytes.toString()).toBe('1\n2\n3\n4\ny x\nx\n');
  });

  it.each([
    ['counts what does not overlap', 'aaaa', 'aa', 'b', 'baa'],
    ['removes', 'one two', ' two', '', 'one'],
    ['empties a file', 'all', 'all', '', ''],
    ['takes no pattern for one', 'a.c abc', 'a.c', '$&$1', '$&$1 abc'],
    ['adds no final line end', 'a\nb', 'b', 'c', 'a\nc'],
    ['keeps a byte order mark', '\ufeffa\n', 'a', 'b', '\ufeffb\n'],
    ['crosses lines', 'a\nb\nc\n', 'a\nb', 'x', 'x\nc\n'],
    ['knows emoji', '😀 👩‍👩‍👧', '👩‍👩‍👧', '❤️', '😀 ❤️'],
    [
      'takes a line feed for CRLF where all are',
      'a\r\nb\r\nc\r\n',
      'a\nb',
      'x\ny\nz',
      'x\r\ny\r\nz\r\nc\r\n',
    ],
    ['adds CRLF lines to a CRLF file', 'a\r\nb\r\n', 'b', 'b\nc', 'a\r\nb\r\nc\r\n'],
    ['leaves CRLF in the strings alone', 'a\r\nb\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\n'],
    ['leaves mixed line ends alone', 'a\r\nb\nc\r\n', 'b\nc', 'x\ny', 'a\r\nx\ny\r\n'],
    ['leaves LF files alone', 'a\nb\n', 'b', 'x\ny', 'a\nx\ny\n'],
  ])('%s', async (_, content, oldString, newString, expected) => {
    const { result, bytes } = await replaced(content, oldString, newString);
    outputOf(result);
    expect(bytes.toString()).toBe(expected);
  });

  it('leaves bytes that are not UTF-8 as they are', async () => {
    const { bytes } = await replaced(Buffer.from('caf\xe9 old \xff\n', 'latin1'), 'old', 'ü');
    expect(bytes).toEqual(
      Buffer.concat([Buffer.from('caf\xe9 ', 'latin1'), Buffer.from('ü'), Buffer.from(' \xff\n', 'latin1')]),
    );
  });

  it.each([0o644, 0o600, 0o755, 0o664])('keeps the mode %o', async (mode) => {
    const rig = fileRig({ files: { 'run.sh': 'old' } });
    chmodSync(rig.at('run.sh'), mode);
    outputOf(
      await rig.call('replace_string_in_file', { path: 'run.sh', old_string: 'old', new_string: 'new' }),
    );
    expect(statSync(rig.at('run.sh')).mode & 0o7777).toBe(mode);
  });

  it.each([
    ['is', 10 * MB, 'x', 'ok'],
    ['is', 10 * MB + 1, 'x', 'file_too_large'],
    ['would be', 10 * MB, 'xy', 'file_too_large'],
  ])('takes at most 10 MB: a file that %s too large, of %i bytes', async (_, size, newString, end) => {
    const content = Buffer.alloc(size, 'abcdefg\n');
    const { result, bytes } = await replaced(content, 'a', newString);
    expect(result.kind === 'ok' ? 'ok' : failureOf(result).code).toBe(end);
    expect(bytes.length).toBe(size);
  });

  it.each([
    [{ old_string: 'absent' }, 'string_not_found', "String 'absent' not found in file"],
    [{ old_string: 'OLD' }, 'string_not_found', undefined],
    [{ old_string: '\ufffd' }, 'string_not_found', undefined],
    [{ old_string: '\ud800' }, 'invalid_input', undefined],
    [{ old_string: '' }, 'invalid_input', undefined],
    [{ old_string: 1 }, 'invalid_input', undefined],
    [{ new_string: undefined }, 'invalid_input', undefined],
    [{ path: 'missing.txt' }, 'file_not_found', "File 'missing.txt' not found"],
    [{ path: 'f.txt/x' }, 'file_not_found', undefined],
    [{ path: 'sub' }, 'not_a_file', undefined],
    [{ path: 'pipe' }, 'not_a_file', undefined],
    [{ path: 'hard.txt' }, 'not_a_file', undefined],
    [{ path: 'empty.txt' }, 'string_not_found', undefined],
    [{ path: 'binary' }, 'binary_file', undefined],
    [{ path: '../f.txt' }, 'path_outside_root', "Path '../f.txt' is outside working directory"],
    [{ path: '/etc/hosts' }, 'path_outside_root', undefined],
    [{ path: 'C:/f.txt' }, 'path_outside_root', undefined],
    [{ path: 'sub\\f.txt' }, 'invalid_path', undefined],
    [{ path: 'out.txt' }, 'path_outside_root', undefined],
    [{ path: 'in.txt' }, 'path_denied', undefined],
    [{ path: '.env' }, 'path_denied', undefined],
    [{ path: '.Git/config' }, 'path_denied', undefined],
    [{ path: '.zshrc' }, 'path_denied', undefined],
    [{ root: 'other' }, 'unknown_root', undefined],
  ])('fails on %j with %s, and changes nothing', async (args, code, message) => {
    const files = { 'f.txt': 'old \xff', 'empty.txt': '', binary: 'old\0', '.env': 'old', 'one.txt': 'old' };
    const rig = fileRig({ files: { ...files, 'sub/': '', '.git/config': 'old', '.zshrc': 'old' } });
    writeFileSync(`${rig.base}/outside.txt`, 'old');
    symlinkSync('../outside.txt', rig.at('out.txt'));
    symlinkSync('f.txt', rig.at('in.txt'));
    linkSync(rig.at('one.txt'), rig.at('hard.txt'));
    execFileSync('mkfifo', [rig.at('pipe')]);
    const call = { path: 'f.txt', old_string: 'old', new_string: 'new', ...args };
    const failure = failureOf(await rig.call('replace_string_in_file', call));
    expect(failure.code).toBe(code);
    if (message) expect(failure.message).toBe(message);
    for (const [name, content] of Object.entries(files))
      expect(readFileSync(rig.at(name), 'utf8')).toBe(content);
    expect(readFileSync(`${rig.base}/outside.txt`, 'utf8')).toBe('old');
    expect(rig.ports.undo.list()).toEqual([]);
  });

  it('says when the system forbids it, also of a file that may only be read', async () => {
    for (const paths of [/f\.txt$/, /\.tmp$/]) {
      const rig = fileRig({ files: { 'f.txt': 'old' }, disk: refusing('EACCES', paths) });
      const result = await rig.call('replace_string_in_file', {
        path: 'f.txt',
        old_string: 'old',
        new_string: 'new',
      });
      expect(failureOf(result)).toEqual({
        code: 'permission_denied',
        message: "Cannot change file 'f.txt' - permission denied",
      });
      expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('old');
    }
  });

  it('does not undo what somebody else changed meanwhile', async () => {
    const rig = fileRig({
      files: { 'f.txt': 'old' },
      disk: {
        ...nodeDisk,
        read: async (fd, into, at) => {
          const count = await nodeDisk.read(fd, into, at);
          writeFileSync(rig.at('f.txt'), 'theirs');
          return count;
        },
      },
    });
    const result = await rig.call('replace_string_in_file', {
      path: 'f.txt',
      old_string: 'old',
      new_string: 'new',
    });
    expect(failureOf(result)).toEqual({
      code: 'write_failed',
      message: "Cannot change file 'f.txt' - it was changed by something else meanwhile",
    });
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('theirs');
    expect(readdirSync(rig.path)).toEqual(['f.txt']);
  });

  it('changes nothing for a call that was called off', async () => {
    const gone = new AbortController();
    const rig = fileRig({
      files: { 'f.txt': 'old' },
      disk: {
        ...nodeDisk,
        write: async (...args) => {
          gone.abort();
          return nodeDisk.write(...args);
        },
      },
    });
    const call = { path: 'f.txt', old_string: 'old', new_string: 'new' };
    expect(failureOf(await rig.call('replace_string_in_file', call, gone.signal)).code).toBe('cancelled');
    await expect.poll(() => rig.ports.undo.unfinished(), { timeout: SOON_MS }).toEqual([]);
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('old');
    expect(rig.ports.undo.list()).toEqual([]);
  });
});
