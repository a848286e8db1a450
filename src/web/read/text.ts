import { calmLines } from '../tidy.ts';
import { BLOCK, plainText } from './measure.ts';
import type { El } from './tree.ts';

/**
 * Characters that are unseen or that reverse the text. Joiners and emoji styles stay, because they shape what
 * is seen.
 */
const UNSEEN_CHARACTERS =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|[\u202a-\u202e\ufff9-\ufffb]|[^\P{Cc}\n\t]/gu;

/** Drops zero-width, tag, bidi-control and control characters. */
export const seenCharacters = (text: string): string => text.replace(UNSEEN_CHARACTERS, '');

const ROW_CELL = new Set(['td', 'th']);
/** Elements with a blank line around them. Other blocks only start a new line. */
const APART = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'table', 'blockquote', 'pre', 'section'],
  ...['article', 'figure', 'header', 'footer', 'details', 'div', 'hr', 'aside', 'main', 'fieldset', 'form'],
]);

/** Tells whether two pieces that a style sheet sets apart would read as one word side by side. */
export function areTwoWords(before: string, after: string): boolean {
  const end = before.slice(-2);
  if (/\d$/.test(end)) return /^\p{Lu}/u.test(after) || (/^\p{L}/u.test(end) && /^\d/.test(after));
  // A single letter is the large initial of a paragraph.
  return /^[\p{L}\d)]\p{L}$/u.test(end) && /^[\p{Lu}\d]/u.test(after);
}

/** A page's text while it grows. `gap` is the number of line ends due before the next word. */
class Writer {
  readonly #parts: string[] = [];
  #gap = 0;
  #space = false;
  #started = false;
  /** A list item's mark waits for the item's first words, however deep inside blocks they are. */
  #marked = false;
  /** True if an element has just ended and another one starts, with nothing between them. */
  #seam = false;

  seam(): void {
    this.#seam = true;
  }

  break(lines: number): void {
    if (this.#started && !this.#marked) this.#gap = Math.max(this.#gap, lines);
    this.#space = false;
  }

  /** Starts the next text with a mark, such as a list item's. */
  mark(mark: string): void {
    this.#flush();
    this.#parts.push(mark);
    this.#marked = true;
    this.#space = false;
    this.#started = true;
  }

  words(text: string): void {
    const flat = text.replace(/[\s\u00a0]+/g, ' ');
    if (flat === ' ') {
      this.#space = this.#started && this.#gap === 0;
      return;
    }
    const leading = flat.startsWith(' ');
    const trailing = flat.endsWith(' ');
    const bare = flat.slice(leading ? 1 : 0, trailing ? -1 : undefined);
    if (!bare) return;
    const before = this.#parts.at(-1) ?? '';
    const apart = leading || this.#space || (this.#seam && areTwoWords(before, bare));
    const spaced = apart && this.#gap === 0 && this.#started && !before.endsWith(' ');
    this.#seam = false;
    this.#flush();
    this.#parts.push(spaced ? ` ${bare}` : bare);
    this.#marked = false;
    this.#space = trailing;
    this.#started = true;
  }

  verbatim(text: string): void {
    this.#marked = false;
    this.break(2);
    this.#flush();
    this.#parts.push(text);
    this.#started = true;
    this.break(2);
  }

  #flush(): void {
    if (this.#gap > 0) this.#parts.push('\n'.repeat(this.#gap));
    this.#gap = 0;
  }

  toString(): string {
    return this.#parts.join('');
  }
}

/** Text above or below the line belongs to the word beside it. */
const SCRIPT_SIZE = new Set(['sup', 'sub']);

export const rawText = (el: El): string =>
  el.kids.map((kid) => (typeof kid === 'string' ? kid : kid.tag === 'br' ? '\n' : rawText(kid))).join('');

/** Writes a code block with its lines and indents, between fences if it has more than one line. */
function code(el: El, out: Writer): void {
  const text = rawText(el).replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd();
  if (!text) return;
  out.verbatim(text.includes('\n') ? `\`\`\`\n${text}\n\`\`\`` : text);
}

/**
 * Recognises a table of data. A table that only lays out a page has long or nested cells, and is read as blocks.
 */
export const isGrid = (table: El): boolean => {
  let rows = 0;
  let cells = 0;
  let long = 0;
  const look = (el: El) => {
    for (const kid of el.kids) {
      if (typeof kid === 'string') continue;
      if (kid.tag === 'tr') rows++;
      if (kid.tag === 'table') long += 2;
      if (ROW_CELL.has(kid.tag)) {
        cells++;
        if (kid.chars > 400) long++;
      }
      look(kid);
    }
  };
  look(table);
  return rows > 1 && cells > rows && long * 3 < rows;
};

function row(tr: El, out: Writer): void {
  const cells = tr.kids.filter((kid): kid is El => typeof kid !== 'string' && ROW_CELL.has(kid.tag));
  const texts = cells.map((cell) => plainText(cell));
  out.break(1);
  if (texts.some(Boolean)) out.words(texts.filter(Boolean).join(' | '));
  out.break(1);
}

function write(el: El, out: Writer, dropped: ReadonlySet<El>, grid: boolean): void {
  let item = 0;
  let beside = false;
  for (const kid of el.kids) {
    if (typeof kid === 'string') {
      out.words(kid);
      beside = false;
      continue;
    }
    if (kid.extra) continue;
    if (beside && !SCRIPT_SIZE.has(kid.tag)) out.seam();
    beside = !SCRIPT_SIZE.has(kid.tag);
    if (dropped.has(kid)) {
      out.break(BLOCK.has(kid.tag) ? 1 : 0);
      continue;
    }
    const { tag } = kid;
    if (tag === 'br') out.break(1);
    else if (tag === 'pre') code(kid, out);
    else if (tag === 'wbr') continue;
    else if (grid && tag === 'tr') row(kid, out);
    else if (!BLOCK.has(tag)) write(kid, out, dropped, false);
    else {
      out.break(APART.has(tag) ? 2 : 1);
      if (tag === 'li' && kid.chars > 0)
        out.mark(el.tag === 'ol' && el.kids.length > 1 ? `${++item}. ` : '- ');
      write(kid, out, dropped, tag === 'table' ? isGrid(kid) : grid && /^t(?:head|body|foot)$/.test(tag));
      out.break(APART.has(tag) ? 2 : 1);
    }
  }
}

/** Recognises a mark whose words are gone: it says nothing. */
const isBareMark = (line: string) => /^(?:-|\d+\.)$/.test(line);

/** Writes an element's text: paragraphs, headings and lists set apart, tables as rows, code unchanged. */
export function renderText(el: El, dropped: ReadonlySet<El> = new Set()): string {
  const out = new Writer();
  write(el, out, dropped, false);
  return calmLines(seenCharacters(out.toString()), isBareMark).trim();
}
