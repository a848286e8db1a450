import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { failureOf, fileRig, outputOf, refusing } from '../workspace/rig.ts';

describe('create_directory', () => {
  it('creates a directory, and those above it', async () => {
    const rig = fileRig();
    expect(outputOf(await rig.call('create_directory', { path: 'src/models' }))).toEqual({
      success: true,
      output: 'Created directory: src/models',
      files_affected: ['src/models'],
      execution_time_ms: expect.any(Number),
      metadata: { created_parents: ['src'], already_existed: false, location: rig.at('src/models') },
    });
    expect(readdirSync(rig.path, { recursive: true }).sort()).toEqual(['src', 'src/models']);
  });

  it.each([
    ['a', []],
    ['a/b', ['a']],
    ['a/b/c', ['a', 'a/b']],
    ['ü 😀/[id]', ['ü 😀']],
    [Array.from({ length: 60 }, () => 'd').join('/'), undefined],
  ])('creates %j', async (path, parents) => {
    const rig = fileRig();
    const { metadata } = outputOf(await rig.call('create_directory', { path }));
    expect(existsSync(rig.at(path))).toBe(true);
    if (parents) expect(metadata.created_parents).toEqual(parents);
  });

  it('takes one that is there already', async () => {
    const rig = fileRig({ files: { 'a/b/': '' } });
    for (const path of ['a/b', 'a', '.']) {
      const { output, files_affected, metadata } = outputOf(await rig.call('create_directory', { path }));
      expect(output).toBe(`Directory already exists: ${path}`);
      expect(files_affected).toEqual([]);
      expect(metadata).toMatchObject({ already_existed: true, created_parents: [] });
    }
    expect(rig.ports.undo.list()).toEqual([]);
  });

  it.each([
    [{ path: 'test.txt' }, 'file_exists', "Path 'test.txt' exists as a file, cannot create directory"],
    [{ path: 'test.txt/a/b' }, 'file_exists', "Path 'test.txt' exists as a file, cannot create directory"],
    [{ path: 'dangling' }, 'file_exists', undefined],
    [{ path: '../x' }, 'path_outside_root', "Path '../x' is outside working directory"],
    [{ path: '/x' }, 'path_outside_root', undefined],
    [{ path: '~' }, 'path_outside_root', undefined],
    [{ path: 'a/..' }, 'path_outside_root', undefined],
    [{ path: 'C:\\x' }, 'path_outside_root', undefined],
    [{ path: 'out/x' }, 'path_outside_root', undefined],
    [{ path: 'a\\b' }, 'invalid_path', undefined],
    [{ path: 'a/' }, 'invalid_path', undefined],
    [{ path: 'aux/x' }, 'invalid_path', undefined],
    [{ path: 'x'.repeat(256) }, 'invalid_path', undefined],
    [{ path: '.git/hooks' }, 'path_denied', undefined],
    [{ path: 'sub/.VSCode' }, 'path_denied', undefined],
    [{ path: '' }, 'invalid_input', undefined],
    [{ path: null }, 'invalid_input', undefined],
    [{ path: 'a', parents: true }, 'invalid_input', undefined],
    [{ path: 'a', root: 'other' }, 'unknown_root', undefined],
  ])('fails on %j with %s, and makes nothing', async (args, code, message) => {
    const rig = fileRig({ files: { 'test.txt': '' } });
    mkdirSync(`${rig.base}/outside`);
    symlinkSync('../outside', rig.at('out'));
    symlinkSync('nowhere', rig.at('dangling'));
    const failure = failureOf(await rig.call('create_directory', args));
    expect(failure.code).toBe(code);
    if (message) expect(failure.message).toBe(message);
    expect(readdirSync(rig.path).sort()).toEqual(['dangling', 'out', 'test.txt']);
    expect(readdirSync(`${rig.base}/outside`)).toEqual([]);
  });

  it('says when the system forbids it, and leaves nothing half made', async () => {
    for (const paths of [/a$/, /b$/, /c$/]) {
      const rig = fileRig({ disk: refusing('EACCES', paths, 'makeDirectory') });
      expect(failureOf(await rig.call('create_directory', { path: 'a/b/c' }))).toEqual({
        code: 'permission_denied',
        message: 'Cannot create directory - permission denied',
      });
      expect(readdirSync(rig.path)).toEqual([]);
    }
  });

  it('leaves nothing behind when the disk is full', async () => {
    const full = async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const rig = fileRig({ disk: { ...nodeDisk, sync: full } });
    expect(failureOf(await rig.call('create_directory', { path: 'a/b' }))).toEqual({
      code: 'write_failed',
      message: 'Cannot create directory - the disk is full',
    });
    expect(readdirSync(rig.path)).toEqual([]);
  });
});
