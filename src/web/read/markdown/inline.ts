import { areTwoWords } from '../text.ts';
import { escapeText } from './escape.ts';

/** A pair of marks around text, such as `**`, or a link. */
export interface Span {
  readonly open: string;
  readonly close: string;
  /** Marks of emphasis have rules about the characters beside them; others may stand anywhere. */
  readonly kind: 'emphasis' | 'link' | 'plain';
  /** True once text stands inside a link: its next block does not repeat it. */
  used: boolean;
}

interface Opened {
  readonly span: Span;
  /** Its place among the pieces, or -1 as long as no text has followed. */
  at: number;
}

const isBlank = (c: string) => c === '' || /\s/.test(c);
const isPunctuation = (c: string) => /[\p{P}\p{S}]/u.test(c);
/** Gives the last character. A surrogate pair is one. */
const lastOf = (text: string): string => [...text.slice(-2)].at(-1) ?? '';

/** The text of one block while it grows: words, marks around them, and what is written as it is. */
export class Inline {
  #pieces: string[] = [];
  #open: Opened[] = [];
  /** Emphasis that has ended right here: whether it may end here depends on the next character. */
  #ended: { span: Span; openedAt: number; at: number }[] = [];
  #space = false;
  #seam = false;
  #broken = false;
  #lastWords = '';

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** True if nothing stands after the last line break. */
  get endsInBreak(): boolean {
    return this.#broken;
  }

  get inLink(): boolean {
    return this.#open.some(({ span }) => span.kind === 'link');
  }

  seam(): void {
    this.#seam = true;
  }

  space(): void {
    this.#space = !this.isEmpty;
  }

  start(span: Span): void {
    this.#open.push({ span, at: -1 });
  }

  end(span: Span): void {
    const place = this.#open.findLastIndex((each) => each.span === span);
    if (place < 0) return;
    const [opened] = this.#open.splice(place, 1);
    if (!opened || opened.at < 0) return;
    this.#pieces.push(span.close);
    if (span.kind === 'emphasis')
      this.#ended.push({ span, openedAt: opened.at, at: this.#pieces.length - 1 });
    else this.#ended = [];
  }

  words(text: string): void {
    const flat = text.replace(/[\s\u00a0]+/g, ' ');
    if (flat === ' ') {
      this.space();
      return;
    }
    const bare = flat.trim();
    if (bare === '') return;
    if (flat.startsWith(' ') || (this.#seam && areTwoWords(this.#lastWords, bare))) this.space();
    this.#seam = false;
    this.#write(escapeText(bare, this.inLink), bare[0] ?? '');
    this.#lastWords = bare.slice(-2);
    this.#space = flat.endsWith(' ');
  }

  /** Writes something that is Markdown already. */
  raw(markdown: string): void {
    if (markdown === '') return;
    this.#seam = false;
    this.#write(markdown, markdown[0] ?? '');
    this.#lastWords = '';
  }

  lineBreak(mark: string): void {
    if (this.isEmpty) return;
    this.#settle('');
    if (!this.#broken) this.#pieces.push(mark);
    this.#broken = true;
    this.#space = false;
    this.#lastWords = '';
  }

  #write(markdown: string, first: string): void {
    const spaced = this.#space && !this.#broken;
    this.#broken = false;
    if (!spaced) this.#goOn();
    this.#settle(spaced ? '' : first);
    if (spaced) this.#pieces.push(' ');
    this.#space = false;
    for (const opened of this.#open) {
      if (opened.at >= 0) continue;
      const { span } = opened;
      span.used = true;
      if (span.kind === 'emphasis' && !this.#mayOpen(first)) opened.at = this.#pieces.push('') - 1;
      else this.#begin(opened);
    }
    this.#pieces.push(markdown);
  }

  /** Joins two pieces of emphasis side by side: their marks would run together. */
  #goOn(): void {
    for (const opened of this.#open) {
      const ended = this.#ended.at(-1);
      if (opened.at >= 0 || ended?.at !== this.#pieces.length - 1) continue;
      if (ended.span.open !== opened.span.open || this.#pieces[ended.openedAt] === '') continue;
      this.#pieces.pop();
      opened.at = ended.openedAt;
      this.#ended.pop();
    }
  }

  #begin(opened: Opened): void {
    const { span } = opened;
    const before = this.#pieces.at(-1) ?? '';
    if (span.open.startsWith('[') && before.endsWith('!') && !before.endsWith('\\!')) {
      this.#pieces[this.#pieces.length - 1] = `${before.slice(0, -1)}\\!`;
    }
    opened.at = this.#pieces.push(span.open) - 1;
  }

  #mayOpen(next: string): boolean {
    if (isBlank(next)) return false;
    const before = lastOf(this.#pieces.findLast((piece) => piece !== '') ?? '');
    return !isPunctuation(next) || isBlank(before) || isPunctuation(before);
  }

  /** Takes away marks of emphasis that could not end before this character. */
  #settle(next: string): void {
    for (const { openedAt, at } of this.#ended) {
      const inside = lastOf(
        this.#pieces.slice(Math.max(0, at - 3), at).findLast((piece) => piece !== '') ?? '',
      );
      const mayClose =
        this.#pieces[openedAt] !== '' && (!isPunctuation(inside) || isBlank(next) || isPunctuation(next));
      if (!mayClose) {
        this.#pieces[at] = '';
        this.#pieces[openedAt] = '';
      }
    }
    this.#ended = [];
  }

  /** Ends the block and gives its Markdown. Spans that are still open go on in the next block. */
  take(): string {
    const goingOn = this.#open.map(({ span }) => span);
    for (const span of goingOn.toReversed()) this.end(span);
    this.#settle('');
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#space = false;
    this.#seam = false;
    this.#broken = false;
    this.#lastWords = '';
    for (const span of goingOn) if (span.kind !== 'link' || !span.used) this.start(span);
    return text;
  }
}
