import { Parser } from 'htmlparser2';

/** One element of a page; text is kept as plain strings among its children. */
export interface El {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, string>>;
  kids: (El | string)[];
  up: El | null;
  /** Its class and id as one searchable string: lower case, words apart by spaces, hyphens or underscores. */
  readonly names: string;
  /** Characters of text in it, and of those inside links; filled in by `measure`. */
  chars: number;
  linkChars: number;
  /** Characters of running text: sentences in paragraphs, not labels and links. */
  prose: number;
}

/** A page as one tree, with what its head said taken apart; html, head and body tags leave no trace in it. */
export interface Page {
  readonly root: El;
  readonly title: string;
  readonly lang: string;
  readonly meta: readonly Readonly<Record<string, string>>[];
  readonly links: readonly Readonly<Record<string, string>>[];
  readonly jsonLd: readonly string[];
  readonly styles: readonly string[];
  readonly scripts: number;
  readonly scriptChars: number;
  readonly frames: number;
  readonly truncated: boolean;
}

/** Deeper elements hang from the one at this depth, so that every later walk may recurse. */
const MAX_DEPTH = 400;
/** More elements than any page a person reads. */
export const MAX_ELEMENTS = 150_000;

/** Elements whose contents nobody reads on the page. */
const UNREAD = new Set([
  ...['svg', 'math', 'canvas', 'template', 'object', 'embed', 'audio', 'video', 'map'],
  ...['select', 'datalist', 'textarea', 'input', 'dialog', 'noframes', 'applet', 'progress', 'meter'],
]);
const SHELL = new Set(['html', 'head', 'body', 'frameset']);
const VOID = new Set(['meta', 'link', 'base', 'iframe', 'frame']);

/** What a page is filed under says nothing about the element, nor does a switch such as `sidebar--false`. */
const FILED = /(?:^|\s)(?:(?:category|tag|post_tag|cat|author|topic)-[\w-]+|\S+--(?:true|false)(?=\s|$))/g;
/** Values in utility classes: `h-[var(--nav-height)]`. */
const BRACKETED = /\[[^\]\s]*\]/g;
const searchable = (names: string) =>
  names
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(FILED, '')
    .replace(BRACKETED, '');

const LONGEST_NAMES = 500;
const LONGEST_TITLE = 500;

export const element = (tag: string, attrs: Record<string, string> = {}): El => ({
  tag,
  attrs,
  kids: [],
  up: null,
  names:
    attrs.class || attrs.id
      ? searchable(`${attrs.class ?? ''} ${attrs.id ?? ''}`.slice(0, LONGEST_NAMES))
      : '',
  chars: 0,
  linkChars: 0,
  prose: 0,
});

/** Parses markup of any quality; `truncated` says that the page had more elements than are kept. */
export function parsePage(html: string): Page {
  const root = element('body');
  const meta: Record<string, string>[] = [];
  const links: Record<string, string>[] = [];
  const jsonLd: string[] = [];
  const styles: string[] = [];
  let [title, lang, raw, skipped, depth, elements, scripts, scriptChars, frames] = [
    '',
    '',
    '',
    0,
    0,
    0,
    0,
    0,
    0,
  ];
  let at = root;
  let over = 0;
  let wanted: 'title' | 'style' | 'json' | 'script' | null = null;
  const parser = new Parser(
    {
      onopentag(tag, attrs) {
        if (skipped > 0) {
          if (UNREAD.has(tag)) skipped++;
          return;
        }
        if (tag === 'script') {
          wanted = /ld\+json/i.test(attrs.type ?? '') ? 'json' : 'script';
          scripts++;
          raw = '';
        } else if (tag === 'style' || (tag === 'title' && !title)) {
          wanted = tag;
          raw = '';
        } else if (SHELL.has(tag)) {
          if (tag === 'html') lang ||= attrs.lang || attrs['xml:lang'] || '';
          if (tag === 'body') lang ||= attrs.lang || '';
        } else if (tag === 'meta') meta.push(attrs);
        else if (tag === 'link') links.push(attrs);
        else if (VOID.has(tag)) {
          if (tag !== 'base') frames++;
        } else if (UNREAD.has(tag)) skipped = 1;
        if (skipped || wanted || SHELL.has(tag) || VOID.has(tag)) {
          // A microdata or body `meta` is read where it stands.
          if (tag === 'meta' && attrs.itemprop) at.kids.push({ ...element('meta', attrs), up: at });
          return;
        }
        if (++elements > MAX_ELEMENTS) {
          parser.pause();
          return;
        }
        const el = element(tag, attrs);
        el.up = at;
        at.kids.push(el);
        if (depth < MAX_DEPTH) {
          at = el;
          depth++;
        } else over++;
      },
      ontext(text) {
        if (wanted) raw += text;
        else if (skipped === 0) {
          const last = at.kids.length - 1;
          const before = at.kids[last];
          if (typeof before === 'string') at.kids[last] = before + text;
          else at.kids.push(text);
        }
      },
      onclosetag(tag) {
        if (skipped > 0) {
          if (UNREAD.has(tag)) skipped--;
          return;
        }
        if (wanted) {
          if (wanted === 'title')
            title = raw
              .slice(0, LONGEST_TITLE * 4)
              .replace(/\s+/g, ' ')
              .trim()
              .slice(0, LONGEST_TITLE);
          else if (wanted === 'style') styles.push(raw);
          else if (wanted === 'json') jsonLd.push(raw);
          else scriptChars += raw.length;
          wanted = null;
          return;
        }
        if (SHELL.has(tag) || VOID.has(tag) || (tag === 'title' && at.tag !== 'title')) return;
        if (over > 0) over--;
        else if (at.up) {
          at = at.up;
          depth--;
        }
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.write(html);
  parser.end();
  const truncated = elements > MAX_ELEMENTS;
  return { root, title, lang, meta, links, jsonLd, styles, scripts, scriptChars, frames, truncated };
}
