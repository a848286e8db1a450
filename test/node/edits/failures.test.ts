import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeFailure } from '../../../local-bridge/tools/handlers/edits-failures.ts';
import { openFilePorts, undoFolder } from '../../../local-bridge/tools/handlers/files-ports.ts';
import { CHANGED } from '../../../local-bridge/tools/workspace/write-file.ts';
import { fileRig } from '../workspace/rig.ts';

const failed = (code: string) => Object.assign(new Error(code), { code });

describe('what a write fails of', () => {
  it.each([
    ['EEXIST', 'file_exists', 'something of that name already exists'],
    ['EPERM', 'permission_denied', 'permission denied'],
    ['ESTALE', 'path_outside_root', 'its folder was replaced meanwhile'],
    ['ENOENT', 'write_failed', 'it was changed by something else meanwhile'],
    [CHANGED, 'write_failed', 'it was changed by something else meanwhile'],
    ['ENOSPC', 'write_failed', 'the disk is full'],
    ['EMFILE', 'write_failed', 'EMFILE'],
  ])('is named: %s', (code, name, why) => {
    expect(writeFailure(failed(code), 'Cannot')).toMatchObject({
      code: name,
      detail: { message: `Cannot - ${why}` },
    });
  });

  it('is thrown on when it is not the system that speaks', () => {
    expect(() => writeFailure(new TypeError('a mistake'), 'Cannot')).toThrow('a mistake');
  });
});

describe('the ports of the file tools', () => {
  it('clear up what a crash left', async () => {
    const rig = fileRig();
    const home = `${rig.base}/home`;
    const crashed = await openFilePorts(rig.workspace, home, { days: 1, bytes: 1_000 });
    const root = { name: rig.root.name, path: rig.path };
    const entry = {
      id: 'c',
      at: 1,
      tool: 't',
      root,
      path: 'f',
      kind: 'file',
      before: null,
      after: null,
    } as const;
    const at = Date.now();
    const temporary = '.bowline-x.tmp';
    await crashed.undo.begin({ ...entry, at, parents: [], temporary, pid: process.pid });
    writeFileSync(rig.at(temporary), 'half');
    const ports = await openFilePorts(rig.workspace, home);
    expect(ports.undo.unfinished()).toEqual([]);
    expect(readdirSync(rig.path)).toEqual([]);
    expect(readdirSync(undoFolder(home))).toEqual([]);
  });
});
