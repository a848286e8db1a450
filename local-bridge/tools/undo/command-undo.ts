import { thisProcess } from '../../lib/lock.ts';
import { cleanFiles } from '../git/clean-files.ts';
import type { GitPorts } from '../git/repository.ts';
import type { Snapshot } from '../terminal/touched-files.ts';
import { errnoOf } from '../workspace/disk.ts';
import type { Root } from '../workspace/held.ts';
import type { Cause } from './changes.ts';
import { entryOfCommand, recordsIn, removeRecord, writeRecord } from './command-record.ts';
import { changesOf, earlierOf } from './cover-after.ts';
import type { Entry } from './entry.ts';
import { contentOf, type UndoJournal } from './journal.ts';
import { fitsLimits, KEEP, keepBefore, type Remembered } from './keep-before.ts';
import { openKeptContents } from './kept-contents.ts';

/** What undo covers of the changes of a command. */
export interface Coverage {
  readonly covered: number;
  /** Paths that it does not cover, as the disk names them. */
  readonly without: readonly string[];
}

/** One command that is about to run, with what was kept before it. */
interface BegunCommand {
  /** Records what changed, with the earlier content, and tells what undo covers. */
  settle(after: Snapshot, touched: readonly string[]): Promise<Coverage>;
  /** Nothing ran. */
  drop(): Promise<void>;
}

/** Keeps what commands may change. */
export interface CommandUndo {
  begin(root: Root, before: Snapshot, cause: Required<Omit<Cause, 'tool'>>): Promise<BegunCommand>;
}

/** Opens the undoing of commands beside the journal. */
export function openCommandUndo(ports: GitPorts & { readonly undo: UndoJournal }): CommandUndo {
  const { undo, disk } = ports;
  const contents = openKeptContents(undo.folder, disk);
  const remembered = new Map<string, Remembered>();
  const inUse = () =>
    new Set(recordsIn(undo.folder, disk).flatMap(({ files }) => files.map(({ sha256 }) => sha256)));

  return {
    begin: async (root, before, { id, principal, signal }) => {
      // Asking git takes longer than keeping a small folder.
      const clean = fitsLimits(before) ? NOTHING : await cleanFiles(root, ports, signal).catch(orNothing);
      if (remembered.size > 20 * KEEP.files) remembered.clear();
      const files = await keepBefore(root, before, clean, { ...ports, contents, remembered });
      const { name, path } = root;
      const said = { id, at: Date.now(), tool: 'run_in_terminal', principal, root: { name, path } };
      const record = { ...said, ...thisProcess(), files };
      await attempt(() => writeRecord(undo.folder, record, disk));
      contents.sweep(inUse);
      const kept = new Map(files.map((file) => [file.path, file]));
      const drop = async () => removeRecord(undo.folder, record, disk);
      return {
        drop,
        settle: async (after, touched) => {
          const { changes, without } = await changesOf(touched, { root, before, after, kept, clean }, ports);
          const earlier = await earlierOf(changes, root, contents, ports);
          const made: { entry: Entry; before: Buffer | undefined }[] = [];
          let unchanged = 0;
          for (const [i, { path, kind, was, now, parents }] of changes.entries()) {
            const bytes = earlier[i];
            if (was && !bytes) without.push(path);
            else if (bytes && now?.sha256 === contentOf(bytes, 0).sha256) unchanged += 1;
            else {
              const content = was && bytes ? contentOf(bytes, was.mode) : null;
              const what = { path, kind, before: content, after: now, parents };
              made.push({ entry: entryOfCommand(record, undo.newId(`${id}-${i + 1}`), what), before: bytes });
            }
          }
          // A full disk is no reason to lose the answer of a command that ran.
          const isKept = await attempt(() => undo.addMade(made));
          if (!isKept) without.push(...made.map(({ entry }) => entry.path));
          await attempt(drop);
          return { covered: unchanged + (isKept ? made.length : 0), without: without.sort() };
        },
      };
    },
  };
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** A system that cannot run git now, or has no room for it, is no reason to run no command. */
function orNothing(error: unknown): typeof NOTHING {
  if (errnoOf(error) === undefined) throw error;
  return NOTHING;
}

async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
