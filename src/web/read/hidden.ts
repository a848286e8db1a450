import { isClosedBy, shownBefore } from './buttons.ts';
import { prune, visit } from './measure.ts';
import { words } from './strip.ts';
import type { El } from './tree.ts';

/** Declarations that hide an element, one a line. */
const UNSEEN = [
  /(?:^|;)\s*display\s*:\s*none/,
  /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/,
  /(?:^|;)\s*opacity\s*:\s*0*(?:\.0+)?%?\s*(?:!important\s*)?(?:;|$)/,
  /(?:^|;)\s*font-size\s*:\s*(?:0|0?\.\d+|1)(?:\.\d+)?(?:px|pt)\b/,
  /(?:^|;)\s*font-size\s*:\s*0(?:\.0\d*)?(?:r?em|%|v[wh])?\s*(?:!important\s*)?(?:;|$)/,
  /(?:^|;)\s*clip\s*:\s*rect\(\s*(?:0|1px|0px)[\s,]+(?:0|1px|0px)[\s,]+(?:0|1px|0px)[\s,]+(?:0|1px|0px)\s*\)/,
  /(?:^|;)\s*clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0(?:px)?\s+0(?:px)?\s*,\s*0(?:px)?\s+0(?:px)?\s*,\s*0)/,
  /(?:^|;)\s*transform\s*:[^;]*scale(?:3d|x|y)?\(\s*0(?:\.0+)?\s*[,)]/,
  /(?:^|;)\s*transform\s*:[^;]*translate(?:3d|x|y)?\([^)]*-\d{4,}px/,
  /(?:^|;)\s*text-indent\s*:\s*-\d{3,}(?:px|em|%)/,
  /(?:^|;)\s*content-visibility\s*:\s*hidden/,
];
const MOVED_AWAY =
  /(?:^|;)\s*(?:left|right|top|bottom|inset-inline-start|margin-left|margin-top)\s*:\s*-\d{3,}(?:\.\d+)?(?:px|em|rem|vw|vh|%)/;
const TAKEN_OUT = /(?:^|;)\s*(?:position\s*:\s*(?:absolute|fixed)|margin-(?:left|top)\s*:)/;
const NO_SIZE = /(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:!important\s*)?(?:;|$)/;
const CUT_OFF = /(?:^|;)\s*overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/;
const COLOUR = /(?:^|;)\s*color\s*:\s*([^;!]+)/;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/;

const WHITES = new Set([
  'white',
  '#fff',
  '#ffffff',
  'rgb(255,255,255)',
  'rgba(255,255,255,1)',
  'snow',
  '#fefefe',
]);
const tint = (colour: string): string => {
  const plain = colour.replace(/\s+/g, '').toLowerCase();
  return WHITES.has(plain) ? 'white' : plain;
};

/** Recognises text in the colour of its own background. */
function blendsIn(style: string): boolean {
  const ink = tint(COLOUR.exec(style)?.[1] ?? '');
  if (!ink) return false;
  if (/^(?:transparent|#0000|#00000000|rgba\(\d+,\d+,\d+,0(?:\.0+)?\))$/.test(ink)) {
    return !/background-clip\s*:\s*text/.test(style);
  }
  const paper = BACKGROUND.exec(style)?.[1];
  return paper !== undefined && tint(paper.trim()) === ink;
}

/**
 * Only the two ends of longer declarations are read. That is enough for any person's style, and too short to
 * make a pattern slow.
 */
const LONGEST_STYLE = 1_500;

const bounded = (style: string): string =>
  style.length > LONGEST_STYLE * 2
    ? `${style.slice(0, LONGEST_STYLE)};${style.slice(-LONGEST_STYLE)}`
    : style;

/** Declarations that browsers know. A later one undoes an earlier one, and an unknown one undoes nothing. */
const SHOWS =
  /^\s*(?:display\s*:\s*(?:block|flow-root|inline|inline-block|flex|inline-flex|grid|inline-grid|contents|list-item|table(?:-\w+)?|-webkit-(?:inline-)?box)|visibility\s*:\s*visible|opacity\s*:\s*(?:1|0?\.[1-9]\d*))\s*(?:!important\s*)?$/;
/** A string, a comment or a bracket may hold a semicolon, so what stands behind one is no declaration. */
const MAY_HOLD_ANOTHER = /["'\\{[]|\/\*|\([^)]*;/;

/** Leaves out a declaration that a later one of the same rule undoes: `display: none; display: block` shows. */
function lastWord(style: string): string {
  if (style.length > LONGEST_STYLE || MAY_HOLD_ANOTHER.test(style)) return style;
  const parts = style.split(';');
  const shown = new Set<string>();
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] ?? '';
    const name = part.slice(0, Math.max(0, part.indexOf(':'))).trim();
    if (shown.has(name) && !part.includes('!important')) parts[i] = '';
    if (SHOWS.test(part)) shown.add(name);
  }
  return parts.join(';');
}

