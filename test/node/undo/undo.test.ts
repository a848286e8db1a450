import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openUndoJournal } from '../../../local-bridge/tools/undo/journal.ts';
import { undoChange } from '../../../local-bridge/tools/undo/restore.ts';
import { runBowline } from '../../support/command.ts';
import { fileRig, outputOf, type Rig } from '../workspace/rig.ts';

const entryAt = (rig: Rig, i: number) => {
  const entry = rig.ports.undo.list().at(i);
  if (!entry) throw new Error(`No entry ${i}`);
  return entry;
};
let undone = 0;
const undo = (rig: Rig, i = 0, anyway = false) =>
  undoChange(entryAt(rig, i), rig.root, { id: `undo_${++undone}`, tool: 'undo' }, rig.ports, anyway);
const replace = async (rig: Rig, old_string: string, new_string: string) =>
  outputOf(await rig.call('replace_string_in_file', { path: 'f.txt', old_string, new_string }));

describe('undoing', () => {
  it('puts a changed file back whole, and its mode, and can be undone itself', async () => {
    const content = Buffer.from('\ufeffold\r\nline \xff', 'latin1');
    const rig = fileRig({ files: { 'f.txt': content } });
    chmodSync(rig.at('f.txt'), 0o750);
    await replace(rig, 'old', 'new');
    chmodSync(rig.at('f.txt'), 0o600);
    expect(await undo(rig)).toMatchObject({
      done: true,
      message: `Put back f.txt (${content.length} bytes)`,
    });
    expect(readFileSync(rig.at('f.txt'))).toEqual(content);
    expect(statSync(rig.at('f.txt')).mode & 0o777).toBe(0o750);
    expect(await undo(rig, 0)).toMatchObject({ done: true });
    expect(readFileSync(rig.at('f.txt')).includes('new')).toBe(true);
  });

  it('removes a file that was created, with its folders, and brings it back', async () => {
    const rig = fileRig({ files: { 'a/': '' } });
    outputOf(await rig.call('create_file', { path: 'a/b/c/f.txt', content: 'made' }));
    expect(await undo(rig)).toMatchObject({
      done: true,
      message: 'Removed a/b/c/f.txt, which the call had created',
    });
    expect(readdirSync(rig.path, { recursive: true })).toEqual(['a']);
    expect(await undo(rig)).toMatchObject({ done: true, message: 'Put back a/b/c/f.txt (4 bytes)' });
    expect(readFileSync(rig.at('a/b/c/f.txt'), 'utf8')).toBe('made');
  });

  it('keeps folders that something else is in', async () => {
    const rig = fileRig();
    outputOf(await rig.call('create_file', { path: 'a/b/f.txt', content: '' }));
    writeFileSync(rig.at('a/mine.txt'), '');
    expect(await undo(rig)).toMatchObject({ done: true });
    expect(readdirSync(rig.path, { recursive: true }).sort()).toEqual(['a', 'a/mine.txt']);
  });

  it('says what changed since, and does nothing unless told to do it anyway', async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    await replace(rig, 'old', 'new');
    writeFileSync(rig.at('f.txt'), 'mine');
    expect(await undo(rig)).toMatchObject({
      done: false,
      message: 'f.txt was changed since, and has 4 bytes now; nothing was done',
    });
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('mine');
    expect(await undo(rig, 0, true)).toMatchObject({ done: true });
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('old');
    expect(await undo(rig, 0)).toMatchObject({ done: true });
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('mine');
  });

  it('names the later calls that changed the same file', async () => {
    const rig = fileRig({ files: { 'f.txt': 'one' } });
    await replace(rig, 'one', 'two');
    await replace(rig, 'two', 'three');
    const first = entryAt(rig, -1);
    const cause = { id: 'undo_x', tool: 'undo' };
    const refused = await undoChange(first, rig.root, cause, rig.ports);
    expect(refused.message).toContain('(later calls: call_2)');
    expect(await undo(rig, 0)).toMatchObject({ done: true });
    expect(await undoChange(first, rig.root, cause, rig.ports)).toMatchObject({ done: true });
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('one');
    expect(await undoChange(first, rig.root, cause, rig.ports)).toMatchObject({
      done: true,
      message: 'f.txt is already as it was before the call',
    });
  });

  it('says that a file was removed, or is no file any more', async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    await replace(rig, 'old', 'new');
    rmSync(rig.at('f.txt'));
    expect((await undo(rig)).message).toBe('f.txt was removed since; nothing was done');
    symlinkSync('/etc/passwd', rig.at('f.txt'));
    expect(await undo(rig, 0, true)).toMatchObject({ done: false });
    expect((await undo(rig)).message).toContain('is no longer a plain file');
    rmSync(rig.at('f.txt'));
    expect(await undo(rig, 0, true)).toMatchObject({ done: true });
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('old');
  });

  it('removes directories that are still empty', async () => {
    const rig = fileRig();
    outputOf(await rig.call('create_directory', { path: 'a/b' }));
    writeFileSync(rig.at('a/b/mine'), '');
    expect(await undo(rig)).toMatchObject({ done: false });
    expect(existsSync(rig.at('a/b/mine'))).toBe(true);
    rmSync(rig.at('a/b/mine'));
    expect(await undo(rig)).toMatchObject({ done: true });
    expect(readdirSync(rig.path)).toEqual([]);
  });
});

