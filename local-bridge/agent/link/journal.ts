import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Disk } from './disk.ts';

/** Results up to this size stand in the journal itself; longer ones have a file of their own. */
const INLINE = 16 * 1024;
/** A shorter journal is not worth rewriting. */
const COMPACT_AT = 256 * 1024;
/** The number of acknowledged calls to remember, so that a gateway restored from a backup cannot repeat them. */
const REMEMBERED = 2_000;

const id = z.string();
const record = z.discriminatedUnion('is', [
  z.strictObject({
    is: z.literal('journal'),
    id,
    /** The machine's id and the number of its last connection. Older journals lack both. */
    machine: z.string().optional(),
    epoch: z.int().optional(),
    place: z.string().optional(),
  }),
  z.strictObject({ is: z.literal('connected'), epoch: z.int(), place: z.string() }),
  z.strictObject({ is: z.literal('started'), id }),
  z.strictObject({
    is: z.literal('done'),
    id,
    ok: z.boolean(),
    length: z.int(),
    /** The result, unless it has a file. */
    body: z.string().optional(),
  }),
  z.strictObject({ is: z.literal('forget'), ids: z.array(id) }),
]);
type Entry = z.infer<typeof record>;

/** The progress of a call, as far as it is known. */
export type Begun =
  | { readonly is: 'started' }
  | { readonly is: 'done'; readonly ok: boolean; readonly body: Body };

/** A result that can be read from any byte on. */
export interface Body {
  readonly length: number;
  slice(from: number, to: number): Uint8Array;
}

/** The calls that this machine began and how they ended, kept until the gateway has the outcomes too. */
export class Journal {
  readonly #disk: Disk;
  readonly #begun = new Map<string, Begun>();
  #size = 0;
  /** The last calls that the gateway acknowledged. If it sends one again, it was restored from a backup. */
  readonly #gone = new Set<string>();
  readonly #machine: string;
  #epoch = 0;
  /** The place of the journal when it stored the last connection. */
  #place: string;
  /** The journal's name. A new one means that this machine no longer knows what it began. */
  readonly id: string;

