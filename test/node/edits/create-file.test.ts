import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureOf, fileRig, outputOf, refusing } from '../workspace/rig.ts';

const MB = 1024 * 1024;

describe('create_file', () => {
  it('creates a file', async () => {
    const rig = fileRig();
    const content = 'x'.repeat(125);
    expect(outputOf(await rig.call('create_file', { path: 'hello.py', content }))).toEqual({
      success: true,
      output: 'Created file: hello.py (125 bytes)',
      files_affected: ['hello.py'],
      execution_time_ms: expect.any(Number),
      metadata: { bytes_written: 125, created_parents: [], location: rig.at('hello.py') },
    });
    expect(readFileSync(rig.at('hello.py'), 'utf8')).toBe(content);
    expect(readdirSync(rig.path)).toEqual(['hello.py']);
    expect(lstatSync(rig.at('hello.py')).nlink).toBe(1);
    expect(statSync(rig.at('hello.py')).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('creates the folders above it', async () => {
    const rig = fileRig({ files: { 'a/': '' } });
    const { metadata } = outputOf(await rig.call('create_file', { path: 'a/b/c/d.txt', content: '' }));
    expect(metadata).toMatchObject({ created_parents: ['a/b', 'a/b/c'], bytes_written: 0 });
    expect(readFileSync(rig.at('a/b/c/d.txt'), 'utf8')).toBe('');
  });

  it.each([
    ['nothing', ''],
    ['one byte', 'x'],
    ['no final line end', 'a\nb'],
    ['CRLF', 'a\r\nb\r\n'],
    ['a byte order mark', '\ufeffa'],
    ['emoji', '👩‍👩‍👧 ❤️ 😀'],
    ['a NUL', 'a\0b'],
  ])('writes content with %s exactly', async (_, content) => {
    const rig = fileRig();
    const { output, metadata } = outputOf(await rig.call('create_file', { path: 'ü 😀.txt', content }));
    expect(readFileSync(rig.at('ü 😀.txt'))).toEqual(Buffer.from(content));
    const bytes = Buffer.byteLength(content);
    expect(metadata.bytes_written).toBe(bytes);
    expect(output).toBe(`Created file: ü 😀.txt (${bytes} ${bytes === 1 ? 'byte' : 'bytes'})`);
  });

  it.each([
    [10 * MB, 'ok'],
    [10 * MB + 1, 'file_too_large'],
  ])('takes at most 10 MB: %i bytes', async (size, end) => {
    const rig = fileRig();
    const result = await rig.call('create_file', { path: 'big.txt', content: 'x'.repeat(size) });
    expect(result.kind === 'ok' ? 'ok' : failureOf(result).code).toBe(end);
    expect(existsSync(rig.at('big.txt'))).toBe(end === 'ok');
  });

  it.each([
    [
      { path: 'there.txt' },
      'file_exists',
      "File 'there.txt' already exists. Use replace_string_in_file to modify",
    ],
    [{ path: 'sub' }, 'file_exists', undefined],
    [{ path: 'dangling' }, 'file_exists', undefined],
    [{ path: 'pipe' }, 'file_exists', undefined],
    [{ path: '../x' }, 'path_outside_root', "Path '../x' is outside working directory"],
    [{ path: '../etc/passwd' }, 'path_outside_root', "Path '../etc/passwd' is outside working directory"],
    [{ path: '/tmp/x' }, 'path_outside_root', undefined],
    [{ path: '~/x' }, 'path_outside_root', undefined],
    [{ path: 'D:\\x' }, 'path_outside_root', undefined],
    [{ path: '..\\x' }, 'path_outside_root', undefined],
    [{ path: 'out/x' }, 'path_outside_root', undefined],
    [{ path: 'in/x' }, 'path_denied', undefined],
    [{ path: 'a\\b' }, 'invalid_path', undefined],
    [{ path: 'x.' }, 'invalid_path', undefined],
    [{ path: 'COM1.txt' }, 'invalid_path', undefined],
    [{ path: 'x.txt:stream' }, 'invalid_path', undefined],
    [{ path: '.git/hooks/pre-commit' }, 'path_denied', undefined],
    [{ path: '.GIT/config' }, 'path_denied', undefined],
    [{ path: 'sub/.Env' }, 'path_denied', undefined],
    [{ path: '.vscode/tasks.json' }, 'path_denied', undefined],
    [{ path: '.bashrc' }, 'path_denied', undefined],
    [{ path: '.' }, 'path_denied', undefined],
    [{ path: 'there.txt/x' }, 'not_a_directory', "Path 'there.txt' is not a directory"],
    [{ path: '' }, 'invalid_input', undefined],
    [{ path: 1 }, 'invalid_input', undefined],
    [{ content: undefined }, 'invalid_input', undefined],
    [{ content: 7 }, 'invalid_input', undefined],
    [{ mode: 0o777 }, 'invalid_input', undefined],
    [{ root: 'other' }, 'unknown_root', undefined],
  ])('fails on %j with %s, and changes nothing', async (args, code, message) => {
    const rig = fileRig({ files: { 'there.txt': 'old', 'sub/': '' } });
    mkdirSync(`${rig.base}/outside`);
    symlinkSync('../outside', rig.at('out'));
    symlinkSync('sub', rig.at('in'));
    symlinkSync('nowhere', rig.at('dangling'));
    execFileSync('mkfifo', [rig.at('pipe')]);
    const before = readdirSync(rig.path, { recursive: true });
    const failure = failureOf(await rig.call('create_file', { path: 'new.txt', content: 'new', ...args }));
    expect(failure.code).toBe(code);
    if (message) expect(failure.message).toBe(message);
    expect(readdirSync(rig.path, { recursive: true })).toEqual(before);
    expect(readFileSync(rig.at('there.txt'), 'utf8')).toBe('old');
    expect(readdirSync(`${rig.base}/outside`)).toEqual([]);
    expect(rig.ports.undo.list()).toEqual([]);
  });

  it('says when the system forbids it', async () => {
    for (const [disk, path] of [
      [refusing('EACCES', /\.tmp$/), 'new.txt'],
      [refusing('EACCES', /a$/, 'makeDirectory'), 'a/new.txt'],
    ] as const) {
      const rig = fileRig({ disk });
      expect(failureOf(await rig.call('create_file', { path, content: '' }))).toEqual({
        code: 'permission_denied',
        message: `Cannot create file '${path}' - permission denied`,
      });
      expect(readdirSync(rig.path)).toEqual([]);
      expect(rig.ports.undo.unfinished()).toEqual([]);
    }
  });

  it('does without links where the disk has none', async () => {
    const rig = fileRig({ disk: refusing('ENOTSUP', /\.tmp$/, 'link') });
    outputOf(await rig.call('create_file', { path: 'a.txt', content: 'a' }));
    expect(readdirSync(rig.path)).toEqual(['a.txt']);
    expect(readFileSync(rig.at('a.txt'), 'utf8')).toBe('a');
    expect(failureOf(await rig.call('create_file', { path: 'a.txt', content: 'b' })).code).toBe(
      'file_exists',
    );
  });

  it('lets one of several calls at once create a file', async () => {
    const rig = fileRig();
    const results = await Promise.all(
      ['1', '2', '3', '4'].map((content) => rig.call('create_file', { path: 'a.txt', content })),
    );
    const made = results.findIndex(({ kind }) => kind === 'ok');
    expect(results.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    expect(readFileSync(rig.at('a.txt'), 'utf8')).toBe(String(made + 1));
    expect(readdirSync(rig.path)).toEqual(['a.txt']);
    expect(rig.ports.undo.list()).toHaveLength(1);
  });
});