describe('the journal', () => {
  it("is the owner's alone", async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    await replace(rig, 'old', 'new');
    const folder = `${rig.base}/home/undo`;
    expect(statSync(`${rig.base}/home`).mode & 0o777).toBe(0o700);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual(['call_1.before', 'call_1.json']);
    for (const name of readdirSync(folder)) expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600);
  });

  it('forgets what is too old, and the oldest of what is too much', async () => {
    const limits = { days: 2, bytes: 10 };
    const rig = fileRig({ files: { 'f.txt': '12345' }, limits });
    await replace(rig, '1', 'a');
    await replace(rig, '2', 'b');
    expect(rig.ports.undo.list()).toHaveLength(2);
    await replace(rig, '3', 'c');
    expect(rig.ports.undo.list().map(({ id }) => id)).toEqual(['call_3', 'call_2']);
    expect(readdirSync(`${rig.base}/home/undo`)).toHaveLength(4);
    const at = entryAt(rig, 1).at;
    const later = (ms: number) =>
      openUndoJournal(`${rig.base}/home/undo`, { limits, now: () => at + 2 * 86_400_000 + ms });
    expect(later(0).list()).toHaveLength(2);
    expect(later(100_000).list()).toHaveLength(0);
    expect(readdirSync(`${rig.base}/home/undo`)).toEqual([]);
  });

  it('forgets the oldest of too many changes, also of those without earlier content', async () => {
    const rig = fileRig({ limits: { days: 2, bytes: 10, changes: 2 } });
    const folder = `${rig.base}/home/undo`;
    const now = () => Date.now() + 100_000;
    const left = () =>
      openUndoJournal(folder, { limits: { days: 2, bytes: 10, changes: 2 }, now }).list().length;
    for (const name of ['a', 'b']) outputOf(await rig.call('create_file', { path: name, content: '' }));
    expect(left()).toBe(2);
    outputOf(await rig.call('create_file', { path: 'c', content: '' }));
    expect(left()).toBe(2);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('forgets all of a call or nothing, because undo takes back all of it or nothing', async () => {
    const rig = fileRig({ files: { 'f.txt': '12345', 'g.txt': '12345' } });
    const edits = ['f.txt', 'g.txt'].map((path) => ({ op: 'overwrite', path, text: 'new' }));
    outputOf(await rig.call('edit_files', { edits }));
    outputOf(await rig.call('create_file', { path: 'c', content: '' }));
    const undo = openUndoJournal(`${rig.base}/home/undo`, { limits: { days: 2, bytes: 9 } });
    expect(undo.list().map(({ path }) => path)).toEqual(['c']);
  });

  it('keeps no content that alone is too much, and says so', async () => {
    const rig = fileRig({ files: { 'f.txt': '12345678901' }, limits: { days: 1, bytes: 10 } });
    await replace(rig, '1', 'a');
    expect(await undo(rig)).toMatchObject({
      done: false,
      message: 'The earlier content of f.txt is no longer kept',
    });
  });

  it('believes no content that is not what it was, and no entry that is damaged', async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    await replace(rig, 'old', 'new');
    writeFileSync(`${rig.base}/home/undo/call_1.before`, 'evil');
    expect(await undo(rig)).toMatchObject({ done: false });
    writeFileSync(`${rig.base}/home/undo/call_1.json`, '{"id":');
    writeFileSync(`${rig.base}/home/undo/call_9.json`, '{"id":"call_9"}');
    expect(rig.ports.undo.list()).toEqual([]);
  });

  it('gives a call that comes again an entry of its own, and takes no path for a name', async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    await replace(rig, 'old', 'new');
    const id = rig.ports.undo.newId('call_1');
    expect(id).toMatch(/^call_1-[0-9a-f]{8}$/);
    const entry = { ...entryAt(rig, 0), id: '../../evil' };
    await rig.ports.undo.begin(entry);
    rig.ports.undo.finish(entry.id);
    expect(rig.ports.undo.list().map((one) => one.id)).toContain('../../evil');
    expect(readdirSync(rig.base).sort()).toEqual(['home', 'project']);
  });
});

describe('bowline undo', () => {
  const run = (rig: Rig, args: string[], key = 'bwl_owner_test') =>
    runBowline(['undo', ...args], { env: { BOWLINE_HOME: `${rig.base}/home`, BOWLINE_OWNER_KEY: key } });

  it('lists changes and puts one back, for the owner alone', async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    expect((await run(rig, ['list'])).stdout).toBe('Nothing to undo.\n');
    await replace(rig, 'old', 'new');
    expect((await run(rig, ['list'])).stdout).toMatch(
      /^call_1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}replace_string_in_file {2}changed f\.txt in \//,
    );
    expect(JSON.parse((await run(rig, ['list', '--json'])).stdout)).toMatchObject([
      { id: 'call_1', path: 'f.txt' },
    ]);
    expect(await run(rig, ['call_1'], '')).toMatchObject({ code: 3 });
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('new');
    writeFileSync(rig.at('f.txt'), 'mine');
    const refused = await run(rig, ['call_1']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('f.txt was changed since');
    const back = await run(rig, ['call_1', '--anyway']);
    expect(back).toMatchObject({ code: 0, stderr: '' });
    expect(back.stdout).toContain('Put back f.txt (3 bytes)');
    expect(readFileSync(rig.at('f.txt'), 'utf8')).toBe('old');
    expect(JSON.parse((await run(rig, ['call_1', '--json'])).stdout)).toMatchObject({
      call: 'call_1',
      done: true,
    });
    expect(await run(rig, ['call_77'])).toMatchObject({ code: 1 });
  });

  it('says as JSON, too, that nothing was done', async () => {
    const rig = fileRig();
    mkdirSync(rig.at('a'));
    outputOf(await rig.call('create_file', { path: 'a/f.txt', content: 'x' }));
    writeFileSync(rig.at('a/f.txt'), 'mine');
    const { code, stdout } = await run(rig, ['call_1', '--json']);
    expect([code, JSON.parse(stdout).done]).toEqual([1, false]);
  });
});
