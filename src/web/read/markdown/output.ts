/** A list item, quotation or note: the prefix of its first line, and that of the others. */
interface Container {
  readonly first: string;
  readonly rest: string;
  begun: boolean;
}

/** Quotations and lists nested deeper are written without another indent. */
const MOST_CONTAINERS = 8;

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly index: number;
}

/** Blocks of Markdown one after the other, each in the containers around it. */
export class Output {
  readonly #parts: string[] = [];
  readonly #containers: Container[] = [];
  #length = 0;
  #gap = 0;
  #unwritten = 0;
  #ids: string[] = [];
  readonly headings: Heading[] = [];
  /** The places where elements with an id begin. */
  readonly places = new Map<string, number>();

  get length(): number {
    return this.#length;
  }

  /** Remembers that a link to this id leads to the next text. */
  here(id: string): void {
    this.#ids.push(id);
  }

  gap(lines: number): void {
    if (lines > this.#gap) this.#gap = lines;
  }

  enter(first: string, rest: string): void {
    if (this.#containers.length >= MOST_CONTAINERS) this.#unwritten++;
    else this.#containers.push({ first, rest, begun: false });
  }

  leave(): void {
    if (this.#unwritten > 0) this.#unwritten--;
    else this.#containers.pop();
  }

  /** Writes one block. Lines inside it get the prefixes of the containers. */
  block(text: string, heading?: { level: number; text: string }): void {
    this.#fill();
    const index = this.#length;
    const first = this.#prefix();
    if (text.includes('\n')) {
      const rest = this.#prefix();
      this.#put(first + text.replaceAll('\n', `\n${rest}`));
    } else this.#put(first + text);
    if (heading) this.headings.push({ ...heading, index });
    for (const id of this.#ids) if (!this.places.has(id)) this.places.set(id, index);
    this.#ids = [];
  }

  /** Writes the lines between this block and the one before. */
  #fill(): void {
    if (this.#length === 0) {
      this.#gap = 0;
      return;
    }
    const begins = this.#containers.at(-1)?.begun === false;
    const lines = begins ? Math.max(1, this.#gap) : 2;
    const begun = this.#containers.filter((each) => each.begun);
    const blank = begun
      .map((each) => each.rest)
      .join('')
      .trimEnd();
    this.#put(lines > 1 ? `\n${blank}\n` : '\n');
    this.#gap = 0;
  }

  #prefix(): string {
    let prefix = '';
    for (const each of this.#containers) {
      prefix += each.begun ? each.rest : each.first;
      each.begun = true;
    }
    return prefix;
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }

  toString(): string {
    return this.#parts.join('');
  }
}
