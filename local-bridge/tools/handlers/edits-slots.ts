import type { editFiles } from '../../../contracts/edit-files.ts';
import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import type { Refusal } from '../../../src/core/call.ts';
import { stateOf } from '../../../src/core/preview.ts';
import type { ChangePorts } from '../undo/changes.ts';
import { identityOf, type Root } from '../workspace/held.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { shown } from '../workspace/path-rules.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import { isThere } from '../workspace/write-file.ts';
import { detailOf, type Fails } from './edits-failures.ts';

type Call = Fails<typeof editFiles>;

/** A file of a call: as it is on disk, and after the edits so far. */
export interface Slot {
  readonly path: string;
  readonly location: string;
  /** The file, held open; undefined if there is none. */
  readonly file: OpenFile | undefined;
  /** Null means that there is no file. */
  readonly before: Buffer | null;
  now: Buffer | null;
  mode: number | undefined;
  /** The missing folders above the file, outermost first. */
  readonly parents: readonly string[];
}

/** The files of a call, held open. */
export interface Desk {
  readonly root: Root;
  /** Opens a file, or gives it with the edits so far. */
  slot(path: string): Promise<Slot | Refusal>;
  slots(): readonly Slot[];
  /** Gives a digest of every file as it is. The owner's approval holds only for this state. */
  state(): string;
  close(): void;
}

/** Opens the folder of a call. Every path goes through the workspace, as in the tools for one file. */
export function openDesk(asked: string | undefined, call: Call, ports: ChangePorts): Desk | Refusal {
  const { workspace, disk } = ports;
  const root = workspace.root(asked);
  if (isRefusal(root)) return call.fail('unknown_root', detailOf(root));
  const slots = new Map<string, Slot>();
  const identities = new Set<string>();

  const opened = async (path: string): Promise<Slot | Refusal> => {
    const file = workspace.file(root, path, 'write');
    if (isRefusal(file)) return file.code === 'not_found' ? missing(path) : notOpened(file, path, call);
    const { location, stats } = file;
    let slot: Slot | undefined;
    try {
      const identity = identityOf(stats);
      // The call names one file by two spellings, on a disk that does not tell them apart.
      if (identities.has(identity)) {
        return call.fail(
          'file_exists',
          `File '${shown(path)}' is the same file as another of the call, in other letters`,
        );
      }
      if (stats.size > MAX_FILE_BYTES) {
        return call.fail(
          'file_too_large',
          `File '${shown(path)}' is larger than 10 MB, so it could not be undone`,
        );
      }
      const before = await readWhole(file, disk);
      file.directory.use((here) => disk.mayAdd(here));
      identities.add(identity);
      slot = { path, location, file, before, now: before, mode: Number(stats.mode) & 0o777, parents: [] };
      return slot;
    } finally {
      if (!slot) file.close();
    }
  };
  const missing = (path: string): Slot | Refusal => {
    const place = workspace.lookAt(root, path);
    if (isRefusal(place)) return notOpened(place, path, call);
    try {
      const { location, created: parents } = place;
      if (isThere(place, disk)) return call.fail('file_exists', `File '${shown(path)}' appeared meanwhile`);
      place.directory.use((here) => disk.mayAdd(here));
      return { path, location, file: undefined, before: null, now: null, mode: undefined, parents };
    } finally {
      place.close();
    }
  };

  return {
    root,
    slot: async (path) => {
      const known = slots.get(path);
      if (known) return known;
      const slot = await opened(path);
      if (!('kind' in slot)) slots.set(path, slot);
      return slot;
    },
    slots: () => [...slots.values()],
    state: () => {
      const parts = [...slots.values()]
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .flatMap(({ location, before }) => [location, before === null ? 'none' : 'file', before ?? '']);
      return stateOf('files', ...parts);
    },
    close: () => {
      for (const { file } of slots.values()) file?.close();
    },
  };
}

function notOpened(refusal: WorkspaceRefusal, path: string, call: Call): Refusal {
  const { code } = refusal;
  if (code === 'not_found') return call.fail('file_not_found', detailOf(refusal));
  if (code === 'permission_denied') {
    return call.fail(code, `Cannot change file '${shown(path)}' - permission denied`);
  }
  return call.fail(code, detailOf(refusal));
}
