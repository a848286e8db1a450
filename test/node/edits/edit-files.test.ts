import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entriesOfCall, undoCall } from '../../../local-bridge/tools/undo/undo-call.ts';
import { failureOf, fileRig, outputOf, type Rig } from '../workspace/rig.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const edit = (rig: Rig, ...edits: object[]) => rig.call('edit_files', { edits });
const text = (rig: Rig, path: string) => readFileSync(rig.at(path), 'utf8');
const everything = (rig: Rig) =>
  Object.fromEntries(
    readdirSync(rig.path, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => [path, lstatSync(rig.at(path)).isFile() ? text(rig, path) : null]),
  );

describe('edit_files', () => {
  it('makes edits of every kind in their order', async () => {
    const files = { 'a.txt': 'one two\none\n', 'b.txt': 'old', 'c/d.txt': 'gone', 'e.txt': 'x\ny\n' };
    const rig = fileRig({ files });
    chmodSync(rig.at('b.txt'), 0o755);
    const result = outputOf(
      await edit(
        rig,
        { op: 'replace', path: 'a.txt', old: 'one two', text: 'three', sha256: sha(files['a.txt']) },
        { op: 'replace_all', path: 'a.txt', old: 'one', text: 'four' },
        { op: 'append', path: 'a.txt', text: 'five\n' },
        { op: 'insert', path: 'e.txt', line: 2, text: 'between\n' },
        { op: 'insert', path: 'e.txt', line: 4, text: 'last\n' },
        { op: 'move', path: 'b.txt', to: 'new/folder/b.txt' },
        { op: 'create', path: 'b.txt', text: 'another' },
        { op: 'delete', path: 'c/d.txt' },
        { op: 'create', path: 'f.txt', text: '' },
        { op: 'overwrite', path: 'f.txt', text: 'over' },
      ),
    );
    expect(everything(rig)).toEqual({
      'a.txt': 'three\nfour\nfive\n',
      'b.txt': 'another',
      c: null,
      'e.txt': 'x\nbetween\ny\nlast\n',
      'f.txt': 'over',
      new: null,
      'new/folder': null,
      'new/folder/b.txt': 'old',
    });
    expect(statSync(rig.at('new/folder/b.txt')).mode & 0o777).toBe(0o755);
    expect(result.files_affected).toEqual([
      ...['a.txt', 'e.txt', 'b.txt', 'new/folder/b.txt', 'c/d.txt', 'f.txt'],
    ]);
    expect(result.metadata).toMatchObject({ created_parents: ['new', 'new/folder'] });
    expect(result.metadata.changes).toContainEqual({
      path: 'c/d.txt',
      change: 'delete',
      bytes: 0,
      sha256: null,
    });
  });

  it('keeps the line ends of a file', async () => {
    const rig = fileRig({ files: { 'a.txt': 'x\r\ny\r\nx\r\n' } });
    await edit(
      rig,
      { op: 'replace_all', path: 'a.txt', old: 'x\n', text: 'z\nz\n' },
      { op: 'append', path: 'a.txt', text: 'end\n' },
    );
    expect(text(rig, 'a.txt')).toBe('z\r\nz\r\ny\r\nz\r\nz\r\nend\r\n');
  });

  const files = {
    'a.txt': 'one\n',
    'b.txt': 'two two\n',
    'pic.bin': 'a\0b',
    '.env': 'KEY=1',
    '.git/config': '',
  };
  it.each([
    [{ op: 'replace', path: 'b.txt', old: 'none', text: '' }, 'string_not_found'],
    [{ op: 'replace', path: 'b.txt', old: 'two', text: '' }, 'string_not_unique'],
    [{ op: 'replace', path: 'pic.bin', old: 'a', text: '' }, 'binary_file'],
    [{ op: 'create', path: 'b.txt', text: '' }, 'file_exists'],
    [{ op: 'create', path: 'folder', text: '' }, 'not_a_file'],
    [{ op: 'overwrite', path: 'no.txt', text: '' }, 'file_not_found'],
    [{ op: 'move', path: 'b.txt', to: 'a.txt' }, 'file_exists'],
    [{ op: 'move', path: 'b.txt', to: 'a.txt/in' }, 'not_a_directory'],
    [{ op: 'move', path: 'b.txt', to: '../out.txt' }, 'path_outside_root'],
    [{ op: 'move', path: 'b.txt', to: '.git/hooks/pre-commit' }, 'path_denied'],
    [{ op: 'move', path: '.env', to: 'env.txt' }, 'path_denied'],
    [{ op: 'insert', path: 'a.txt', line: 3, text: '' }, 'line_not_found'],
    [{ op: 'delete', path: 'a.txt', sha256: sha('other') }, 'file_changed'],
    [{ op: 'create', path: 'new.txt', text: '', sha256: sha('') }, 'file_changed'],
    [{ op: 'delete', path: 'folder' }, 'not_a_file'],
    [{ op: 'delete', path: 'link' }, 'path_outside_root'],
    [{ op: 'delete', path: 'inside' }, 'path_denied'],
    [{ op: 'delete', path: 'twice' }, 'not_a_file'],
    [{ op: 'delete', path: 'pipe' }, 'not_a_file'],
    [{ op: 'delete', path: '.git/config' }, 'path_denied'],
    [{ op: 'delete', path: '.GIT/config' }, 'path_denied'],
    [{ op: 'create', path: 'out/x', text: '' }, 'path_outside_root'],
    [{ op: 'create', path: '/etc/x', text: '' }, 'path_outside_root'],
    [{ op: 'create', path: '../x', text: '' }, 'path_outside_root'],
    [{ op: 'create', path: './x', text: '' }, 'invalid_path'],
    [{ op: 'create', path: 'a\u001b[2J', text: '' }, 'invalid_path'],
    [{ op: 'create', path: 'a\u202etxt', text: '' }, 'invalid_path'],
    [{ op: 'append', path: 'a.txt', text: 'x'.repeat(1024), old: 'x' }, 'invalid_input'],
    [{ op: 'replace', path: 'a.txt', text: 'x' }, 'invalid_input'],
    [{ op: 'move', path: 'a.txt' }, 'invalid_input'],
  ])('changes nothing if one edit cannot be made: %j', async (bad, code) => {
    const rig = fileRig({ files: { ...files, 'folder/': '' } });
    symlinkSync('/etc/passwd', rig.at('link'));
    symlinkSync('/etc', rig.at('out'));
    symlinkSync('a.txt', rig.at('inside'));
    writeFileSync(`${rig.base}/other`, 'x');
    linkSync(`${rig.base}/other`, rig.at('twice'));
    execFileSync('mkfifo', [rig.at('pipe')]);
    const before = everything(rig);
    const good = { op: 'append', path: 'a.txt', text: 'more\n' };
    const made = { op: 'create', path: 'deep/er/new.txt', text: 'x' };
    if (code !== 'line_not_found' && code !== 'file_changed') {
      expect(failureOf(await edit(rig, made, good, bad)).code).toBe(code);
    }
    expect(failureOf(await edit(rig, made, bad, good)).code).toBe(code);
    expect(everything(rig)).toEqual(before);
    expect(rig.ports.undo.list()).toEqual([]);
    expect(rig.ports.undo.unfinished()).toEqual([]);
  });

  it('changes nothing that the owner saw otherwise', async () => {
    const rig = fileRig({ files });
    const args = {
      edits: [
        { op: 'append', path: 'a.txt', text: 'x' },
        { op: 'create', path: 'new.txt', text: 'y' },
      ],
    };
    const seen = await rig.look('edit_files', args);
    if ('kind' in seen || seen.state === null) throw new Error('no preview');
    writeFileSync(rig.at('new.txt'), '');
    expect(failureOf(await rig.callSeen('edit_files', args, seen.state)).code).toBe('file_exists');
    const other = fileRig({ files });
    const again = await other.look('edit_files', args);
    if ('kind' in again || again.state === null) throw new Error('no preview');
    writeFileSync(other.at('a.txt'), 'one!\n');
    const answer = await other.callSeen('edit_files', args, again.state);
    expect(failureOf(answer).code).toBe('changed_since_approval');
    expect([text(other, 'a.txt'), existsSync(other.at('new.txt'))]).toEqual(['one!\n', false]);
  });

  it('shows one diff of everything', async () => {
    const rig = fileRig({ files });
    const looked = await rig.look('edit_files', {
      edits: [
        { op: 'append', path: 'a.txt', text: 'more\n' },
        { op: 'delete', path: 'b.txt' },
        { op: 'create', path: 'in/new.txt', text: 'hidden \u202e\n' },
      ],
    });
    if ('kind' in looked) throw new Error('no preview');
    expect(looked.diff).toBe(
      '--- a.txt\n+++ a.txt\n@@ -1,1 +1,2 @@\n one\n+more\n' +
        '--- b.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-two two\n' +
        '--- /dev/null\n+++ in/new.txt\n@@ -0,0 +1,1 @@\n+hidden \u202e\n',
    );
    expect(looked.files).toEqual([
      { path: 'in', change: 'create folder' },
      { path: 'a.txt', change: 'change' },
      { path: 'b.txt', change: 'delete' },
      { path: 'in/new.txt', change: 'create' },
    ]);
    const said = looked.facts.map((one) => one.text).join('\n');
    expect(said).toContain('Changes 3 files: all of it or nothing.');
    expect(said).toContain('Deletes b.txt, 8 bytes (1 line). Its content is kept for undoing.');
    expect(said).toContain('invisible characters');
    expect(everything(rig)).toMatchObject({ 'a.txt': 'one\n', 'b.txt': 'two two\n' });
  });

  it('says before that a file is too large to be undone, and touches nothing', async () => {
    const rig = fileRig({ files: { 'big.bin': Buffer.alloc(10 * 1024 * 1024 + 1), 'a.txt': '' } });
    const args = {
      edits: [
        { op: 'append', path: 'a.txt', text: 'x' },
        { op: 'delete', path: 'big.bin' },
      ],
    };
    expect(await rig.look('edit_files', args)).toMatchObject({
      kind: 'failed',
      failure: { code: 'file_too_large', message: expect.stringContaining('could not be undone') },
    });
    expect(failureOf(await rig.call('edit_files', args)).code).toBe('file_too_large');
    expect(text(rig, 'a.txt')).toBe('');
  });
});

