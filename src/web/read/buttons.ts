import { BLOCK, plainText } from './measure.ts';
import type { El } from './tree.ts';

const isButton = ({ tag, attrs }: El): boolean => tag === 'button' || attrs.role === 'button';

/** Looking around in longer lists would take time for each of their entries. */
const MOST_BESIDE = 400;

const says = (kid: El | string): boolean => (typeof kid === 'string' ? kid.trim() !== '' : kid.chars > 0);

/** Gives the element with text right before this one, if there is no other text between. */
export function shownBefore(el: El): El | undefined {
  const kids = el.up?.kids ?? [];
  if (kids.length > MOST_BESIDE) return undefined;
  const before = kids.slice(0, kids.indexOf(el)).findLast(says);
  return typeof before === 'string' ? undefined : before;
}

/** Gives the element that a page shows after this one, which may stand alone in a heading or a line. */
export function shownAfter(el: El): El | undefined {
  let at = el;
  for (let levels = 0; levels < 3 && at.up; levels++, at = at.up) {
    const { kids } = at.up;
    if (kids.length > MOST_BESIDE) return undefined;
    const next = kids.slice(kids.indexOf(at) + 1).find(says);
    if (next !== undefined) return typeof next === 'string' ? undefined : next;
    if (at.up.chars > at.chars) return undefined;
  }
  return undefined;
}

const OPENS = ['aria-expanded', 'aria-controls', 'data-target', 'data-bs-target'];

/** Tells whether a button is the title of the text that it opens: a question over its answer. */
export function titlesText(el: El): boolean {
  if (!isButton(el) || el.chars < 2 || !OPENS.some((name) => name in el.attrs)) return false;
  const next = shownAfter(el);
  return next !== undefined && next.prose > 0 && BLOCK.has(next.tag);
}

/** Tells whether the line right before an element is a button, seen by people, that says it is closed. */
export function isClosedBy(el: El, isSeen: (el: El) => boolean): boolean {
  let at = BLOCK.has(el.tag) ? shownBefore(el) : undefined;
  while (at && isSeen(at) && !isButton(at)) {
    const inside = at.kids.filter(says);
    at = inside.length === 1 && typeof inside[0] !== 'string' ? inside[0] : undefined;
  }
  // A button that names what it controls opens that.
  const { 'aria-expanded': open, 'aria-controls': other } = at?.attrs ?? {};
  return at !== undefined && isSeen(at) && at.chars > 2 && open === 'false' && !other;
}

/** What a button on a card does with the thing that it then names in full, for those who listen. */
const ACTION = /^(?:save|share|add|remove|compare|follow|like|bookmark|select|choose|report|open|close)\b/i;

/** Roles of elements that stand for a form's fields, and the most text that one holds. */
const FIELDS = new Set(['listbox', 'option', 'combobox', 'checkbox', 'switch', 'slider', 'spinbutton']);
const LONGEST_FIELD = 2_000;

/** Recognises buttons, fields and small forms, which are for doing and not for reading. */
export function isControl(el: El): boolean {
  if (isButton(el))
    return !titlesText(el) && (el.chars < 60 || (el.chars < 300 && ACTION.test(plainText(el))));
  if (FIELDS.has(el.attrs.role ?? '')) return el.prose === 0 && el.chars < LONGEST_FIELD;
  if (el.tag === 'label') return el.chars < 60;
  return el.tag === 'form' && el.prose < 150 && el.chars < 1_500;
}
