import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../local-bridge/tools/workspace/refusal.ts';
import { fileRig, type Rig, WAYS } from './rig.ts';

const seed = Number(process.env.FC_SEED ?? 20_260_109);
const NAMES = ['a', 'b', 'c.txt', 'l', 'm', 'H', 'é', '.env', '.git'];

/** Directories three deep, each with files, links up, out, sideways and to nowhere, and a hard link. */
function grow(rig: Rig, path: string, depth: number): void {
  const at = (name: string) => `${path}/${name}`;
  for (const name of ['c.txt', 'é', '.env']) writeFileSync(at(name), `inside ${path}`);
  linkSync(`${rig.base}/secret`, at('H'));
  symlinkSync(['..', `${rig.base}`, '../../..', '/', 'nowhere'][depth] ?? '.', at('l'));
  symlinkSync(['c.txt', '../a', `${rig.base}/secret`, rig.path][depth] ?? 'b', at('m'));
  if (depth === 3) return;
  for (const name of ['a', 'b', '.git']) {
    mkdirSync(at(name));
    grow(rig, at(name), depth + 1);
  }
}

const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
  fc.constantFrom('..', '.', '', 'A', 'C.TXT', 'project', 'new', 'e\u0301', '\0', 'secret'),
);
const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join('/'));

describe.each(WAYS)('a tree full of links, held %s', (_, hold) => {
  it('opens what a path names, and only if it is inside and goes through no link', () => {
    const rig = fileRig({ hold });
    writeFileSync(`${rig.base}/secret`, 'secret');
    grow(rig, rig.path, 0);
    let opened = 0;
    fc.assert(
      fc.property(path, fc.constantFrom('read', 'write'), (given, to) => {
        const file = rig.workspace.file(rig.root, given, to);
        if (!isRefusal(file)) {
          opened++;
          file.close();
          const real = realpathSync(rig.at(given));
          expect(real).toBe(rig.at(given));
          const there = lstatSync(real, { bigint: true });
          expect([there.isFile(), there.nlink, there.ino]).toEqual([true, 1n, file.stats.ino]);
          expect(given).not.toMatch(/\.env/);
        }
        const folder = rig.workspace.folder(rig.root, given);
        if (!isRefusal(folder)) {
          opened++;
          const listed = folder.use((here) => readdirSync(here));
          folder.close();
          expect(realpathSync(rig.at(given))).toBe(given === '.' ? rig.path : rig.at(given));
          expect(listed).toEqual(readdirSync(rig.at(given)));
        }
        const place = rig.workspace.place(rig.root, given, 'exist');
        if (!isRefusal(place)) {
          const directory = place.directory.use((here) => realpathSync(here));
          place.close();
          expect(`${directory}/${place.name}`).toBe(rig.at(given));
        }
      }),
      { seed, numRuns: 3_000 },
    );
    expect(opened).toBeGreaterThan(300);
  });
});
