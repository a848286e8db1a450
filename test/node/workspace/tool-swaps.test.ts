import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { watchHandlers } from '../../../local-bridge/tools/handlers/watch.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { everyone, WatchedDoor } from '../../support/tools.ts';
import { fileRig, outputOf, type Rig, WAYS } from './rig.ts';
import { whileSwapping } from './swapper.ts';

const TRIES = AT_LENGTH ? 1_000 : 120;

/** A folder `d`, and a link to a folder outside with files of other contents that takes its place. */
function swappedRig(hold: (typeof WAYS)[number][1]): Rig {
  const rig = fileRig({ files: { 'd/note.txt': 'ours', 'keep.txt': 'kept' }, hold });
  mkdirSync(`${rig.base}/outside`);
  writeFileSync(`${rig.base}/outside/note.txt`, 'secret');
  writeFileSync(`${rig.base}/outside/only.txt`, 'secret');
  symlinkSync(`${rig.base}/outside`, rig.at('link'));
  return rig;
}

const outsideOf = (rig: Rig) =>
  readdirSync(`${rig.base}/outside`)
    .sort()
    .map((name) => [name, readFileSync(`${rig.base}/outside/${name}`, 'utf8')]);

describe.each(WAYS)('while a folder is swapped for a link to another, held %s', (_, hold) => {
  it('read_files tells nothing of the other', async () => {
    const rig = swappedRig(hold);
    await whileSwapping(rig, async () => {
      for (let i = 0; i < TRIES; i++) {
        const files = [{ path: 'd/note.txt' }, { path: 'd/only.txt' }, { path: 'keep.txt' }];
        const { output } = outputOf(await rig.call('read_files', { files }));
        expect(output).not.toContain('secret');
        expect(output).toContain('kept');
      }
    });
  });

  it('edit_files and undo_call change nothing in the other, and do all of a call or nothing, or say so', async () => {
    const rig = swappedRig(hold);
    const before = outsideOf(rig);
    const codes = new Set<string>();
    await whileSwapping(rig, async () => {
      for (let i = 0; i < TRIES || (codes.size < 2 && i < TRIES * 10); i++) {
        const edits = [
          { op: 'create', path: `new${i}.txt`, text: 'x' },
          { op: 'create', path: `d/new${i}.txt`, text: 'x' },
          ...(i % 3 === 0 ? [{ op: 'overwrite', path: 'd/note.txt', text: 'ours' }] : []),
          ...(i % 3 === 1 ? [{ op: 'move', path: 'keep.txt', to: 'd/kept.txt' }] : []),
          ...(i % 3 === 2 ? [{ op: 'delete', path: 'd/only.txt' }] : []),
        ];
        const result = await rig.call('edit_files', { edits });
        codes.add(result.kind === 'failed' ? result.failure.code : result.kind);
        const said = result.kind === 'failed' ? result.failure.message : '';
        if (result.kind !== 'failed') await rig.call('undo_call', {});
        // Where the folder is away at that very moment, the answer says what is left for the next start.
        else if (!said.includes('could not be taken back yet'))
          expect([said, existsSync(rig.at(`new${i}.txt`))]).toEqual([said, false]);
        writeFileSync(rig.at('keep.txt'), 'kept');
      }
    });
    expect(outsideOf(rig)).toEqual(before);
    expect(codes.size).toBeGreaterThan(1);
  });

  it('watch never sees what is in the other', async () => {
    const rig = swappedRig(hold);
    const status = () =>
      ({ on: true, sandboxed: false, confinement: 'x', shell: '/bin/sh', network: null }) as const;
    const { workspace } = rig;
    const ports = { workspace, disk: nodeDisk, terminal: { status } };
    const tool = toolSet({ watch: catalogue.watch }, watchHandlers, new WatchedDoor(), ports).get('watch');
    await whileSwapping(rig, async () => {
      const watching = Array.from({ length: 5 }, () =>
        tool?.call({ path: 'd/only.txt', until: 'exists', timeout_seconds: 2 }, everyone),
      );
      for (const result of await Promise.all(watching))
        if (result?.kind === 'ok') expect(result.output).toMatchObject({ metadata: { happened: false } });
    });
  });
});
