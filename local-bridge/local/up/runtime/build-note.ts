import { statSync } from 'node:fs';
import * as z from 'zod';
import { jsonOrNothing, readIfThere } from '../../../lib/private-file.ts';
import { templateShape } from './config.ts';

/** The note beside a built Worker, so that the next start need not build it again. */
const builtShape = z.object({
  /** Each file that it was made from or consists of, with its size and the time of its last change. */
  files: z.array(z.tuple([z.string(), z.number(), z.number()])),
  template: templateShape,
});

export type Built = z.infer<typeof builtShape>;

/** Reads the note beside a built Worker. Gives nothing if it is missing or from another version. */
export function readBuilt(file: string): Built | undefined {
  return builtShape.safeParse(jsonOrNothing(readIfThere(file) ?? '')).data;
}

/** Tells whether neither a source nor the built Worker itself changed since it was built. */
export function isFresh({ files }: Built): boolean {
  return files.every(([path, size, changed]) => {
    const now = stamp(path);
    return now[1] === size && now[2] === changed;
  });
}

/** Gives a file's path, size and the time of its last change. One that is not there has neither. */
export function stamp(path: string): Built['files'][number] {
  const { size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  return [path, size, mtimeMs];
}
