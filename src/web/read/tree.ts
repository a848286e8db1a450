import { Parser } from 'htmlparser2';
import { atOnce, type Steps } from '../../core/steps.ts';
import { inOneStep } from './tokens.ts';

/** One element of a page. Its text stands as plain strings among its children. */
export interface El {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, string>>;
  kids: (El | string)[];
  up: El | null;
  /** Its class and id as one string to search: lower case, words apart by spaces, hyphens or underscores. */
  readonly names: string;
  /** Characters of text in it, and of text inside links. `measure` fills both in. */
  chars: number;
  linkChars: number;
  /** Characters of running text: sentences in paragraphs, not labels and links. */
  prose: number;
  /** True while its measures, and those of all elements inside it, fit what they hold. */
  measured: boolean;
  /**
   * Content that only Markdown shows at this place: a formula, a caption, a footnote. No measure counts it.
   */
  extra?: El;
}

/**
 * A page as one tree, with the head's content kept separately. The html, head and body tags are not in the
 * tree.
 */
export interface Page {
  readonly root: El;
  /** The attributes of the first html and the first body tag. */
  readonly shell: {
    readonly html?: Readonly<Record<string, string>>;
    readonly body?: Readonly<Record<string, string>>;
  };
  readonly title: string;
  readonly lang: string;
  /** The attributes of its `meta` elements. */
  readonly meta: readonly Readonly<Record<string, string>>[];
  readonly jsonLd: readonly string[];
  readonly styles: readonly string[];
  /** The address that the page's links start from, and the page's own best address, if it names them. */
  readonly base: string;
  readonly canonical: string;
  /** True if it had more elements than the tree keeps. */
  readonly truncated: boolean;
  readonly has: Found;
}

/** What few pages hold. Nobody need look for it on the others. */
interface Found {
  noscript: boolean;
  microdata: boolean;
  brackets: boolean;
}

/**
 * The greatest depth. Deeper elements hang from the one at this depth, so that every later walk may recurse.
 */
const MAX_DEPTH = 400;
/** More elements than any page for people has. */
export const MAX_ELEMENTS = 150_000;

/** Elements whose contents nobody reads on the page. */
const UNREAD = new Set([
  ...['svg', 'canvas', 'template', 'object', 'embed', 'audio', 'video', 'map', 'iframe', 'noembed'],
  ...['select', 'datalist', 'textarea', 'input', 'dialog', 'noframes', 'applet', 'progress', 'meter'],
]);
/** Scripts that hold a formula. */
const TEX = /^math\/(?:tex|asciimath)/i;
const SHELL = new Set(['html', 'head', 'body', 'frameset']);
/** Elements that stand for something outside the page. */
const OUTSIDE = new Set(['link', 'base', 'frame']);
/** Elements that are not simply put into the tree. */
const SPECIAL = new Set([...UNREAD, ...SHELL, ...OUTSIDE, 'math', 'script', 'style', 'title', 'meta']);

/** A post's classes name its categories, and say nothing about the element. */
const POST = /(?:^|\s)(?:hentry|type-post|post-\d+|status-publish)(?:\s|$)/;
const FILED = /(?:^|\s)(?:category|tag|post_tag|cat|author|topic)-[\w-]+/g;
/** A switch such as `sidebar--false` names something that is not there. */
const SWITCH = /\S+--(?:true|false)(?=\s|$)/g;
/** Values in utility classes: `h-[var(--nav-height)]`. */
const BRACKETED = /\[[^\]\s]*\]/g;
export function searchable(names: string): string {
  let plain = names.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  // Most names have neither, and looking for them costs more than everything else here.
  if (plain.includes('--')) plain = plain.replace(SWITCH, '');
  if (plain.includes('[')) plain = plain.replace(BRACKETED, '');
  return POST.test(plain) ? plain.replace(FILED, '') : plain;
}

/**
 * The most elements that may be open at once, as the parser counts them. More end the page, because each
 * stray closing tag walks past all of them.
 */
export const MAX_OPEN = 2_000;
const LONGEST_NAMES = 500;
const LONGEST_TITLE = 500;

/** Remembers so many names. Most elements are called like another one on the page. */
const MOST_KNOWN = 2_000;
function namesOf({ class: classes, id }: Record<string, string>, known: Map<string, string>): string {
  if (!classes && !id) return '';
  // An id stands once on a page.
  const found = id || !classes ? undefined : known.get(classes);
  if (found !== undefined) return found;
  const names = searchable(`${classes ?? ''} ${id ?? ''}`.slice(0, LONGEST_NAMES));
  if (!id && classes && classes.length < LONGEST_NAMES && known.size < MOST_KNOWN) known.set(classes, names);
  return names;
}

export const element = (tag: string, attrs: Record<string, string> = {}, names = ''): El => ({
  tag,
  attrs,
  kids: [],
  up: null,
  names,
  chars: 0,
  linkChars: 0,
  prose: 0,
  measured: false,
});

type Raw = 'title' | 'style' | 'script';

