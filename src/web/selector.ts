import { visibleLine } from '../core/visible.ts';
import type { Media } from './media.ts';
import type { ReadOptions, ReadPage } from './read/read.ts';
import type { Unreadable } from './trouble.ts';

const KINDS: Readonly<Partial<Record<Media['kind'], string>>> = {
  text: 'plain text',
  json: 'JSON',
  json_feed: 'a feed',
  xml_feed: 'a feed',
  pdf: 'a PDF document',
};

/** Refuses to select from what is not HTML. */
export function unselectable(kind: Media['kind']): Unreadable | undefined {
  const what = KINDS[kind];
  return what === undefined
    ? undefined
    : noSuchElement(`A selector chooses parts of HTML, and the address holds ${what}.`);
}

/** Says what is wrong with a selector, before anything is fetched. */
export async function objectionToSelector(selector: string | undefined): Promise<string | undefined> {
  // The first call with a selector loads the DOM.
  return selector === undefined ? undefined : (await import('./read/select.ts')).selectorProblem(selector);
}

/** Makes the search for a selector's elements. */
export async function selecting(selector: string): Promise<NonNullable<ReadOptions['select']> | Unreadable> {
  const { elementsBy, selectorProblem } = await import('./read/select.ts');
  const message = selectorProblem(selector);
  if (message !== undefined) return { kind: 'unreadable', code: 'invalid_selector', message };
  return (page) => elementsBy(selector, page);
}

/** Says why a selector gives no text. Gives `undefined` if it gives some. */
export function nothingSelected(
  selector: string,
  { selected, needs_js }: ReadPage,
  said: string,
): Unreadable | undefined {
  if (selected === 'too much work') return { kind: 'unreadable', code: 'selector_too_slow' };
  if (said !== '') return undefined;
  const shown = JSON.stringify(visibleLine(selector, 100));
  if (!selected?.found) {
    const why = needs_js ? ' Scripts build the page in the browser, and Bowline runs none.' : '';
    return noSuchElement(`No element of the page matches ${shown}.${why}`);
  }
  return noSuchElement(
    selected.seen === 0
      ? `The page does not show what ${shown} matches.`
      : `What ${shown} matches has no readable text.`,
  );
}

function noSuchElement(message: string): Unreadable {
  return { kind: 'unreadable', code: 'no_such_element', message };
}
