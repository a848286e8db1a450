import { DOMParser, HTMLElement } from 'linkedom/worker';
import { MOST_SELECTORS } from '../../../contracts/web.ts';
import { visibleLine } from '../../core/visible.ts';
import type { El, Page } from './tree.ts';

/** A node of linkedom's, as far as it is used here. */
interface Dom {
  readonly childNodes: readonly Dom[];
  append(...nodes: (Dom | string)[]): void;
}

interface Document extends Dom {
  readonly documentElement: Dom;
  replaceChild(made: Dom, before: Dom): Dom;
  querySelectorAll(selector: string): Iterable<Dom>;
}

/** The pseudo-classes that depend on the page alone, and that read no text. */
const KNOWN = new Set([
  ...['is', 'where', 'not', 'has', 'root', 'empty', 'first-child', 'last-child', 'only-child'],
  ...['first-of-type', 'last-of-type', 'only-of-type', 'nth-child', 'nth-last-child', 'nth-of-type'],
  'nth-last-of-type',
]);

/** The most steps of a search: the nodes, names and pieces of attributes that it looks at. */
const MOST_STEPS = 20_000_000;
/** The most elements of a page to search. In linkedom, each takes more memory than in the page's own tree. */
export const MOST_SEARCHED = 60_000;
const STEPS_A_NAME = 4;
const CHARS_A_STEP = 8;

class TooManySteps extends Error {}

/** Counts steps, because the clock stands still in a Worker that only computes. */
class Meter {
  #left = MOST_STEPS;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooManySteps();
  }
}

const Element = HTMLElement as unknown as new (document: Document, tag: string) => Dom;

/**
 * An element of linkedom's that counts what the selector engine looks at. It reads the attributes of the page's own
 * element, and lists its children only once.
 */
class Counted extends Element {
  readonly el: El;
  readonly #meter: Meter;
  readonly #tag: string;
  #up: Dom | null = null;
  #kids: readonly Dom[] | undefined;

  constructor(document: Document, el: El, meter: Meter) {
    super(document, el.tag);
    this.el = el;
    this.#tag = el.tag;
    this.#meter = meter;
  }

  // linkedom sets both in its own constructor, before the fields of this class are there.
  set localName(_: string) {}
  get localName(): string {
    this.#meter.spend(STEPS_A_NAME);
    return this.#tag;
  }

  set parentNode(up: Dom | null) {
    if (up) this.#up = up;
  }
  get parentNode(): Dom | null {
    this.#meter.spend(1);
    return this.#up;
  }

  override get childNodes(): readonly Dom[] {
    this.#kids ??= super.childNodes;
    this.#meter.spend(1 + this.#kids.length);
    return this.#kids;
  }

  getAttribute(name: string): string | null {
    const { attrs } = this.el;
    const value = Object.hasOwn(attrs, name) ? (attrs[name] ?? null) : null;
    this.#meter.spend(STEPS_A_NAME + (value?.length ?? 0) / CHARS_A_STEP);
    return value;
  }

  getAttributeNode(name: string): { readonly value: string } | null {
    const value = this.getAttribute(name);
    return value === null ? null : { value };
  }
}

/** Says what is wrong with a selector. Gives `undefined` for one that can be used. */
export function selectorProblem(selector: string): string | undefined {
  const shown = JSON.stringify(visibleLine(selector, 100));
  if (selector.trim() === '') return 'The selector is empty.';
  const bare = selector.replace(/\\./gs, '_').replace(/"[^"]*"|'[^']*'/g, '_');
  if (/["']/.test(bare)) return `The selector ${shown} has a quotation mark that nothing closes.`;
  // The engine skips comments, so marks inside one would hide what stands behind it from the checks below.
  if (bare.includes('/*')) return `The selector ${shown} has a comment, which is not supported.`;
  const marks = bare.replace(/\[[^\]]*\]/g, '_');
  if (/::/.test(marks)) return `The selector ${shown} has a pseudo-element, which is no part of a page.`;
  for (const [, name = ''] of marks.matchAll(/:([\w-]*)/g)) {
    if (!KNOWN.has(name.toLowerCase()))
      return `The selector ${shown} has ":${name}", which is not supported.`;
  }
  if (marks.split(',').length > MOST_SELECTORS)
    return `The selector ${shown} is a list of more than ${MOST_SELECTORS}.`;
  if (/^\s*[>+~]|[>+~]\s*(?:,|$)/.test(marks))
    return `The selector ${shown} has a mark with nothing beside it.`;
  try {
    // The engine reads all of a selector before it looks at a page.
    emptyDocument().querySelectorAll(selector);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? visibleLine(error.message, 200) : '';
    return `The selector ${shown} cannot be read: ${said.replace(/\.?$/, '.')}`;
  }
}

/**
 * Finds the elements of a page that a selector names, in their order. Gives `undefined` if the page is too large for
 * it, or the search would take too many steps.
 */
export function elementsBy(selector: string, { root, shell }: Page): readonly El[] | undefined {
  const document = emptyDocument();
  const meter = new Meter();
  const places = new Map<El, El>();
  const make = (el: El, place: El): Counted => {
    places.set(el, place);
    return new Counted(document, el, meter);
  };
  const copy = (from: El, to: Dom): boolean => {
    for (const kid of from.kids) {
      // The engine asks only whether an element has text.
      if (typeof kid === 'string') to.append(/\S/.test(kid) ? '_' : ' ');
      else {
        if (places.size >= MOST_SEARCHED) return false;
        const shown = kid.extra ?? kid;
        const node = make(shown, kid);
        to.append(node);
        if (!copy(shown, node)) return false;
      }
    }
    return true;
  };
  const html = make({ ...root, tag: 'html', attrs: shell.html ?? {} }, root);
  const body = make({ ...root, tag: 'body', attrs: shell.body ?? {} }, root);
  document.replaceChild(html, document.documentElement);
  html.append(body);
  if (!copy(root, body)) return undefined;
  try {
    const found = [...document.querySelectorAll(selector)];
    return [
      ...new Set(found.map((node) => (node instanceof Counted ? (places.get(node.el) ?? root) : root))),
    ];
  } catch (error) {
    if (error instanceof TooManySteps) return undefined;
    throw error;
  }
}

function emptyDocument(): Document {
  return new DOMParser().parseFromString('<html></html>', 'text/html') as unknown as Document;
}