/** Grows the tree from a parser's events. */
class Builder {
  readonly root = element('body');
  readonly meta: Record<string, string>[] = [];
  readonly jsonLd: string[] = [];
  readonly styles: string[] = [];
  readonly shell: { html?: Record<string, string>; body?: Record<string, string> } = {};
  title = '';
  lang = '';
  base = '';
  canonical = '';
  elements = 0;
  /** The open element, its depth, and the number of open deeper elements that hang from it. */
  #at = this.root;
  #depth = 0;
  #over = 0;
  /** The number of open unread elements, one inside the other. */
  #unread = 0;
  /** The element whose text is kept apart, and that text. */
  #raw: Raw | null = null;
  #rawText = '';
  /** The classes that elements without an id had so far, as they are written and as one string to search. */
  readonly #names = new Map<string, string>();
  readonly has: Found = { noscript: false, microdata: false, brackets: false };

  #element(tag: string, attrs: Record<string, string>): El {
    if (tag === 'noscript') this.has.noscript = true;
    if (attrs.itemprop) this.has.microdata = true;
    return element(tag, attrs, namesOf(attrs, this.#names));
  }

  open(tag: string, attrs: Record<string, string>): void {
    if (this.#unread === 0 && !SPECIAL.has(tag)) this.#enter(this.#element(tag, attrs));
    else if (this.#unread > 0 || UNREAD.has(tag)) {
      if (UNREAD.has(tag)) this.#unread++;
    } else if (tag === 'math' || (tag === 'script' && TEX.test(attrs.type ?? ''))) this.#apart(tag, attrs);
    else if (tag === 'script' || tag === 'style' || (tag === 'title' && !this.title)) {
      this.#raw = tag;
      this.#rawText = '';
    } else if (SHELL.has(tag)) {
      this.lang ||= attrs.lang || attrs['xml:lang'] || '';
      if (tag === 'html' || tag === 'body') this.shell[tag] ??= attrs;
    } else if (tag === 'meta') {
      this.meta.push(attrs);
      // Keep microdata at its place in the text.
      if (attrs.itemprop) this.#at.kids.push({ ...this.#element(tag, attrs), up: this.#at });
    } else if (tag === 'base') this.base ||= attrs.href ?? '';
    else if (tag === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attrs.rel ?? ''))
      this.canonical ||= attrs.href ?? '';
    else if (!OUTSIDE.has(tag)) this.#enter(this.#element(tag, attrs));
  }

  /** Opens an element beside the tree. The tree holds only its place. */
  #apart(tag: string, attrs: Record<string, string>): void {
    const { kids } = this.#at;
    this.#enter(this.#element(tag, attrs));
    const el = kids.pop();
    if (typeof el === 'object') kids.push({ ...element('extra'), up: el.up, extra: el });
  }

  #enter(el: El): void {
    this.elements++;
    el.up = this.#at;
    this.#at.kids.push(el);
    if (this.#depth < MAX_DEPTH) {
      this.#at = el;
      this.#depth++;
    } else this.#over++;
  }

  text(said: string): void {
    // If the page ends inside a closing tag, the parser gives the rest from the middle of a character.
    const first = said.charCodeAt(0);
    const text = first >= 0xdc00 && first <= 0xdfff ? said.slice(1) : said;
    if (this.#raw) this.#rawText += text;
    else if (this.#unread === 0) {
      this.has.brackets ||= text.includes('[');
      const { kids } = this.#at;
      const before = kids.at(-1);
      if (typeof before === 'string') kids[kids.length - 1] = before + text;
      else kids.push(text);
    }
  }

  close(tag: string): void {
    if (this.#unread > 0) {
      if (UNREAD.has(tag)) this.#unread--;
    } else if (this.#raw) {
      this.#keep(this.#raw);
      this.#raw = null;
    } else if (SHELL.has(tag) || OUTSIDE.has(tag) || tag === 'meta') return;
    else if (this.#over > 0) this.#over--;
    else if (this.#at.up) {
      this.#at = this.#at.up;
      this.#depth--;
    }
  }

  #keep(raw: Raw): void {
    if (raw === 'style') this.styles.push(this.#rawText);
    // The only scripts left in the page are JSON-LD.
    if (raw === 'script') this.jsonLd.push(this.#rawText);
    if (raw === 'title') {
      const start = this.#rawText.slice(0, LONGEST_TITLE * 4);
      this.title = start.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE);
    }
  }
}

/** The characters of markup to parse in one step. */
const PIECE_CHARS = 1_000_000;

/** Parses repaired markup of any quality, a piece at a time. A piece ends before a tag, so it cuts no character in two. */
export function* parsing(html: string, pieceChars = PIECE_CHARS): Steps<Page> {
  const page = new Builder();
  let open = 0;
  let isTooMuch = false;
  const parser = new Parser(
    {
      onopentag(tag, attrs) {
        isTooMuch ||= ++open > MAX_OPEN || page.elements > MAX_ELEMENTS;
        if (isTooMuch) parser.pause();
        else page.open(tag, attrs);
      },
      ontext: (text) => page.text(text),
      onclosetag: (tag) => {
        open--;
        page.close(tag);
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true, ...inOneStep },
  );
  for (let at = 0; at < html.length && !isTooMuch; ) {
    const next = html.indexOf('<', at + pieceChars);
    const end = next < 0 ? html.length : next;
    parser.write(html.slice(at, end));
    at = end;
    yield;
  }
  parser.end();
  const { root, shell, title, lang, meta, jsonLd, styles, base, canonical, has } = page;
  const truncated = isTooMuch || page.elements > MAX_ELEMENTS;
  return { root, shell, title, lang, meta, jsonLd, styles, base, canonical, truncated, has };
}

/** Parses repaired markup in one go. */
export function parsePage(html: string): Page {
  return atOnce(parsing(html));
}
