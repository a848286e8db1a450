import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isFresh, readBuilt, stamp } from '../../../local-bridge/local/up/runtime/build-note.ts';

const folder = mkdtempSync(join(tmpdir(), 'bowline-built-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const template = { vars: {}, gateway: { bindings: [] }, disks: [], stores: [], extensions: [] };

describe('a built Worker', () => {
  const source = join(folder, 'source.ts');
  const changes: [string, () => void][] = [
    ['is longer', () => writeFileSync(source, 'one more')],
    ['was written again', () => utimesSync(source, 1_000, 1_001)],
    ['is gone', () => rmSync(source)],
  ];

  it.each(changes)('is built again once a source %s', (_, change) => {
    writeFileSync(source, 'one');
    utimesSync(source, 1_000, 1_000);
    const built = { files: [stamp(source), stamp(join(folder, 'missing'))], template };
    expect(isFresh(built)).toBe(true);
    change();
    expect(isFresh(built)).toBe(false);
  });

  it.each(['', '{', '{"files":[]}', 'null'])('is built again if the note beside it is %j', (text) => {
    const note = join(folder, 'built.json');
    expect(readBuilt(note)).toBeUndefined();
    writeFileSync(note, text);
    expect(readBuilt(note)).toBeUndefined();
    rmSync(note);
  });
});
