import { createHash, randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../../src/core/clock.ts';
import { type Disk, errnoOf, nodeDisk } from '../workspace/disk.ts';
import { type Content, type Entry, entryShape } from './entry.ts';

/** Limits of the journal. What is older or does not fit is removed, the oldest calls first. */
export interface UndoLimits {
  readonly days: number;
  /** The most bytes of earlier content. */
  readonly bytes: number;
  /** The most changes, because a file that was added has no earlier content. Every look at the journal reads them all. */
  readonly changes?: number;
}

const UNDO_LIMITS = { days: 30, bytes: 500 * 1024 * 1024, changes: 10_000 } satisfies UndoLimits;

/** The earlier content of every file that a tool changed. */
export interface UndoJournal {
  /** The folder that it is kept in. */
  readonly folder: string;
  /** Gives an id for this call's entry: the call's own id, unless another entry has it. */
  newId(callId: string): string;
  /** Stores an entry with the earlier content, durably, before anything is changed. */
  begin(entry: Entry, before?: Uint8Array): Promise<void>;
  /** Records that the change is made. */
  finish(id: string): void;
  /** Records that the change was not made. */
  forget(id: string): void;
  /**
   * Adds changes that were made already, with the earlier content of each. A power cut may lose what was just added:
   * to wait for the disk would take longer than many commands.
   */
  addMade(changes: readonly { readonly entry: Entry; readonly before: Buffer | undefined }[]): Promise<void>;
  /** Lists entries, the newest first. */
  list(): readonly Entry[];
  /** Lists changes that were begun and neither finished nor forgotten. */
  unfinished(): readonly Entry[];
  /** Removes entries that were cut off while they were being written, if their writer is gone, with the content. */
  dropHalves(isGone: (writer: { readonly pid: number; readonly at: number }) => boolean): void;
  /** Gives the earlier content, if it was kept and is unchanged. */
  contentBefore(entry: Entry): Buffer | undefined;
}

/** The part of the limit that may be added before what is too old or too much is removed, and the time. */
const PRUNED_AFTER = 0.02;
const PRUNED_EVERY_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const ENDINGS = { begun: '.begun', done: '.json', before: '.before' } as const;
/** An entry that is being written, and by which process. */
const HALF = /^(.+)\.(\d+)\.half$/;

interface JournalSettings {
  readonly limits?: UndoLimits;
  readonly now?: () => number;
  readonly disk?: Disk;
}

/** Opens the journal in a folder of Bowline's own. Several processes write at once, so each entry is a file. */
export function openUndoJournal(folder: string, settings: JournalSettings = {}): UndoJournal {
  const { limits = UNDO_LIMITS, now = Date.now, disk = nodeDisk } = settings;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (id: string, kind: keyof typeof ENDINGS) => join(folder, fileNameOf(id) + ENDINGS[kind]);
  const entries = (kind: keyof typeof ENDINGS) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(ENDINGS[kind]))
      .flatMap((name) => entryIn(join(folder, name)))
      .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
  // Remove the content first: an entry without content is reported, but content without an entry would stay for ever.
  const forget = (id: string) => {
    for (const kind of ['before', 'begun', 'done'] as const) removeIfThere(pathOf(id, kind), disk);
  };
  /**
   * Stores an entry with the earlier content. The entry gets its name last, so that it never promises what is not there
   * yet. Until then it names its writer, so that the next start removes what a crash cut off.
   */
  const store = async (kind: 'begun' | 'done', entry: Entry, before: Uint8Array | undefined) => {
    const isDurable = kind === 'begun';
    const half = join(folder, `${fileNameOf(entry.id)}.${process.pid}.half`);
    try {
      await keep(half, Buffer.from(JSON.stringify(entry)), disk, isDurable);
      if (before) await keep(pathOf(entry.id, 'before'), before, disk, isDurable);
      disk.rename(half, pathOf(entry.id, kind));
      if (isDurable) await syncFolder(folder, disk);
    } catch (error) {
      forget(entry.id);
      removeIfThere(half, disk);
      throw error;
    }
    unpruned += before?.length ?? 0;
  };
  /** Removes what is too old and belongs to no entry that can be read: it was damaged, or left by an earlier version. */
  const pruneStrays = (oldest: number, known: readonly Entry[]) => {
    const names = new Set(known.map(({ id }) => fileNameOf(id)));
    for (const name of readdirSync(folder)) {
      const ending = Object.values(ENDINGS).find((one) => name.endsWith(one));
      if (ending === undefined || names.has(name.slice(0, -ending.length))) continue;
      if (changedAt(join(folder, name)) < oldest) removeIfThere(join(folder, name), disk);
    }
  };

  const prune = () => {
    const oldest = now() - limits.days * DAY_MS;
    const { changes = UNDO_LIMITS.changes } = limits;
    const done = entries('done');
    const gone = new Set<string>();
    let bytes = 0;
    for (const [i, { id, group = id, at }] of done.entries()) {
      bytes += sizeOf(pathOf(id, 'before'));
      if (at < oldest || bytes > limits.bytes || i >= changes) gone.add(group);
    }
    // Undo takes back all of a call or nothing, so forget all of it.
    for (const { id, group = id } of done) if (gone.has(group)) forget(id);
    const begun = entries('begun');
    pruneStrays(oldest, [...done, ...begun]);
    for (const { id, at } of begun) if (at < oldest) forget(id);
  };
  prune();
  let [unpruned, prunedAt] = [0, now()];
  // Pruning reads every entry, and one call may finish hundreds.
  const pruneIfDue = () => {
    if (unpruned < limits.bytes * PRUNED_AFTER && isWithin(PRUNED_EVERY_MS, prunedAt, now())) return;
    [unpruned, prunedAt] = [0, now()];
    prune();
  };

  return {
    folder,
    addMade: async (changes) => {
      const ended = await Promise.allSettled(
        changes.map(({ entry, before }) => store('done', entry, before)),
      );
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed) {
        for (const { entry } of changes) forget(entry.id);
        throw failed.reason;
      }
      pruneIfDue();
    },
    newId: (callId) => {
      const taken = (['begun', 'done', 'before'] as const).some((kind) => existsSync(pathOf(callId, kind)));
      return taken ? `${callId}-${randomBytes(4).toString('hex')}` : callId;
    },
    // Do not keep content over the limit. The entry still tells what happened.
    begin: (entry, before) =>
      store('begun', entry, before && before.length <= limits.bytes ? before : undefined),
    finish: (id) => {
      disk.rename(pathOf(id, 'begun'), pathOf(id, 'done'));
      pruneIfDue();
    },
    forget,
    list: () => entries('done'),
    unfinished: () => entries('begun'),
    dropHalves: (isGone) => {
      for (const name of readdirSync(folder)) {
        const [, base, pid] = HALF.exec(name) ?? [];
        const path = join(folder, name);
        if (base === undefined || !isGone({ pid: Number(pid), at: changedAt(path) })) continue;
        // Content first, as `forget` does: without the other name nobody would find it.
        const isOther = (['begun', 'done'] as const).some((kind) =>
          existsSync(join(folder, base + ENDINGS[kind])),
        );
        if (!isOther) removeIfThere(join(folder, base + ENDINGS.before), disk);
        removeIfThere(path, disk);
      }
    },
    contentBefore: (entry) => {
      const bytes = read(pathOf(entry.id, 'before'));
      return bytes && sha256(bytes) === entry.before?.sha256 ? bytes : undefined;
    },
  };
}

