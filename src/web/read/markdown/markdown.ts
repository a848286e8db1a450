import type { Steps } from '../../../core/steps.ts';
import { BLOCK, plainText } from '../measure.ts';
import { isAdvice } from '../strip.ts';
import { isGrid } from '../text.ts';
import type { El } from '../tree.ts';
import { codeIn, fenced, inlineCode } from './code.ts';
import { escapeLineStart } from './escape.ts';
import { type Address, clean, Flow, HARD_BREAK } from './flow.ts';
import { Inline } from './inline.ts';
import { notesIn } from './notes.ts';
import { type Heading, Output } from './output.ts';
import { rowsOf, tableOf } from './table.ts';

/** A part of a page as Markdown, with the places of its headings and of elements that links may lead to. */
export interface Markdown {
  readonly text: string;
  readonly headings: readonly Heading[];
  readonly places: ReadonlyMap<string, number>;
}

const HEADING = /^h([1-6])$/;
/** Writes one part of a page. */
class Writer extends Flow {
  readonly out = new Output();
  readonly #dropped: ReadonlySet<El>;
  #hasRule = false;
  #inCell = false;

  constructor(top: El, dropped: ReadonlySet<El>, address: Address) {
    super(notesIn(top), address);
    this.#dropped = dropped;
  }

  here(id: string): void {
    this.out.here(id);
  }

  /** Ends the paragraph, or begins a new line of a cell. */
  flush(): void {
    if (this.line.isEmpty) return;
    if (this.between !== null) {
      this.line.lineBreak(this.between);
      return;
    }
    const text = this.line.take();
    const lines = text.split(HARD_BREAK).map((line) => escapeLineStart(line.trim()));
    while (lines.at(-1) === '') lines.pop();
    if (lines.length > 0) this.block(lines.join(HARD_BREAK));
  }

  block(text: string, heading?: { level: number; text: string }): void {
    // A line across the page says nothing before a heading, and nothing twice.
    if (this.#hasRule && !heading && this.out.length > 0) this.out.block('---');
    this.#hasRule = false;
    this.out.block(text, heading);
  }

  element(el: El, parent: El): void {
    const { tag, attrs } = el;
    // A row with a hole would shift its other cells, so a table stays whole.
    if (!this.#inCell && this.#dropped.has(el) && tag !== 'figure' && tag !== 'figcaption') {
      if (BLOCK.has(tag)) this.flush();
      return;
    }
    if (attrs.id) this.out.here(attrs.id);
    const label = this.notes.noteAt(el);
    if (label !== undefined && this.between === null) {
      this.#inside(el, `[^${label}]: `, '    ', 2);
      return;
    }
    if (BLOCK.has(tag)) this.blockElement(el, parent);
    else this.inlineElement(el);
  }

  blockElement(el: El, parent: El): void {
    const { tag } = el;
    if (tag === 'br') {
      if (this.between !== null) this.line.lineBreak(this.between);
      else if (this.line.endsInBreak) this.flush();
      else this.line.lineBreak(HARD_BREAK);
      return;
    }
    this.flush();
    const level = HEADING.exec(tag)?.[1];
    if (this.between !== null) {
      this.kids(el);
      this.flush();
    } else if (level) this.#heading(el, Number(level));
    else if (tag === 'pre') this.verbatim(fenced(el, clean));
    else if (tag === 'ul' || tag === 'ol' || tag === 'menu') this.#list(el, parent);
    else if (tag === 'li') this.#inside(el, '- ', '  ', 1);
    else if (tag === 'blockquote' || (tag === 'aside' && isAdvice(el))) this.#inside(el, '> ', '> ', 2);
    else if (tag === 'dd') this.#inside(el, ': ', '  ', 1);
    else if (tag === 'table') this.#table(el);
    else if (tag === 'hr') this.#hasRule = true;
    else if (tag === 'summary') {
      this.span(el, { open: '**', close: '**', kind: 'emphasis', used: false });
      this.flush();
    } else {
      this.kids(el);
      this.flush();
    }
  }

  /** Writes an element inside a list item, quotation or note. */
  #inside(el: El, first: string, rest: string, gap: number): void {
    this.flush();
    this.out.gap(gap);
    this.out.enter(first, rest);
    this.kids(el);
    this.flush();
    this.out.leave();
  }

