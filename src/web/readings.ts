/** A heading of a text, or a page of a PDF: where it begins and how deep it is. */
export interface Section {
  readonly level: number;
  readonly title: string;
  readonly index: number;
}

/** A page's whole text with the places in it that a caller can ask for. */
export interface Rendering {
  readonly text: string;
  readonly sections: readonly Section[];
  /** The places where elements with an id begin. */
  readonly places: ReadonlyMap<string, number>;
}

const KEEP_MS = 5 * 60_000;
const MOST_KEPT = 8;
const MOST_CHARS = 4_000_000;

/** Counts all characters in a value, and some for each of its parts. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  const parts = value instanceof Map ? [...value].flat() : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + charsOf(part), 8);
}

/** Keeps what was read for a few minutes, so that the pages of one text fit together. */
export class Readings<T extends { readonly rendering: Rendering }> {
  readonly #kept = new Map<string, { readonly read: T; readonly chars: number; readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get(key: string): T | undefined {
    const found = this.#kept.get(key);
    if (!found || found.until < this.#now()) {
      this.#kept.delete(key);
      return undefined;
    }
    return found.read;
  }

  /** Keeps the newest few, as long as they are not too long together. */
  put(key: string, read: T): void {
    this.#kept.delete(key);
    const size = charsOf(read);
    if (size > MOST_CHARS) return;
    // Pieces of a page's source keep all of it in memory. Copies do not.
    this.#kept.set(key, { read: structuredClone(read), chars: size, until: this.#now() + KEEP_MS });
    let chars = 0;
    for (const [each, kept] of [...this.#kept].toReversed()) {
      chars += kept.chars;
      if (chars > MOST_CHARS) this.#kept.delete(each);
    }
    for (const each of this.#kept.keys()) if (this.#kept.size > MOST_KEPT) this.#kept.delete(each);
  }
}