/** Describes a file's content for an entry. */
export function contentOf(bytes: Uint8Array, mode: number): Content {
  return { sha256: sha256(bytes), bytes: bytes.length, mode: mode & 0o777 };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Makes a file name from a call's id. Uses only a plain word as it is, because the id may come over a socket. */
export function fileNameOf(id: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id) ? id : `id-${sha256(Buffer.from(id))}`;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_RDONLY } = constants;

/** Writes a new file, and waits until the disk has it if it is to be durable. */
export async function keep(path: string, bytes: Uint8Array, disk: Disk, isDurable = true): Promise<void> {
  const fd = disk.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += await disk.write(fd, bytes, at);
    if (isDurable) await disk.sync(fd);
  } finally {
    disk.close(fd);
  }
}

async function syncFolder(folder: string, disk: Disk): Promise<void> {
  // Windows cannot sync a directory, and has no need to.
  if (process.platform === 'win32') return;
  const fd = disk.open(folder, O_RDONLY);
  try {
    await disk.sync(fd);
  } finally {
    disk.close(fd);
  }
}

export function removeIfThere(path: string, disk: Disk): void {
  try {
    disk.remove(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Reads an entry. Gives none if a crash left it incomplete: then nothing had been changed yet. */
function entryIn(path: string): Entry[] {
  try {
    const parsed = entryShape.safeParse(JSON.parse(read(path)?.toString('utf8') ?? ''));
    return parsed.success ? [parsed.data] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    // Another process may have removed it meanwhile.
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Gives when a file was written; now, if it is gone meanwhile. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}
