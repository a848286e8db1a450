import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Disk, nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { fileRig } from '../workspace/rig.ts';

const SEEN = 'one\ntwo\nthree\n';
const args = { path: 'f.txt', old_string: 'two', new_string: '2' };

/** What somebody else does to the file; the last leaves no trace in its times. */
const STRIKES = {
  'writes in place': (path: string, text: string) => writeFileSync(path, text),
  'puts another in its place': (path: string, text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  },
  'removes it': (path: string) => rmSync(path, { force: true }),
  'writes in place and sets the time back': (path: string, text: string) => {
    const { atime, mtime } = statSync(path);
    writeFileSync(path, text);
    utimesSync(path, atime, mtime);
  },
};
type Strike = keyof typeof STRIKES;

/** A disk on which somebody else strikes before its nth operation; a write over what was not seen is noted. */
function racing(strikeAt: number, strike: () => void) {
  const overwritten: string[] = [];
  const operations: string[] = [];
  let isArmed = false;
  const disk: Record<string, unknown> = {};
  for (const [name, real] of Object.entries(nodeDisk) as [string, (...all: unknown[]) => unknown][]) {
    disk[name] = (...all: unknown[]) => {
      const isLast = name === 'rename' && String(all[1]).endsWith('/f.txt');
      if (isLast) overwritten.push(contentOf(String(all[1])));
      // Between the last look and the rename nothing of this process can run.
      else if (isArmed && operations.push(name) === strikeAt) strike();
      return real(...all);
    };
  }
  const arm = () => {
    isArmed = true;
  };
  return { disk: disk as unknown as Disk, overwritten, operations, arm };
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '(nothing)';
  }
}

async function race(strikeAt: number, how: Strike, text: string) {
  let path = '';
  const { disk, overwritten, operations, arm } = racing(strikeAt, () => STRIKES[how](path, text));
  const rig = fileRig({ files: { 'f.txt': SEEN }, disk });
  path = rig.at('f.txt');
  // A clock of coarse ticks may give two writes one time; this one did not write just now.
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const looked = await rig.look('replace_string_in_file', args);
  if ('kind' in looked) throw new Error(JSON.stringify(looked));
  arm();
  const result = await rig.callSeen('replace_string_in_file', args, looked.state ?? '');
  return { result, overwritten, operations, now: contentOf(path) };
}

describe('somebody else who writes to the file while the call runs', () => {
  it('never has content written over that the owner did not see', async () => {
    const { operations } = await race(0, 'removes it', '');
    const lastLook = operations.indexOf('readAtOnce') + 1;
    expect(lastLook).toBeGreaterThan(1);
    const moments = fc.integer({ min: 1, max: lastLook });
    const texts = fc.constantFrom('one\ntwo\nfour!\n', 'two', `${SEEN}more\n`, '', 'one\nTWO\nthree\n');
    const ways = fc.constantFrom(...(Object.keys(STRIKES) as Strike[]));
    await fc.assert(
      fc.asyncProperty(moments, ways, texts, async (at, how, text) => {
        const { result, overwritten, now } = await race(at, how, text);
        expect(overwritten).toEqual([]);
        expect(result.kind).toBe('failed');
        expect(now).toBe(how === 'removes it' ? '(nothing)' : text);
      }),
      { seed: 20_260_109, numRuns: Number(process.env.FC_RUNS ?? 120) },
    );
  });

  it('is noticed at every moment, and the owner is asked anew', async () => {
    const { operations } = await race(0, 'removes it', '');
    // The last operation before the rename is the one look at the file's times.
    const last = operations.lastIndexOf('lstat') + 1;
    for (let at = 1; at <= last; at++) {
      const { result, overwritten } = await race(at, 'puts another in its place', 'one\ntwo\nfour!\n');
      expect(overwritten).toEqual([]);
      expect(result.kind).toBe('failed');
    }
  });
});
