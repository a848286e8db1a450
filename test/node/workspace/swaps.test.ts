import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { readWhole } from '../../../local-bridge/tools/workspace/read-content.ts';
import { isRefusal } from '../../../local-bridge/tools/workspace/refusal.ts';
import { writeNew } from '../../../local-bridge/tools/workspace/write-file.ts';
import { fileRig, type Rig, WAYS } from './rig.ts';
import { whileSwapping } from './swapper.ts';

/** A folder `d` with a file of the same name as one outside, and the link that will take its place. */
function swappedRig(hold: (typeof WAYS)[number][1]): Rig {
  const rig = fileRig({ files: { 'd/sub/note.txt': 'ours', 'd/note.txt': 'ours' }, hold });
  mkdirSync(`${rig.base}/outside/sub`, { recursive: true });
  writeFileSync(`${rig.base}/outside/note.txt`, 'secret');
  writeFileSync(`${rig.base}/outside/sub/note.txt`, 'secret');
  symlinkSync(`${rig.base}/outside`, rig.at('link'));
  return rig;
}

const TRIES = 1_500;

describe.each(WAYS)('while a folder is swapped for a link to another, held %s', (_, hold) => {
  it('reads only what is inside', async () => {
    const rig = swappedRig(hold);
    const seen = new Map<string, number>();
    await whileSwapping(rig, async () => {
      for (let i = 0; i < TRIES || (seen.size < 2 && i < TRIES * 10); i++) {
        const file = rig.workspace.file(rig.root, i % 2 ? 'd/note.txt' : 'd/sub/note.txt', 'read');
        const what = isRefusal(file) ? 'refused' : (await readWhole(file, nodeDisk)).toString();
        if (!isRefusal(file)) file.close();
        seen.set(what, (seen.get(what) ?? 0) + 1);
      }
    });
    expect([...seen.keys()].sort()).toEqual(['ours', 'refused']);
  });

  it('writes, makes folders and lists only inside', async () => {
    const rig = swappedRig(hold);
    const seen = new Set<string>();
    await whileSwapping(rig, async () => {
      for (let i = 0; i < TRIES || (seen.size < 2 && i < TRIES * 10); i++) {
        try {
          const place = rig.workspace.place(rig.root, `d/made${i % 5}/new${i}.txt`, 'create');
          if (isRefusal(place)) {
            seen.add('refused');
            continue;
          }
          const writing = { bytes: Buffer.from('x'), temporary: `.bowline-${i}.tmp` };
          // Syncing each to disk would only slow the race down.
          await writeNew(place, writing, { ...nodeDisk, sync: async () => undefined }).finally(place.close);
          seen.add('written');
        } catch (error) {
          // The other process renamed something between two steps: nothing was written then.
          if (!/ENOENT|ESTALE|EEXIST|ENOTDIR/.test(String(error))) throw error;
          seen.add('refused');
        }
        const folder = rig.workspace.folder(rig.root, 'd/sub');
        if (!isRefusal(folder)) folder.close();
      }
    });
    expect([...seen].sort()).toEqual(['refused', 'written']);
    expect(readdirSync(`${rig.base}/outside`).sort()).toEqual(['note.txt', 'sub']);
    expect(readdirSync(`${rig.base}/outside/sub`)).toEqual(['note.txt']);
  });
});
