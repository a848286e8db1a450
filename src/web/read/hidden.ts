import { isClosedBy, shownBefore } from './buttons.ts';
import { prune, visit } from './measure.ts';
import { isForListeners, isPrice, isSilent, isSlide } from './silent.ts';
import { words } from './strip.ts';
import { fades, styleHides } from './style.ts';
import { type El, type Page, searchable } from './tree.ts';

/** Classes and ids that a page's own rules hide at every width: `.zq { display: none }`. */
interface HiddenNames {
  readonly classes: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
  /** The values of `class` that were looked at, and whether one of their names is hidden. */
  readonly known: Map<string, boolean>;
}

const MOST_RULES = 5_000;
const MOST_KNOWN = 2_000;

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
      if (depth > 0 || !styleHides(body) || fades(body, false)) continue;
      for (const part of selector.split(',')) {
        const [, mark, name] = /^\s*(?:[a-z]+)?([.#])([\w-]+)\s*$/i.exec(part) ?? [];
        if (mark === '.' && name && !(FADING.test(searchable(name)) && fades(body, true)))
          classes.add(name.toLowerCase());
        if (mark === '#' && name) ids.add(name.toLowerCase());
      }
    }
  }
  return { classes, ids, known: new Map() };
}

/** Names and attributes of what appears as a reader reaches it. */
const FADING = words(
  '(?:pre-?)?fade(?:d|s|-?in\\w*)?|reveal(?:s|ed)?|appears?|animat(?:e|ed|ion|ions)|aos|wow|in-?view|on-?scroll|motion',
);
const FADING_ATTRIBUTE =
  /^data-(?:aos|w-id|sal|wow|scroll|reveal|anim|appear|fade|in-?view|framer-appear|motion)/;
const isFading = ({ attrs, names }: El): boolean =>
  FADING.test(names) || Object.keys(attrs).some((name) => FADING_ATTRIBUTE.test(name));

/** Tells whether an element's own attributes hide it from readers, or show it to screen readers only. */
function hidesFromReaders(el: El): boolean {
  const { attrs } = el;
  if ('hidden' in attrs && attrs.hidden !== 'until-found') return true;
  if (attrs.style && styleHides(attrs.style) && !fades(attrs.style, isFading(el))) return true;
  return isForListeners(el);
}

const hidesItself = (el: El): boolean => isSilent(el) || hidesFromReaders(el);

/** Tells whether the page's own rules hide an element by its class or id. */
function hiddenByRule({ attrs }: El, { classes, ids, known }: HiddenNames): boolean {
  if (attrs.id && ids.size > 0 && ids.has(attrs.id.toLowerCase())) return true;
  if (classes.size === 0 || !attrs.class) return false;
  const found = known.get(attrs.class);
  if (found !== undefined) return found;
  const hides = attrs.class
    .toLowerCase()
    .split(/\s+/)
    .some((name) => classes.has(name));
  if (known.size < MOST_KNOWN) known.set(attrs.class, hides);
  return hides;
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

/** A closed panel's own text may stand a few elements deeper. */
const PANEL_LEVELS = 3;

/** Tells whether an element is all that a panel says which readers can open: an answer, a part that folds out. */
function fillsPanel(el: El, found: () => Openable): boolean {
  let at: El | null = el;
  for (let level = 0; at && level < PANEL_LEVELS; level++, at = at.up) {
    if (at.attrs.id && found().ids.has(at.attrs.id)) return true;
    if (at.up?.tag === 'details') return true;
    if (at.up && at.up.chars > at.chars) return false;
  }
  return false;
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
export function dropHidden(root: El, { styles, has }: Pick<Page, 'styles' | 'has'>): void {
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
    const isSeen = shown === el && itself && !hidesFromReaders(el) && !hiddenByRule(el, names);
    if (isSeen && (isSlide(el) || isPrice(el) || fillsPanel(el, () => (found ??= openable(root, names)))))
      return true;
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
  if (has.noscript)
    visit(root, (el) => {
      if (el.tag === 'noscript' && (el.prose < 250 || el.prose < (root.prose - el.prose) * 0.5))
        hidden.set(el, true);
      return undefined;
    });
  if (hidden.size > 0) prune(root, (el) => hidden.has(el));
}