describe('undoing a call of edit_files', () => {
  const cause = () => ({ id: `undo_${Math.random()}`, tool: 'undo' });

  it('puts everything back at once, and that can be undone too', async () => {
    const rig = fileRig({ files: { 'a.txt': 'one', 'b.txt': 'two' } });
    const before = everything(rig);
    outputOf(
      await edit(
        rig,
        { op: 'append', path: 'a.txt', text: '!' },
        { op: 'move', path: 'b.txt', to: 'c/d/b.txt' },
      ),
    );
    const after = everything(rig);
    const entries = entriesOfCall('call_1', rig.ports.undo);
    expect(entries).toHaveLength(3);
    expect(await undoCall(entries, cause(), rig.ports)).toMatchObject({ done: true });
    expect(everything(rig)).toEqual(before);
    const [last] = rig.ports.undo.list();
    const back = entriesOfCall(last?.group ?? '', rig.ports.undo);
    expect(await undoCall(back, cause(), rig.ports)).toMatchObject({ done: true });
    expect(everything(rig)).toEqual(after);
  });

  it('does nothing if one file was changed since, unless told to do it anyway', async () => {
    const rig = fileRig({ files: { 'a.txt': 'one', 'b.txt': 'two' } });
    await edit(rig, { op: 'append', path: 'a.txt', text: '!' }, { op: 'append', path: 'b.txt', text: '!' });
    writeFileSync(rig.at('b.txt'), 'mine');
    const entries = entriesOfCall('call_1', rig.ports.undo);
    expect(await undoCall(entries, cause(), rig.ports)).toMatchObject({
      done: false,
      message: expect.stringContaining('b.txt was changed since'),
    });
    expect(text(rig, 'a.txt')).toBe('one!');
    expect(await undoCall(entries, cause(), rig.ports, true)).toMatchObject({ done: true });
    expect([text(rig, 'a.txt'), text(rig, 'b.txt')]).toEqual(['one', 'two']);
  });
});
