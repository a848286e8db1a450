import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { previewShape } from '../../../contracts/preview.ts';
import { undoOfCall } from '../../../contracts/undo.ts';
import { localCaller } from '../../../local-bridge/cli/ports.ts';
import { filePreviews } from '../../../local-bridge/tools/handlers/files-ports.ts';
import { contentOf } from '../../../local-bridge/tools/undo/journal.ts';
import { refuse } from '../../../local-bridge/tools/workspace/refusal.ts';
import { look } from '../../support/look.ts';
import { prepared } from '../../support/prepared.ts';
import { failureOf, fileRig, outputOf, type Rig } from '../workspace/rig.ts';

const text = (rig: Rig, path: string) => readFileSync(rig.at(path), 'utf8');
const undo = async (rig: Rig, args: object = {}) => rig.call('undo_call', args);
const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' };
const EDITS = [
  { op: 'overwrite', path: 'a.txt', text: 'ONE\n' },
  { op: 'delete', path: 'b.txt' },
  { op: 'move', path: 'c.txt', to: 'new/c.txt' },
];

describe('undo_call', () => {
  it('takes back all files of the last call, with their modes and folders, and can be undone', async () => {
    const rig = fileRig({ files: FILES });
    chmodSync(rig.at('b.txt'), 0o750);
    outputOf(await rig.call('edit_files', { edits: EDITS }));
    const back = outputOf(await undo(rig));
    expect(back.output).toMatch(/^Put back 4 files: /);
    expect(back.metadata).toMatchObject({ call_id: 'call_1', tool: 'edit_files', earlier: [] });
    expect(['a.txt', 'b.txt', 'c.txt'].map((path) => text(rig, path))).toEqual(Object.values(FILES));
    expect(statSync(rig.at('b.txt')).mode & 0o777).toBe(0o750);
    expect(existsSync(rig.at('new'))).toBe(false);
    outputOf(await undo(rig, { call_id: 'call_2' }));
    expect([text(rig, 'a.txt'), existsSync(rig.at('b.txt')), text(rig, 'new/c.txt')]).toEqual([
      'ONE\n',
      false,
      'three\n',
    ]);
  });

  it('goes back step by step through the calls that it names', async () => {
    const rig = fileRig();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      outputOf(await rig.call('create_file', { path: name, content: name }));
    const last = outputOf(await undo(rig));
    expect(last).toMatchObject({ output: 'Put back 1 file: g', files_affected: ['g'] });
    const earlier = ['f', 'e', 'd', 'c', 'b'].map((path, i) => ({
      ...{ call_id: `call_${6 - i}`, tool: 'create_file', path },
    }));
    expect(last.metadata.earlier).toEqual(earlier);
    expect(outputOf(await undo(rig, { call_id: 'call_6' })).files_affected).toEqual(['f']);
    const again = outputOf(await undo(rig, { call_id: 'call_6' }));
    expect(again).toMatchObject({
      output: 'Everything is already as it was before the call',
      files_affected: [],
    });
  });

  it('removes a folder that a call made, while nothing is in it', async () => {
    const rig = fileRig();
    outputOf(await rig.call('create_directory', { path: 'a/b' }));
    writeFileSync(rig.at('a/b/mine'), '');
    expect(outputOf(await undo(rig)).metadata).toMatchObject({
      warning: 'Folders with something in them stayed: a/b',
    });
    rmSync(rig.at('a/b/mine'));
    expect(outputOf(await undo(rig))).toMatchObject({ output: 'Removed the folder a/b' });
    expect(existsSync(rig.at('a'))).toBe(false);
  });

  it('is refused before anybody is asked where a removed file may not be written again', async () => {
    const rig = fileRig({ files: FILES });
    outputOf(await rig.call('edit_files', { edits: EDITS }));
    const workspace: typeof rig.workspace = {
      ...rig.workspace,
      lookAt: (root, path) =>
        path === 'b.txt' ? refuse('path_denied', 'It is closed') : rig.workspace.lookAt(root, path),
    };
    const call = prepared(undoOfCall, {}, { caller: localCaller('cli', 'vitest') });
    const looked = await look(undoOfCall, call, { ...rig.ports, workspace }, filePreviews.undo_call);
    expect(looked).toMatchObject({ failure: { code: 'path_denied' } });
  });

  it.each([
    ['was changed', (rig: Rig) => writeFileSync(rig.at('a.txt'), 'mine')],
    ['was removed', (rig: Rig) => rmSync(rig.at('a.txt'))],
    [
      'became a link out of the folder',
      (rig: Rig) => {
        rmSync(rig.at('a.txt'));
        symlinkSync('/etc/hostname', rig.at('a.txt'));
      },
    ],
    [
      'lies in what became a link out of the folder',
      (rig: Rig) => {
        mkdirSync(`${rig.base}/outside`);
        renameSync(rig.at('new/c.txt'), `${rig.base}/outside/c.txt`);
        rmdirSync(rig.at('new'));
        symlinkSync(`${rig.base}/outside`, rig.at('new'));
      },
    ],
  ])('changes nothing if one of its files %s since', async (_, meanwhile) => {
    const rig = fileRig({ files: FILES });
    outputOf(await rig.call('edit_files', { edits: EDITS }));
    meanwhile(rig);
    expect(await rig.look('undo_call', {})).toMatchObject({ failure: { code: 'file_changed' } });
    expect(failureOf(await undo(rig)).code).toBe('file_changed');
    expect(existsSync(rig.at('b.txt'))).toBe(false);
    expect(existsSync(rig.at('new/c.txt'))).toBe(true);
  });

  it('does only what the owner saw', async () => {
    const rig = fileRig({ files: FILES });
    outputOf(await rig.call('edit_files', { edits: EDITS }));
    const seen = await rig.look('undo_call', {});
    if ('kind' in seen) throw new Error(JSON.stringify(seen));
    expect(seen).toMatchObject({
      facts: expect.arrayContaining([
        { text: 'Undoes the call call_1 of edit_files.', unusual: false },
        { text: 'Puts 4 files back as before that call: all of it or nothing.', unusual: false },
      ]),
      diff: expect.stringContaining('-ONE\n+one\n'),
    });
    // Another call of theirs is the last one now.
    outputOf(await rig.call('create_file', { path: 'other.txt', content: '' }));
    expect(failureOf(await rig.callSeen('undo_call', {}, seen.state ?? '')).code).toBe(
      'changed_since_approval',
    );
    outputOf(await rig.callSeen('undo_call', { call_id: 'call_1' }, seen.state ?? ''));
    expect([text(rig, 'a.txt'), existsSync(rig.at('other.txt'))]).toEqual(['one\n', true]);
  });

  it("finds no call of another, and shows nothing of it; the owner's own calls find all", async () => {
    const rig = fileRig({ files: FILES });
    const args = { path: 'a.txt', old_string: 'one', new_string: 'two' };
    outputOf(await rig.callAs('app:ada', 'replace_string_in_file', args));
    for (const asked of [{}, { call_id: 'call_1' }]) {
      expect(failureOf(await undo(rig, asked)).code).toBe('nothing_to_undo');
      expect(await rig.look('undo_call', asked)).toMatchObject({ failure: { code: 'nothing_to_undo' } });
    }
    expect(text(rig, 'a.txt')).toBe('two\n');
    // Without an id, the owner's last call is meant as well, and not that of somebody else.
    expect(failureOf(await rig.callAs('owner', 'undo_call', {})).code).toBe('nothing_to_undo');
    expect(text(rig, 'a.txt')).toBe('two\n');
    outputOf(await rig.callAs('owner', 'undo_call', { call_id: 'call_1' }));
    expect(text(rig, 'a.txt')).toBe('one\n');
    // Nor may one take back that the owner took it back.
    expect(failureOf(await rig.callAs('app:ada', 'undo_call', { call_id: 'call_5' })).code).toBe(
      'nothing_to_undo',
    );
  });

  it('says which content is not kept any more', async () => {
    const rig = fileRig({ files: { 'a.txt': 'x'.repeat(11) }, limits: { days: 1, bytes: 10 } });
    outputOf(await rig.call('edit_files', { edits: [{ op: 'overwrite', path: 'a.txt', text: 'y' }] }));
    expect(failureOf(await undo(rig))).toEqual({
      code: 'not_kept',
      message: 'The earlier content of a.txt is no longer kept',
    });
  });

  it.each([
    [200, 200],
    [201, undefined],
  ])('of %i files lists %s, because rules must not overlook one', async (count, listed) => {
    const rig = fileRig();
    const entryOf = (path: string, i: number) => ({
      ...{ id: `call_9-${i}`, group: 'call_9', at: Date.now(), tool: 'run_in_terminal', principal: 'local' },
      ...{ root: { name: rig.root.name, path: rig.path }, path, kind: 'file' as const, before: null },
      ...{ after: contentOf(Buffer.from(path), 0o644), parents: [], temporary: null, pid: 1 },
    });
    const paths = Array.from({ length: count }, (_, i) => `f${i}`);
    for (const path of paths) writeFileSync(rig.at(path), path);
    await rig.ports.undo.addMade(paths.map((path, i) => ({ entry: entryOf(path, i), before: undefined })));
    const seen = await rig.look('undo_call', {});
    if ('kind' in seen) throw new Error(JSON.stringify(seen));
    expect(seen.files?.length).toBe(listed);
    expect(previewShape.safeParse(seen).success).toBe(true);
  });
});
