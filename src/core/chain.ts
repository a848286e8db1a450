import { createHash } from 'node:crypto';

/** One entry of the memory, linked to the one before it. */
export interface ChainEntry {
  /** Its place in the whole log, from 1. */
  readonly seq: number;
  readonly file: string;
  /** Its place in its file, from 1. */
  readonly line: number;
  /** What makes a repeat of it recognisable. */
  readonly idem: string;
  readonly body: string;
  /** When it was appended, in milliseconds. */
  readonly at: number;
  /** The hash of the entry before. */
  readonly prev: string;
  readonly hash: string;
}

/** What the first entry is linked to. */
export const GENESIS = '0'.repeat(64);

/**
 * The hash of an entry over everything it says. Only the body may hold a line break, and it comes last,
 * so no two entries are written the same way.
 */
export function hashEntry({ prev, seq, file, line, at, idem, body }: Omit<ChainEntry, 'hash'>): string {
  return createHash('sha256')
    .update(`${prev}\n${seq}\n${file}\n${line}\n${at}\n${idem}\n${body}`)
    .digest('hex');
}

/** A signed statement that the log had this head when it was this long. */
export interface Checkpoint {
  readonly seq: number;
  readonly head: string;
  readonly at: number;
  /** Ed25519 over `checkpointText`, base64url. */
  readonly signature: string;
}

/** What a checkpoint's signature is over. */
export function checkpointText({ seq, head, at }: Omit<Checkpoint, 'signature'>): string {
  return `bowline-memory-checkpoint-1\n${seq}\n${head}\n${at}`;
}

/** Where a log stops being one, and in what way. */
export interface ChainBreak {
  readonly seq: number;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly problem: string;
}

const START = { seq: 0, head: GENESIS, lines: new Map<string, number>() };

/** Checks entries one by one, in order, keeping no more than the lines of each file in mind. */
export class ChainVerifier {
  #seq: number;
  #head: string;
  readonly #lines: Map<string, number>;
  readonly #remembered = new Map<number, ChainEntry>();
  readonly #wanted: ReadonlySet<number>;

  /** `wanted` are the entries to be remembered, for checkpoints and witnesses; `after` is where a log goes on. */
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

  /** The head when the log was that long, if it was asked to be remembered and was reached. */
  headAt(seq: number): string | undefined {
    return seq === 0 ? GENESIS : this.#remembered.get(seq)?.hash;
  }

  /** The entry itself, under the same conditions. */
  entryAt(seq: number): ChainEntry | undefined {
    return this.#remembered.get(seq);
  }

  /** What is wrong with the next entry; `undefined` if nothing is. */
  next(entry: ChainEntry): ChainBreak | undefined {
    const lineBefore = this.#lines.get(entry.file) ?? 0;
    const problem =
      entry.seq !== this.#seq + 1
        ? `it is numbered ${entry.seq}, and ${this.#seq + 1} was to come`
        : entry.prev !== this.#head
          ? 'it is not linked to the entry before it'
          : entry.line !== lineBefore + 1
            ? `it is line ${entry.line} of ${entry.file}, and ${lineBefore + 1} was to come`
            : hashEntry(entry) !== entry.hash
              ? 'its content does not have its hash'
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

/** Halves of surrogate pairs all hash as the same replacement character, and no honest entry has one. */
function isWellFormed({ file, idem, body }: ChainEntry): boolean {
  return file.isWellFormed() && idem.isWellFormed() && body.isWellFormed();
}
