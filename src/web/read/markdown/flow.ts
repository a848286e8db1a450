import type { Steps } from '../../../core/steps.ts';
import { plainText } from '../measure.ts';
import { rawText, seenCharacters } from '../text.ts';
import type { El } from '../tree.ts';
import { fenced, inlineCode } from './code.ts';
import { Inline, type Span } from './inline.ts';
import { isDisplayed, texOf } from './math.ts';
import type { Notes } from './notes.ts';

export type Address = (href: string | undefined) => string;

/** The characters to write in one step. */
const MUCH_CHARS = 200_000;
export const HARD_BREAK = '  \n';
const PLAIN_SPANS: Readonly<Record<string, readonly [string, string]>> = {
  sup: ['<sup>', '</sup>'],
  sub: ['<sub>', '</sub>'],
};
const EMPHASIS: Readonly<Record<string, string>> = {
  strong: '**',
  b: '**',
  em: '*',
  i: '*',
  del: '~~',
  s: '~~',
  strike: '~~',
};
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);
/** Signs by which documentation links to a heading. */
const ANCHOR_SIGN = /^[¶#§🔗\u200b]?$/u;

export const clean = (text: string): string => (/^[\x20-\x7e\s]*$/.test(text) ? text : seenCharacters(text));

/** Writes the content of a line: words, links, code, pictures, formulas. */
export abstract class Flow {
  protected line = new Inline();
  /** Between the pieces of a heading or cell there is this instead of a new block. */
  protected between: string | null = null;
  protected readonly notes: Notes;
  readonly #address: Address;
  readonly #marks = new Set<string>();

  constructor(notes: Notes, address: Address) {
    this.notes = notes;
    this.#address = address;
  }

  abstract element(el: El, parent: El): void;
  protected abstract flush(): void;
  protected abstract block(text: string): void;
  protected abstract verbatim(text: string): void;
  /** Remembers that a link with this id means this place. */
  protected abstract here(id: string): void;

  kids(el: El): void {
    let beside = false;
    for (const kid of el.kids) beside = this.#kid(kid, el, beside);
  }

  /** Writes what an element holds, and stops after each part that holds much. */
  *kidsInSteps(el: El): Steps<void> {
    let beside = false;
    let written = 0;
    for (const kid of el.kids) {
      beside = this.#kid(kid, el, beside);
      written += typeof kid === 'string' ? kid.length : kid.chars;
      if (written < MUCH_CHARS) continue;
      written = 0;
      yield;
    }
  }

  /** Writes one of them, and tells whether it stands right beside the next one. */
  #kid(kid: El | string, el: El, beside: boolean): boolean {
    if (typeof kid === 'string') {
      this.line.words(clean(kid));
      return false;
    }
    if (kid.extra) {
      this.extra(kid.extra);
      return beside;
    }
    const isScript = kid.tag === 'sup' || kid.tag === 'sub';
    if (beside && !isScript) this.line.seam();
    this.element(kid, el);
    return !isScript;
  }

  protected inlineElement(el: El): void {
    const { tag, attrs } = el;
    if (tag === 'wbr' || tag === 'meta') return;
    if (tag === 'img') {
      this.#picture(el);
      return;
    }
    if (CODE.has(tag)) {
      this.#code(el);
      return;
    }
    if (tag === 'a') {
      this.#link(el);
      return;
    }
    if (tag === 'rt' && !el.up?.kids.some((kid) => typeof kid !== 'string' && kid.tag === 'rp')) {
      this.span(el, { open: '(', close: ')', kind: 'plain', used: false });
      return;
    }
    const mark = EMPHASIS[tag];
    if (mark && !this.#marks.has(mark) && !(this.between === ' ' && mark === '**')) {
      this.#marks.add(mark);
      this.span(el, { open: mark, close: mark, kind: 'emphasis', used: false });
      this.#marks.delete(mark);
      return;
    }
    const marks = PLAIN_SPANS[tag];
    const isNote = marks && el.kids.some((kid) => typeof kid !== 'string' && this.notes.labelOf(kid));
    if (marks && !isNote && el.chars < 100) {
      this.span(el, { open: marks[0], close: marks[1], kind: 'plain', used: false });
      return;
    }
    if (attrs.name && tag === 'a') this.here(attrs.name);
    this.kids(el);
  }

  protected span(el: El, span: Span): void {
    this.line.start(span);
    this.kids(el);
    this.line.end(span);
  }

  #link(el: El): void {
    const { href, name } = el.attrs;
    if (name) this.here(name);
    const label = this.notes.labelOf(el);
    if (label !== undefined) {
      this.line.raw(`[^${label}]`);
      return;
    }
    if (this.notes.isWayBack(el)) return;
    if (this.between === ' ' && el.chars < 4 && ANCHOR_SIGN.test(plainText(el))) return;
    const address = this.line.inLink ? '' : this.#address(href);
    if (address === '') {
      this.kids(el);
      return;
    }
    if (el.chars === address.length && plainText(el) === address) {
      this.line.raw(`<${address}>`);
      return;
    }
    this.span(el, { open: '[', close: `](${address})`, kind: 'link', used: false });
  }

  #code(el: El): void {
    const text = rawText(el);
    if (
      this.between === null &&
      text.trim().includes('\n') &&
      el.kids.some((kid) => typeof kid !== 'string' && kid.tag === 'br')
    ) {
      this.verbatim(fenced(el, clean));
      return;
    }
    const [only] = el.kids;
    const link = el.kids.length === 1 && typeof only === 'object' && only.tag === 'a' ? only : undefined;
    const address = link && !this.line.inLink ? this.#address(link.attrs.href) : '';
    if (/^\s/.test(text)) this.line.space();
    const span: Span = { open: '[', close: `](${address})`, kind: 'link', used: false };
    if (address) this.line.start(span);
    this.line.raw(inlineCode(clean(text)));
    if (address) this.line.end(span);
    if (/\s$/.test(text)) this.line.space();
  }

  #picture({ attrs }: El): void {
    const alt = clean(attrs.alt ?? '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 500);
    if (alt === '' || this.between === ' ') return;
    const source = this.#address(attrs['data-src'] || attrs['data-lazy-src'] || attrs.src);
    const text = alt.replace(/[[\]\\`*_<&]/g, '\\$&');
    this.line.space();
    this.line.raw(this.line.inLink ? text : `![${text}](${source.length < 300 ? source : ''})`);
    this.line.space();
  }

  /** Writes what the plain text leaves out: formulas, captions, footnotes. */
  protected extra(el: El): void {
    if (el.tag !== 'math' && el.tag !== 'script') {
      this.element(el, el);
      return;
    }
    const tex = clean(texOf(el));
    if (tex === '') return;
    if (isDisplayed(el) && this.between === null) {
      this.flush();
      this.block(`$$\n${tex}\n$$`);
    } else this.line.raw(`$${tex}$`);
  }
}
