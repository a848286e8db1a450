import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureOf, fileRig, outputOf, refusing } from '../workspace/rig.ts';

const MB = 1024 * 1024;
const TEN = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');

const read = async (content: string | Uint8Array, args: object = {}) =>
  outputOf(await fileRig({ files: { 'f.txt': content } }).call('read_file', { path: 'f.txt', ...args }));

describe('read_file', () => {
  it('reads a whole file', async () => {
    expect(await read('one\ntwo\n')).toEqual({
      success: true,
      output: 'Contents of f.txt (lines 1-2):\none\ntwo\n',
      files_affected: [],
      execution_time_ms: expect.any(Number),
      metadata: {
        total_lines: 2,
        lines_returned: 2,
        file_size_bytes: 8,
        start_line: 1,
        encoding: 'utf-8',
        truncated: false,
      },
    });
  });

  it.each([
    [{ start_line: 2, end_line: 3 }, 'lines 2-3', 'line 2\nline 3\n', 2],
    [{ start_line: 19 }, 'lines 19-20', 'line 19\nline 20\n', 2],
    [{ end_line: 1 }, 'lines 1-1', 'line 1\n', 1],
    [{ start_line: 20, end_line: 20 }, 'lines 20-20', 'line 20\n', 1],
    [{ start_line: 20, end_line: 99 }, 'lines 20-20', 'line 20\n', 1],
    [{ start_line: 1, end_line: 20 }, 'lines 1-20', TEN, 20],
    [{ start_line: -1 }, 'lines 20-20', 'line 20\n', 1],
    [{ start_line: -2 }, 'lines 19-20', 'line 19\nline 20\n', 2],
    [{ start_line: -20 }, 'lines 1-20', TEN, 20],
    [{ start_line: -9_999_999 }, 'lines 1-20', TEN, 20],
  ])('reads the lines %j', async (range, said, text, lines) => {
    const { output, metadata } = await read(TEN, range);
    expect(output).toBe(`Contents of f.txt (${said}):\n${text}`);
    expect(metadata).toMatchObject({ total_lines: 20, lines_returned: lines, file_size_bytes: TEN.length });
  });

  it.each([
    [{ start_line: 30, end_line: 40 }, 'Line range invalid - file has 20 lines, requested 30-40'],
    [{ start_line: 21 }, 'Line range invalid - file has 20 lines, requested 21'],
  ])('refuses the lines %j past the end', async (range, message) => {
    const rig = fileRig({ files: { 'f.txt': TEN } });
    expect(failureOf(await rig.call('read_file', { path: 'f.txt', ...range }))).toEqual({
      code: 'invalid_line_range',
      message,
    });
  });

  it.each([
    [{ start_line: 0 }, 'invalid_line_range'],
    [{ start_line: -1, end_line: 20 }, 'invalid_line_range'],
    [{ start_line: -10_000_000 }, 'invalid_line_range'],
    [{ start_line: 1.5 }, 'invalid_line_range'],
    [{ end_line: 0 }, 'invalid_line_range'],
    [{ start_line: 5, end_line: 4 }, 'invalid_line_range'],
    [{ path: '' }, 'invalid_input'],
    [{ path: 7 }, 'invalid_input'],
    [{ path: 'x'.repeat(4_097) }, 'invalid_input'],
    [{ lines: 3 }, 'invalid_input'],
    [{ path: '../f.txt' }, 'path_outside_root'],
    [{ path: '/etc/passwd' }, 'path_outside_root'],
    [{ path: 'C:\\Windows\\win.ini' }, 'path_outside_root'],
    [{ path: 'sub\\..\\..\\f.txt' }, 'path_outside_root'],
    [{ path: 'sub\\f.txt' }, 'invalid_path'],
    [{ path: './f.txt' }, 'invalid_path'],
    [{ path: 'f.txt::$DATA' }, 'invalid_path'],
    [{ path: '.env' }, 'path_denied'],
    [{ path: 'sub/.SSH/config' }, 'path_denied'],
    [{ path: 'link.txt' }, 'path_denied'],
    [{ path: 'away.txt' }, 'path_outside_root'],
    [{ path: 'missing.txt' }, 'file_not_found'],
    [{ path: 'f.txt/x' }, 'file_not_found'],
    [{ path: 'F.TXT/../f.txt' }, 'path_outside_root'],
    [{ path: 'sub' }, 'not_a_file'],
    [{ path: '.' }, 'not_a_file'],
    [{ path: 'pipe' }, 'not_a_file'],
    [{ path: 'hard.txt' }, 'not_a_file'],
    [{ root: 'nowhere' }, 'unknown_root'],
  ])('fails on %j with %s', async (args, code) => {
    const rig = fileRig({ files: { 'f.txt': TEN, '.env': 'KEY=1', 'other.txt': '', 'sub/.ssh/config': '' } });
    symlinkSync('f.txt', rig.at('link.txt'));
    symlinkSync('/etc/passwd', rig.at('away.txt'));
    linkSync(rig.at('other.txt'), rig.at('hard.txt'));
    execFileSync('mkfifo', [rig.at('pipe')]);
    expect(failureOf(await rig.call('read_file', { path: 'f.txt', ...args })).code).toBe(code);
  });

  it('says which file is missing', async () => {
    expect(failureOf(await fileRig().call('read_file', { path: 'missing.txt' })).message).toBe(
      "File 'missing.txt' not found",
    );
    expect(failureOf(await fileRig().call('read_file', {})).code).toBe('invalid_input');
  });

  it('names the path that was probably meant, and none that is closed', async () => {
    const rig = fileRig({ files: { 'src/app.ts': 'x', '.env': 'KEY=1' } });
    const hintFor = async (path: string) => {
      const result = await rig.call('read_file', { path });
      return result.kind === 'failed' ? result.failure.suggestion : '';
    };
    expect(await hintFor('src/ap.ts')).toBe("Did you mean 'src/app.ts'?");
    expect(await hintFor('srcc/app.ts')).toBe("Did you mean 'src'?");
    for (const path of ['.enw', 'quite-another.txt', 'src/app.ts/x']) {
      expect(await hintFor(path)).toContain('Check the file name');
    }
  });

  it('says when the system forbids it', async () => {
    const rig = fileRig({ files: { 'f.txt': 'x' }, disk: refusing('EACCES', /f\.txt$/) });
    expect(failureOf(await rig.call('read_file', { path: 'f.txt' }))).toEqual({
      code: 'permission_denied',
      message: "Cannot open 'f.txt' - permission denied",
    });
  });

  it('takes an empty file, whose first line may be asked for', async () => {
    for (const range of [{}, { start_line: 1 }, { start_line: 1, end_line: 5 }]) {
      const { output, metadata } = await read('', range);
      expect(output).toBe('Contents of f.txt (empty):\n');
      expect(metadata).toMatchObject({
        total_lines: 0,
        lines_returned: 0,
        file_size_bytes: 0,
        start_line: 1,
      });
    }
  });

  it.each([
    ['no final line end', 'a\nb', 'a\nb', 2],
    ['only a line end', '\n', '\n', 1],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nb\r\n', 2],
    ['old Mac line ends', 'a\rb\r', 'a\rb\r', 1],
    ['emoji', '👩‍👩‍👧 ❤️\n😀', '👩‍👩‍👧 ❤️\n😀', 2],
    ['a replacement character of its own', '\ufffd\n', '\ufffd\n', 1],
    ['a byte order mark, which is not shown', '\ufeffa\n', 'a\n', 1],
  ])('shows a file with %s as it is', async (_, content, text, lines) => {
    const { output, metadata } = await read(content);
    expect(output).toBe(`Contents of f.txt (lines 1-${lines}):\n${text}`);
    expect(metadata).toMatchObject({ total_lines: lines, encoding: 'utf-8' });
    expect(metadata).not.toHaveProperty('warning');
  });

  it('warns of what is not UTF-8', async () => {
    const { output, metadata } = await read(Buffer.from('caf\xe9\n', 'latin1'));
    const warning = 'File is not valid UTF-8, showing what is not as \ufffd';
    expect(output).toBe(`Contents of f.txt (lines 1-1):\nWarning: ${warning}\ncaf\ufffd\n`);
    expect(metadata).toMatchObject({ warning, encoding: 'utf-8' });
  });

  it('shows the first KB of a binary file as hex', async () => {
    const bytes = Buffer.alloc(1025, 'A');
    bytes[1] = 0;
    const { output, metadata } = await read(bytes);
    const lines = output.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'Contents of f.txt (as hex):',
      'Warning: File appears to be binary, displaying first 1KB as hex',
      '00000000  41 00 41 41 41 41 41 41 41 41 41 41 41 41 41 41  A.AAAAAAAAAAAAAA',
    ]);
    expect(lines).toHaveLength(2 + 64 + 1);
    expect(metadata).toMatchObject({
      encoding: 'hex',
      truncated: true,
      file_size_bytes: 1025,
      total_lines: 0,
    });
    expect((await read(Buffer.from([0, 1, 2]))).metadata).toMatchObject({ truncated: false });
    expect((await read(Buffer.from('\ufeffhi', 'utf16le'))).metadata).toMatchObject({ encoding: 'hex' });
  });

  it.each([
    [10 * MB - 1, false],
    [10 * MB, false],
    [10 * MB + 1, true],
  ])('reads at most 10 MB: of %i bytes', async (size, truncated) => {
    const { output, metadata } = await read(Buffer.alloc(size, 'abcdefg\n'), { start_line: 2, end_line: 2 });
    expect(metadata).toMatchObject({ file_size_bytes: size, truncated });
    expect(metadata.warning).toBe(
      truncated ? 'File is larger than 10 MB, reading only the first 10 MB' : undefined,
    );
    expect(output.endsWith('\nabcdefg\n')).toBe(true);
    expect(metadata.total_lines).toBe(Math.ceil(Math.min(size, 10 * MB) / 8));
  });

  it('does not cut a character in two at 10 MB', async () => {
    const content = Buffer.concat([Buffer.alloc(10 * MB - 2, 'x\n'), Buffer.from('😀 more')]);
    const last = (10 * MB - 2) / 2;
    const { output, metadata } = await read(content, { start_line: last });
    expect(output.endsWith('):\nWarning: File is larger than 10 MB, reading only the first 10 MB\nx\n')).toBe(
      true,
    );
    expect(metadata.total_lines).toBe(last);
    const rig = fileRig({ files: { 'f.txt': content } });
    expect(failureOf(await rig.call('read_file', { path: 'f.txt', start_line: last + 1 })).message).toContain(
      `file has ${last} lines in its first 10 MB`,
    );
  });

  it('reads from the folder that is named', async () => {
    const rig = fileRig({ files: { 'f.txt': 'x' } });
    mkdirSync(rig.at('sub'));
    expect(outputOf(await rig.call('read_file', { path: 'f.txt', root: 'project' })).output).toContain('x');
  });
});