  #heading(el: El, level: number): void {
    this.between = ' ';
    this.kids(el);
    this.between = null;
    const text = this.line
      .take()
      .trim()
      .replace(/(?<!#)(#+)$/, '\\$1');
    if (text !== '') this.block(`${'#'.repeat(level)} ${text}`, { level, text: clean(plainText(el)) });
  }

  #list(list: El, parent: El): void {
    const isNumbered = list.tag === 'ol' && list.kids.length > 1;
    let number = Number.parseInt(list.attrs.start ?? '', 10);
    if (!(number >= 0 && number < 1e8)) number = 1;
    this.out.gap(parent.tag === 'li' && (!isNumbered || number === 1) ? 1 : 2);
    for (const kid of list.kids) {
      if (typeof kid === 'string') this.line.words(clean(kid));
      else if (kid.extra) this.extra(kid.extra);
      else if (kid.tag !== 'li' || this.#dropped.has(kid) || this.notes.noteAt(kid) !== undefined) {
        if (kid.tag === 'ul' || kid.tag === 'ol') this.#inside(kid, '  ', '  ', 1);
        else this.element(kid, list);
      } else {
        if (kid.attrs.id) this.out.here(kid.attrs.id);
        const said = Number.parseInt(kid.attrs.value ?? '', 10);
        if (said >= 0 && said < 1e8) number = said;
        const mark = isNumbered ? `${number}. ` : '- ';
        if (kid.chars > 0) number++;
        this.#inside(kid, mark, ' '.repeat(mark.length), 1);
      }
    }
    this.flush();
  }

  verbatim(text: string): void {
    this.flush();
    if (text === '') return;
    if (this.between === null) this.block(text);
    else this.line.raw(inlineCode(text.split('\n').slice(1, -1).join(' ')));
  }

  #table(table: El): void {
    const code = codeIn(table);
    if (code) {
      this.verbatim(fenced(code, clean));
      return;
    }
    if (!isGrid(table)) {
      this.kids(table);
      this.flush();
      return;
    }
    for (const kid of table.kids)
      if (typeof kid !== 'string' && kid.tag === 'caption') {
        this.kids(kid);
        this.flush();
      }
    const rows = rowsOf(table).map(({ cells, isHead }) => ({
      isHead,
      texts: cells.map((cell) => (cell ? this.#cell(cell) : '')),
    }));
    const full = rows.filter(({ texts }) => texts.some((text) => text !== ''));
    if (full.length > 0)
      this.block(
        tableOf(
          full.map(({ texts }) => texts),
          full[0]?.isHead ?? false,
        ),
      );
  }

  #cell(cell: El): string {
    const before = this.line;
    this.line = new Inline();
    this.between = '<br>';
    this.#inCell = true;
    if (cell.attrs.id) this.out.here(cell.attrs.id);
    this.kids(cell);
    this.between = null;
    this.#inCell = false;
    const text = this.line.take();
    this.line = before;
    return (
      text
        .replace(/^(?:<br>| )+|(?:<br>| )+$/g, '')
        // A backslash of the page's own before the bar would make it the end of the cell.
        .replace(/(?<!\\)(\\*)\|/g, (bar, own: string) => (own.length % 2 === 1 ? bar : `${own}\\|`))
        .replace(/\s+/g, ' ')
    );
  }

  end(): Markdown {
    this.flush();
    const { headings, places } = this.out;
    return { text: this.out.toString(), headings, places };
  }
}

/** Writes a part of a page as Markdown. */
export function* writingMarkdown(top: El, dropped: ReadonlySet<El>, address: Address): Steps<Markdown> {
  const writer = new Writer(top, dropped, address);
  yield* writer.kidsInSteps(top);
  return writer.end();
}
