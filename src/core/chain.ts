import { createHash } from 'node:crypto';

/** One entry of the memory, linked to the one before it. */
export interface ChainEntry {
  /** The entry's place in the whole log, from 1. */
  readonly seq: number;
  readonly file: string;
  /** The entry's place in its file, from 1. */
  readonly line: number;
  /** A key that repeats of this entry share. */
  readonly idem: string;
  readonly body: string;
  /** The time of the append, in milliseconds. */
  readonly at: number;
  /** The hash of the entry before. */
  readonly prev: string;
  readonly hash: string;
}

/** The hash that the first entry links to. */
export const GENESIS = '0'.repeat(64);

/**
 * Hashes everything that an entry says. Only the body may hold a line break, and it comes last, so no two
 * entries hash the same text.
 */
export function hashEntry({ prev, seq, file, line, at, idem, body }: Omit<ChainEntry, 'hash'>): string {
  return createHash('sha256')
    .update(`${prev}\n${seq}\n${file}\n${line}\n${at}\n${idem}\n${body}`)
    .digest('hex');
}

/** A signed statement: at this length, the log had this head. */
export interface Checkpoint {
  readonly seq: number;
  readonly head: string;
  readonly at: number;
  /** An Ed25519 signature over `checkpointText`, in base64url. */
  readonly signature: string;
}

/** Gives the text that a checkpoint's signature covers. */
export function checkpointText({ seq, head, at }: Omit<Checkpoint, 'signature'>): string {
  return `bowline-memory-checkpoint-1\n${seq}\n${head}\n${at}`;
}

/** The place where a log is broken, and how. */
export interface ChainBreak {
  readonly seq: number;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly problem: string;
}

const START = { seq: 0, head: GENESIS, lines: new Map<string, number>() };

/** Checks entries one by one, in order. Remembers only the number of lines of each file. */
export class ChainVerifier {
  #seq: number;
  #head: string;
  readonly #lines: Map<string, number>;
  readonly #remembered = new Map<number, ChainEntry>();
  readonly #wanted: ReadonlySet<number>;

  /**
   * `wanted` names the entries to remember for checkpoints and witnesses. `after` is the point where the log
   * continues.
   */
  constructor(
    wanted: Iterable<number> = [],
    after: { seq: number; head: string; lines: ReadonlyMap<string, number> } = START,
  ) {
    this.#wanted = new Set(wanted);
    this.#seq = after.seq;
    this.#head = after.head;
    this.#lines = new Map(after.lines);
  }

  get seq(): number {
    return this.#seq;
  }

  get head(): string {
    return this.#head;
  }

  /** Gives the head that the log had at this length, if `wanted` names it and the check got that far. */
  headAt(seq: number): string | undefined {
    return seq === 0 ? GENESIS : this.#remembered.get(seq)?.hash;
  }

  /** Gives the entry at this place, under the same conditions. */
  entryAt(seq: number): ChainEntry | undefined {
    return this.#remembered.get(seq);
  }

  /** Checks the next entry. Gives what is wrong with it, or `undefined`. */
  next(entry: ChainEntry): ChainBreak | undefined {
    const lineBefore = this.#lines.get(entry.file) ?? 0;
    const problem =
      entry.seq !== this.#seq + 1
        ? `it is numbered ${entry.seq} instead of ${this.#seq + 1}`
        : entry.prev !== this.#head
          ? 'it is not linked to the entry before it'
          : entry.line !== lineBefore + 1
            ? `it is line ${entry.line} of ${entry.file} instead of ${lineBefore + 1}`
            : hashEntry(entry) !== entry.hash
              ? 'its content does not match its hash'
              : isWellFormed(entry)
                ? undefined
                : 'it holds half of a surrogate pair';
    if (problem) return { seq: this.#seq + 1, file: entry.file, line: lineBefore + 1, problem };
    this.#seq = entry.seq;
    this.#head = entry.hash;
    this.#lines.set(entry.file, entry.line);
    if (this.#wanted.has(entry.seq)) this.#remembered.set(entry.seq, entry);
    return undefined;
  }
}

/** Refuses half surrogate pairs: they all hash as the same replacement character. No honest entry has one. */
function isWellFormed({ file, idem, body }: ChainEntry): boolean {
  return file.isWellFormed() && idem.isWellFormed() && body.isWellFormed();
}
