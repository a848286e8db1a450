import { visible, visibleLine } from '../../core/visible.ts';

/** What an element holds: other elements, and strangers' text, which never becomes markup. */
export type Inside = Node | string;

/** Makes an element. Texts go in as text, with everything spelt out that a reader does not see. */
export function element(name: string, className: string, ...inside: readonly Inside[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...inside.map((one) => (typeof one === 'string' ? visible(one) : one)));
  return made;
}

/** The same with one line of text. */
export function line(name: string, className: string, text: string, maxChars = 300): HTMLElement {
  return element(name, className, visibleLine(text, maxChars));
}

export function button(text: string, press: () => void): HTMLElement {
  const made = element('button', '', text);
  made.setAttribute('type', 'button');
  made.addEventListener('click', press);
  return made;
}

/** The lines that a card shows of a text before it is unfolded, and after. */
const LINES = 12;
const MAX_LINES = 2_000;
const MAX_CHARS = 200_000;

/** The part of a text that says most: the beginning of a change, the end of an output. */
export type Part = 'first' | 'last';

/** A line of a text, and the sign by which it is coloured. */
export interface Line {
  readonly text: string;
  readonly sign?: '+' | '-' | '@';
}

const NAMES = { '+': 'added', '-': 'removed', '@': 'hunk' } as const;

/** Shows lines. A text of many lines shows its first or its last ones, and unfolds. */
export function lines(all: readonly Line[], part: Part, label: string): HTMLElement[] {
  const shown = partOf(all, LINES, part);
  const box = filled(shown, label);
  if (shown.length === all.length) return [box];
  const most = partOf(all, MAX_LINES, part);
  const told =
    most.length === all.length
      ? `All ${all.length} lines`
      : `The ${part} ${most.length} of ${all.length} lines`;
  const fold = element('details', '', line('summary', '', told), filled(most, `${label}, unfolded`));
  return part === 'first' ? [box, fold] : [fold, box];
}

function partOf<T>(all: readonly T[], count: number, part: Part): readonly T[] {
  return part === 'first' ? all.slice(0, count) : all.slice(-count);
}

function filled(some: readonly Line[], label: string): HTMLElement {
  const { box, fill } = block(label);
  fill(some);
  return box;
}

/** Makes a box for lines, and the function that puts them there. */
export function block(label: string): { readonly box: HTMLElement; fill(some: readonly Line[]): void } {
  const box = element('pre', '');
  // A box that scrolls must be reachable without a mouse.
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.ariaLabel = label;
  const fill = (some: readonly Line[]) => {
    const spans = some.map(({ text, sign }) =>
      element('span', sign ? NAMES[sign] : '', `${sign === '+' || sign === '-' ? sign : ''}${text}\n`),
    );
    box.replaceChildren(...spans);
  };
  return { box, fill };
}

/** Splits a text into lines, and says so if it is too long to show. */
export function linesOf(text: string, part: Part): Line[] {
  const missing = text.length - MAX_CHARS;
  if (missing <= 0) return split(text);
  const note: Line = { text: `[${missing} more characters are not shown]`, sign: '@' };
  return part === 'first'
    ? [...split(text.slice(0, MAX_CHARS)), note]
    : [note, ...split(text.slice(-MAX_CHARS))];
}

function split(text: string): Line[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((one) => ({ text: one }));
}
