import { BLOCK } from './measure.ts';
import type { El } from './tree.ts';

const isButton = ({ tag, attrs }: El): boolean => tag === 'button' || attrs.role === 'button';

/** Gives the element that a page shows after this one, which may stand alone in a heading or a line. */
function shownAfter(el: El): El | undefined {
  let at = el;
  for (let levels = 0; levels < 3 && at.up; levels++, at = at.up) {
    const { kids } = at.up;
    const rest = kids.slice(kids.indexOf(at) + 1);
    const next = rest.find((kid) => (typeof kid === 'string' ? kid.trim() !== '' : kid.chars > 0));
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

/** Recognises buttons and small forms, which are for doing and not for reading. */
export function isControl(el: El): boolean {
  if (isButton(el)) return el.chars < 60 && !titlesText(el);
  if (el.tag === 'label') return el.chars < 60;
  return el.tag === 'form' && el.prose < 150 && el.chars < 1_500;
}