  constructor(disk: Disk, newId: () => string, machine: string) {
    this.#disk = disk;
    this.#machine = machine;
    this.#place = disk.place;
    const entries = readEntries(disk.load() ?? '');
    const first = entries?.[0];
    // Ignore the journal of another machine, even if both were paired from the same folder.
    if (entries && first?.is === 'journal' && (first.machine ?? machine) === machine) {
      this.id = first.id;
      this.#epoch = first.epoch ?? 0;
      this.#place = first.place ?? this.#place;
      for (const entry of entries.slice(1)) this.#note(entry);
    } else this.id = newId();
    // This also drops a last line that was half written when the power went.
    this.#compact();
    // A process that ended while it kept a result never wrote down that it has it, and nobody would ever drop it.
    this.#disk.dropOthers(
      new Set([...this.#begun].flatMap(([call, begun]) => (isFiled(begun) ? [call] : []))),
    );
  }

  /** The number of the last connection that was stored. */
  get epoch(): number {
    return this.#epoch;
  }

  /** True if the journal moved since its last connection. It may be a copy that lacks calls. */
  get isMoved(): boolean {
    return this.#place !== this.#disk.place;
  }

  find(call: string): Begun | undefined {
    return this.#begun.get(call) ?? (this.#gone.has(call) ? { is: 'started' } : undefined);
  }

  /** Records a connection durably. Only after this may calls that change something come over it. */
  connected(epoch: number): void {
    this.#write({ is: 'connected', epoch, place: this.#disk.place });
    this.#disk.sync();
    if (this.#size > COMPACT_AT) this.#compact();
  }

  /** Lists every call whose outcome the gateway has not acknowledged. */
  held(): string[] {
    return [...this.#begun.keys()];
  }

  /** Records durably that a call begins. Only after this may it begin. */
  start(call: string): void {
    this.#write({ is: 'started', id: call });
    this.#disk.sync();
  }

  /** Records an outcome, as durably as the beginning. */
  finish(call: string, ok: boolean, bytes: Uint8Array): Body {
    const isShort = bytes.length <= INLINE;
    if (!isShort) this.#disk.keep(call, bytes);
    const body = isShort ? { body: new TextDecoder().decode(bytes) } : {};
    this.#write({ is: 'done', id: call, ok, length: bytes.length, ...body });
    this.#disk.sync();
    if (this.#size > COMPACT_AT) this.#compact();
    return isShort ? bodyOf(bytes) : this.#filed(call, bytes.length);
  }

  /** Forgets calls. Losing this record costs nothing: the gateway acknowledges again. */
  forget(calls: readonly string[]): void {
    const ids = calls.filter((call) => this.#begun.has(call));
    if (ids.length === 0) return;
    const filed = ids.filter((call) => isFiled(this.#begun.get(call)));
    this.#write({ is: 'forget', ids });
    for (const call of filed) this.#disk.drop(call);
    if (this.#size > COMPACT_AT) this.#compact();
  }

  #write(entry: Entry): void {
    const line = lineOf(entry);
    this.#disk.append(line);
    this.#size += line.length;
    this.#note(entry);
  }

  #note(entry: Entry): void {
    if (entry.is === 'started') this.#begun.set(entry.id, { is: 'started' });
    else if (entry.is === 'connected') {
      this.#epoch = entry.epoch;
      this.#place = entry.place;
    } else if (entry.is === 'forget') for (const call of entry.ids) this.#forgot(call);
    else if (entry.is === 'done') {
      const { id: call, ok, body, length } = entry;
      const kept = body === undefined ? this.#filed(call, length) : bodyOf(new TextEncoder().encode(body));
      this.#begun.set(call, { is: 'done', ok, body: kept });
    }
  }

  #forgot(call: string): void {
    this.#begun.delete(call);
    this.#gone.add(call);
    const [oldest] = this.#gone;
    if (this.#gone.size > REMEMBERED && oldest !== undefined) this.#gone.delete(oldest);
  }

  #filed(call: string, length: number): Body {
    return { length, slice: (from, to) => this.#disk.slice(call, from, Math.min(to, length)) };
  }

  #compact(): void {
    const now = { id: this.id, machine: this.#machine, epoch: this.#epoch, place: this.#place };
    const lines = [lineOf({ is: 'journal', ...now })];
    if (this.#gone.size > 0) lines.push(lineOf({ is: 'forget', ids: [...this.#gone] }));
    for (const [call, begun] of this.#begun) {
      if (begun.is === 'started') lines.push(lineOf({ is: 'started', id: call }));
      else {
        const { ok, body } = begun;
        const isShort = body.length <= INLINE;
        const text = isShort ? { body: new TextDecoder().decode(body.slice(0, body.length)) } : {};
        lines.push(lineOf({ is: 'done', id: call, ok, length: body.length, ...text }));
      }
    }
    const text = lines.join('');
    this.#disk.replace(text);
    // Count only what is added from now on towards the next rewrite.
    this.#size = 0;
  }
}

/** Tells if a result has a file of its own. */
function isFiled(begun: Begun | undefined): boolean {
  return begun?.is === 'done' && begun.body.length > INLINE;
}

export function bodyOf(bytes: Uint8Array): Body {
  return { length: bytes.length, slice: (from, to) => bytes.subarray(from, to) };
}

function lineOf(entry: Entry): string {
  const text = JSON.stringify(entry);
  return `${sumOf(text)} ${text}\n`;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Reads a journal's entries. Gives none if it is damaged anywhere, except in a last line that was cut off. */
function readEntries(text: string): Entry[] | undefined {
  const lines = text.split('\n');
  // The text after the last line end was being written when the power went, and nothing was begun because of it.
  lines.pop();
  const entries: Entry[] = [];
  for (const [i, line] of lines.entries()) {
    const entry = readLine(line);
    if (entry) entries.push(entry);
    else if (i < lines.length - 1) return undefined;
  }
  return entries;
}

function readLine(line: string): Entry | undefined {
  const text = line.slice(17);
  if (line.slice(0, 16) !== sumOf(text)) return undefined;
  const parsed = record.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}