/** Tells whether declarations, of an attribute or a rule, hide an element. */
export function styleHides(declarations: string): boolean {
  const style = bounded(declarations.replace(/url\([^()]{0,100000}\)/g, '')).toLowerCase();
  return hides(style) && hides(lastWord(style));
}

function hides(style: string): boolean {
  if (UNSEEN.some((rule) => rule.test(style))) return true;
  if (TAKEN_OUT.test(style) && MOVED_AWAY.test(style)) return true;
  if (CUT_OFF.test(style) && NO_SIZE.test(style)) return true;
  return blendsIn(style);
}

/** Classes and ids that a page's own rules hide at every width: `.zq { display: none }`. */
interface HiddenNames {
  readonly classes: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

const MOST_RULES = 5_000;

function withoutComments(style: string): string {
  const parts = style.split('/*');
  return parts
    .map((part, i) =>
      i === 0 ? part : part.slice(part.includes('*/') ? part.indexOf('*/') + 2 : part.length),
    )
    .join(' ');
}

/**
 * Reads only simple selectors outside of media queries. A rule for print or small screens hides nothing here.
 */
export function hiddenNames(styles: readonly string[]): HiddenNames {
  const classes = new Set<string>();
  const ids = new Set<string>();
  for (const style of styles) {
    const plain = withoutComments(style);
    let depth = 0;
    let rules = 0;
    for (let at = 0; at < plain.length && rules < MOST_RULES; rules++) {
      const open = plain.indexOf('{', at);
      const close = plain.indexOf('}', at);
      if (close >= 0 && (open < 0 || close < open)) {
        depth = Math.max(0, depth - 1);
        at = close + 1;
        continue;
      }
      if (open < 0) break;
      const selector = plain.slice(at, open).trim();
      if (selector.startsWith('@')) {
        depth++;
        at = open + 1;
        continue;
      }
      const end = plain.indexOf('}', open);
      const body = plain.slice(open + 1, end < 0 ? undefined : end);
      at = end < 0 ? plain.length : end + 1;
      if (depth > 0 || !styleHides(body)) continue;
      for (const part of selector.split(',')) {
        const [, mark, name] = /^\s*(?:[a-z]+)?([.#])([\w-]+)\s*$/i.exec(part) ?? [];
        if (mark === '.' && name) classes.add(name.toLowerCase());
        if (mark === '#' && name) ids.add(name.toLowerCase());
      }
    }
  }
  return { classes, ids };
}

const SCREEN_READER =
  /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-?reader(?:-text|-only)?|visuallyhidden|assistive-text|a11y-hidden|u-hidden-visually)(?:$|[\s_-])/;

/** Tells whether an element's own attributes hide it, or show it to screen readers only. */
function hidesItself({ attrs, names, tag }: El): boolean {
  if ('hidden' in attrs && attrs.hidden !== 'until-found') return true;
  if (attrs['aria-hidden'] === 'true' && tag !== 'i') return true;
  if (attrs.style && styleHides(attrs.style)) return true;
  return names !== '' && SCREEN_READER.test(names);
}

/** Tells whether the page's own rules hide an element by its class or id. */
function hiddenByRule({ attrs }: El, { classes, ids }: HiddenNames): boolean {
  if (attrs.id && ids.has(attrs.id.toLowerCase())) return true;
  if (classes.size === 0 || !attrs.class) return false;
  return attrs.class
    .toLowerCase()
    .split(/\s+/)
    .some((name) => classes.has(name));
}

/** The ways in which scripts close a panel. */
const CLOSED = new Set([
  ...['', 'display:none', 'visibility:hidden', 'overflow:hidden'],
  ...['height:0', 'height:0px', 'max-height:0', 'max-height:0px'],
]);
const closes = (style: string): boolean =>
  style
    .toLowerCase()
    .replace(/\s|!important/g, '')
    .split(';')
    .every((each) => CLOSED.has(each));
const LONGEST_CLOSED = 200;

interface Openable {
  /** The ids of the panels that the page's own buttons and links open: tabs, accordions, answers. */
  readonly ids: ReadonlySet<string>;
  /** The ids of its tabs. A panel may name its tab, instead of being named by it. */
  readonly tabs: ReadonlySet<string>;
}

/** Lists what the reader of a page can press to open a panel. */
function openable(root: El, names: HiddenNames): Openable {
  const ids = new Set<string>();
  const tabs = new Set<string>();
  visit(root, (el) => {
    const { attrs, tag, chars } = el;
    // Nobody can press a hidden button either, unless it stands in a panel that another one opens.
    if ((hidesItself(el) || hiddenByRule(el, names)) && !ids.has(attrs.id ?? '')) return false;
    const { 'aria-controls': controls, 'data-target': target, 'data-bs-target': other, href } = attrs;
    // Nobody can press a button that says nothing.
    if (chars < 2) return undefined;
    if (attrs.role === 'tab' && attrs.id) tabs.add(attrs.id);
    for (const id of controls?.split(/\s+/) ?? []) if (id) ids.add(id);
    for (const place of [target, other, tag === 'a' ? href : undefined])
      if (place && place.length > 1 && place.startsWith('#')) ids.add(place.slice(1));
    return undefined;
  });
  return { ids, tabs };
}

/** Tells whether a hidden element is a panel that a reader can open. */
function opens(el: El, byRule: boolean, names: HiddenNames, found: () => Openable): boolean {
  const { attrs } = el;
  const { id, style = '' } = attrs;
  const tab = attrs.role === 'tabpanel' ? (attrs['aria-labelledby'] ?? '') : '';
  if (style.length > LONGEST_CLOSED || !closes(style)) return false;
  if ('hidden' in attrs && isClosedBy(el, (seen) => !hidesItself(seen) && !hiddenByRule(seen, names)))
    return true;
  if (!(id || tab)) return false;
  if (!byRule && style === '' && !('hidden' in attrs) && attrs['aria-hidden'] !== 'true') return false;
  const { ids, tabs } = found();
  if (id && ids.has(id)) return true;
  // It may name several things, and some ids hold blanks, though none should.
  return [tab, ...tab.split(/\s+/)].some((name) => tabs.has(name));
}

const QUESTION = words('faqs?|questions?|accordions?|toggles?|collapsibles?|expander');
const ANSWER = words('answers?|accordions?|panels?|collapse|collapsed|collapsible|toggles?|content|body');

/** Tells whether a hidden element is a closed answer: its name and that of the line shown above it say so. */
function isClosedAnswer(el: El): boolean {
  const { style = '' } = el.attrs;
  if (!ANSWER.test(el.names) || style.length > LONGEST_CLOSED || !closes(style)) return false;
  const title = shownBefore(el);
  return (
    title !== undefined &&
    title.chars > 5 &&
    title.chars < 300 &&
    title.prose * 2 < Math.max(el.prose, 1) &&
    QUESTION.test(title.names) &&
    !hidesItself(title)
  );
}

/** Takes hidden elements out. Keeps one that holds so much of the page that a script will surely show it. */
export function dropHidden(root: El, styles: readonly string[]): void {
  const names = hiddenNames(styles);
  const hidden = new Map<El, boolean>();
  let found: Openable | undefined;
  let gone = 0;
  let goneProse = 0;
  visit(root, (el) => {
    const shown = el.extra ?? el;
    if (el.extra)
      prune(el.extra, (part) => part.tag === 'mphantom' || hidesItself(part) || hiddenByRule(part, names));
    const itself = hidesItself(shown);
    const byRule = !itself && hiddenByRule(shown, names);
    if (!itself && !byRule) return true;
    if (opens(shown, byRule, names, () => (found ??= openable(root, names)))) return true;
    if (shown === el && isClosedAnswer(el)) return true;
    hidden.set(el, itself);
    gone += el.chars;
    goneProse += el.prose;
    return false;
  });
  const seen = root.chars - gone;
  const seenProse = root.prose - goneProse;
  for (const [el, itself] of hidden) {
    // Another rule may undo a rule; an attribute speaks of this very element.
    const times = itself ? 2 : 1;
    const isPage = el.chars > seen * times || (el.prose > 600 && el.prose > seenProse * times);
    if (el.chars > 400 && isPage) hidden.delete(el);
  }
  visit(root, (el) => {
    if (el.tag === 'noscript' && (el.prose < 250 || el.prose < (root.prose - el.prose) * 0.5))
      hidden.set(el, true);
    return undefined;
  });
  prune(root, (el) => hidden.has(el));
}
