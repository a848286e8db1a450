import { type El, element } from './tree.ts';

/** Elements that start a new line on the page. */
export const BLOCK = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'body', 'br', 'caption', 'center', 'dd', 'details', 'div'],
  ...['dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...[
    'header',
    'hgroup',
    'hr',
    'legend',
    'li',
    'main',
    'menu',
    'nav',
    'noscript',
    'ol',
    'option',
    'p',
    'pre',
  ],
  ...['section', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul', 'search'],
]);

/** A line of text on the page: its length, its links, its sentence marks. */
interface Line {
  chars: number;
  linked: number;
  marks: number;
  dense: number;
}

/** Recognises characters of scripts without spaces. Each of them says more. */
const isDense = (code: number) =>
  (code >= 0x2e80 && code <= 0xd7ff) ||
  (code >= 0x0e00 && code <= 0x0eff) ||
  (code >= 0x1000 && code <= 0x109f) ||
  (code >= 0x1780 && code <= 0x17ff);
const isMark = (code: number) =>
  code === 46 ||
  code === 44 ||
  code === 59 ||
  code === 63 ||
  code === 33 ||
  code === 58 ||
  code === 0x3002 ||
  code === 0xff0c ||
  code === 0x3001 ||
  code === 0x060c ||
  code === 0x0964 ||
  code === 0x061f;

function read(text: string, line: Line, linked: boolean): number {
  let chars = 0;
  let space = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 32 || (code >= 9 && code <= 13) || code === 160) {
      if (!space) chars++;
      space = true;
    } else {
      if (isDense(code)) {
        line.dense++;
        chars++;
      }
      chars++;
      if (isMark(code)) line.marks++;
      space = false;
    }
  }
  line.chars += chars;
  if (linked) line.linked += chars;
  return chars;
}

/** Tells running text from a label, a menu entry or a button. */
const isProse = ({ chars, linked, marks, dense }: Line) =>
  chars >= 50 && (marks > 0 || dense > 25) && linked < chars * 0.5;

/** Notes that an element holds something else than before, so that it is measured anew, with all around it. */
export function changed(el: El): void {
  for (let at: El | null = el; at?.measured; at = at.up) at.measured = false;
}

/** Fills in the measures of an element and of all elements inside it, where they may be others than before. */
export function measure(
  el: El,
  inLink = false,
  line: Line = { chars: 0, linked: 0, marks: 0, dense: 0 },
): void {
  // A block's measures depend on nothing around it but links, and nothing moves into or out of those.
  if (el.measured && BLOCK.has(el.tag)) return;
  el.measured = true;
  el.chars = 0;
  el.linkChars = 0;
  el.prose = 0;
  const block = BLOCK.has(el.tag);
  const linked = inLink || el.tag === 'a' || el.tag === 'button';
  let own: Line = block ? { chars: 0, linked: 0, marks: 0, dense: 0 } : line;
  const close = () => {
    if (isProse(own)) el.prose += own.chars - own.linked;
    own = { chars: 0, linked: 0, marks: 0, dense: 0 };
  };
  for (const kid of el.kids) {
    if (typeof kid === 'string') {
      const chars = read(kid, own, linked);
      el.chars += chars;
      if (linked) el.linkChars += chars;
      continue;
    }
    if (block && BLOCK.has(kid.tag)) close();
    measure(kid, linked, own);
    el.chars += kid.chars;
    el.linkChars += kid.linkChars;
    el.prose += kid.prose;
  }
  if (block) close();
}

/** Gives the share of links in an element's text. */
export const linkShare = (el: El): number => (el.chars > 0 ? el.linkChars / el.chars : 0);

/**
 * Visits elements from the outside in. It skips the inside of an element when the visitor answers `false`.
 */
export function visit(el: El, see: (el: El) => boolean | undefined): void {
  for (const kid of el.kids) {
    if (typeof kid !== 'string' && see(kid) !== false) visit(kid, see);
  }
}

/** A removal that can be undone: the contents of each element before it. */
export type Removed = Map<El, (El | string)[]>;

/**
 * Takes elements out of the tree, from the outside in, and tells what was there before. Those that only
 * Markdown shows keep their place there, and count for nothing.
 */
export function prune(
  el: El,
  unwanted: (el: El) => boolean,
  isExtra: (el: El) => boolean = () => false,
  removed: Removed = new Map(),
): Removed {
  let kept: (El | string)[] | undefined;
  el.kids.forEach((kid, i) => {
    if (typeof kid === 'string' || !unwanted(kid)) {
      kept?.push(kid);
      if (typeof kid !== 'string') prune(kid, unwanted, isExtra, removed);
      return;
    }
    kept ??= el.kids.slice(0, i);
    if (isExtra(kid)) kept.push({ ...element('extra'), up: el, extra: kid });
    else kid.up = null;
  });
  if (kept) {
    if (!removed.has(el)) removed.set(el, el.kids);
    el.kids = kept;
    changed(el);
  }
  return removed;
}

/** Puts back what removals took out, the last removal first. */
export function restore(removals: readonly Removed[]): void {
  for (const removed of removals.toReversed())
    for (const [el, kids] of removed) {
      el.kids = kids;
      changed(el);
      for (const kid of kids) if (typeof kid !== 'string') kid.up = el;
    }
}

/** Gives all text inside an element as one line, for short things such as titles and names. */
export function plainText(el: El): string {
  const parts: string[] = [];
  const gather = (from: El) => {
    for (const kid of from.kids) {
      if (typeof kid === 'string') parts.push(kid);
      else {
        if (BLOCK.has(kid.tag)) parts.push(' ');
        gather(kid);
        if (BLOCK.has(kid.tag)) parts.push(' ');
      }
    }
  };
  gather(el);
  return parts.join('').replace(/\s+/g, ' ').trim();
}
