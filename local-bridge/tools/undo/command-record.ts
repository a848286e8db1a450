import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Disk } from '../workspace/disk.ts';
import { contentShape, type Entry, entryShape } from './entry.ts';
import { fileNameOf, keep, read, removeIfThere } from './journal.ts';

const said = entryShape.pick({ at: true, tool: true, principal: true, root: true, pid: true, started: true });

/** A command that runs, and the files whose content was kept before it. */
const recordShape = said.extend({
  /** The call's id, as in the ledger. */
  id: z.string(),
  files: z.array(contentShape.extend({ path: z.string() })).readonly(),
});

export type CommandRecord = z.infer<typeof recordShape>;

const ENDING = '.running';

/** Writes what is known before a command, so that a start after a crash can tell what the command changed. */
export async function writeRecord(folder: string, record: CommandRecord, disk: Disk): Promise<void> {
  const path = pathOf(folder, record);
  removeIfThere(path, disk);
  await keep(path, Buffer.from(JSON.stringify(record)), disk, false);
}

export function removeRecord(folder: string, record: CommandRecord, disk: Disk): void {
  removeIfThere(pathOf(folder, record), disk);
}

/** Lists the commands that run, or were running at a crash. One of which a crash left half the record never began. */
export function recordsIn(folder: string, disk: Disk): readonly CommandRecord[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .flatMap((name) => {
      const parsed = recordShape.safeParse(parsedOf(read(join(folder, name))));
      if (parsed.success) return [parsed.data];
      removeIfThere(join(folder, name), disk);
      return [];
    });
}

/** Makes the entry of one file that a command changed. */
export function entryOfCommand(
  { id, at, tool, principal, root, pid, started }: Omit<CommandRecord, 'files'>,
  entryId: string,
  what: Pick<Entry, 'path' | 'kind' | 'before' | 'after' | 'parents'>,
): Entry {
  const who = principal === undefined ? {} : { principal };
  return { ...{ at, tool, root, pid, started }, ...who, id: entryId, group: id, temporary: null, ...what };
}

function pathOf(folder: string, { id }: CommandRecord): string {
  return join(folder, fileNameOf(id) + ENDING);
}

function parsedOf(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(bytes?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
}
