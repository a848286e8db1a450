import { byId, pageIn } from '../browser/dom.browser.ts';
import { LIVE, MAIN } from './page-names.ts';
import { refine } from './times.browser.ts';

const PARTS = `[${LIVE}][id]`;

/** Each live part as the server wrote it, to see whether a newer one differs. */
const sources = new WeakMap<Element, string>();

/** Remembers the live parts as the server wrote them. Call this before anything changes them. */
export function rememberParts(): void {
  for (const part of document.querySelectorAll(PARTS)) sources.set(part, part.innerHTML);
}

/** Loads this page again and replaces the live parts that differ, so that only the server writes them. */
export async function refreshParts(signal: AbortSignal): Promise<void> {
  if (!document.querySelector(`[${LIVE}]`)) return;
  const answer = await fetch(location.href, { signal, redirect: 'manual' });
  if (!answer.ok) return;
  const fresh = await pageIn(answer);
  for (const part of document.querySelectorAll(PARTS)) {
    const newer = fresh.getElementById(part.id);
    if (newer && newer.innerHTML !== sources.get(part)) replace(part, newer);
  }
}

/** Replaces a part's content. What its reader unfolded, typed or focused stays so. */
function replace(part: Element, newer: Element): void {
  sources.set(part, newer.innerHTML);
  refine(newer);
  const unfolded = [...part.querySelectorAll('details')].map(({ open }) => open);
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const like = focused ? selectorLike(focused) : undefined;
  const typed = inputsIn(part).filter(({ value, defaultValue }) => value !== defaultValue);
  part.replaceChildren(...newer.childNodes);
  for (const input of inputsIn(part)) {
    const before = typed.find(({ id }) => id === input.id);
    if (before) input.value = before.value;
  }
  for (const [at, one] of part.querySelectorAll('details').entries()) {
    if (unfolded[at]) one.open = true;
  }
  if (like === undefined) return;
  (part.querySelector<HTMLElement>(like) ?? byId(MAIN, HTMLElement)).focus();
}

function inputsIn(part: Element): HTMLInputElement[] {
  return [...part.querySelectorAll<HTMLInputElement>('input[id]')];
}

/** Gives a selector that finds the same element in a newer version of its part. */
function selectorLike(one: Element): string {
  if (one.id) return `#${CSS.escape(one.id)}`;
  const href = one.getAttribute('href');
  if (href) return `${one.localName}[href="${CSS.escape(href)}"]`;
  const value = 'value' in one ? one.value : '';
  return value ? `${one.localName}[value="${CSS.escape(String(value))}"]` : one.localName;
}
