import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Holds a page to what everybody needs to read and use it: WCAG 2.2 AA, as far as a machine can tell. */
export async function expectLegible(page: Page): Promise<void> {
  await page.waitForLoadState();
  expect(await page.evaluate(objections)).toEqual([]);
}

/** Runs inside the page. */
function objections(): string[] {
  const found: string[] = [];
  const shown = (element: Element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
  const called = (element: Element) =>
    `<${element.localName}> “${(element.textContent ?? '').trim().slice(0, 30)}”`;

  type Colour = readonly [number, number, number, number];
  const colour = (css: string): Colour => {
    const [r = 0, g = 0, b = 0, a = 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
    return [r, g, b, a];
  };
  const luminance = ([r, g, b]: Colour) => {
    const part = (c: number) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const contrast = (a: Colour, b: Colour) => {
    const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element: Element | null): Colour => {
    if (!element) return [255, 255, 255, 1];
    const own = colour(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : behind(element.parentElement);
  };
  const expectContrast = (element: Element, style: CSSStyleDeclaration) => {
    const size = Number.parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = contrast(colour(style.color), behind(element));
    if (ratio < (large ? 3 : 4.5)) found.push(`${called(element)} has contrast ${ratio.toFixed(2)}`);
  };

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.textContent?.trim() && element && shown(element))
      expectContrast(element, getComputedStyle(element));
  }
  for (const field of document.querySelectorAll<HTMLInputElement>('input:not([type=hidden])')) {
    if (!shown(field)) continue;
    if (field.labels?.length === 0 && !field.ariaLabel) found.push(`the field ${field.name} has no label`);
    expectContrast(field, getComputedStyle(field));
    if (field.placeholder) expectContrast(field, getComputedStyle(field, '::placeholder'));
  }
  for (const target of document.querySelectorAll('a, button, label.choice')) {
    if (!shown(target)) continue;
    const { width, height } = target.getBoundingClientRect();
    // A link inside a sentence may be as low as its line.
    const inSentence = target.localName === 'a' && target.parentElement?.localName === 'p';
    if (!inSentence && (width < 24 || height < 24))
      found.push(`${called(target)} is ${Math.round(width)} × ${Math.round(height)} to hit`);
    if (!target.textContent?.trim() && !target.ariaLabel) found.push(`${called(target)} has no name`);
  }
  if (document.documentElement.lang === '') found.push('the page does not say its language');
  if (document.title === '') found.push('the page has no title');
  if (document.querySelectorAll('h1').length !== 1) found.push('the page has not one h1');
  if (document.querySelectorAll('main').length !== 1) found.push('the page has not one main');
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth - clientWidth} px too wide`);
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) found.push(`ids are used twice: ${ids.join(' ')}`);
  return found;
}

/** What the keyboard is on, by role and name, which has to be plain to see. */
export async function focused(page: Page): Promise<string> {
  // What a page focuses by itself, it does with the first frame it draws.
  await page.locator(':focus').waitFor();
  const { name, visible } = await page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom } = element.getBoundingClientRect();
    const label =
      element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element.textContent;
    return {
      name: (element.ariaLabel ?? label ?? '').trim(),
      visible:
        element.matches(':focus-visible') &&
        outlineStyle === 'solid' &&
        Number.parseFloat(outlineWidth) >= 2 &&
        top >= 0 &&
        bottom <= innerHeight,
    };
  });
  expect({ name, visible }).toEqual({ name, visible: true });
  return name;
}

/** Goes through a page by Tab until something of that name has the focus; tells what it came by. */
export async function tabTo(page: Page, wanted: string): Promise<string[]> {
  const passed: string[] = [];
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    const name = await focused(page);
    passed.push(name);
    if (name === wanted) return passed;
  }
  throw new Error(`Tab does not lead to “${wanted}”, only to: ${passed.join(', ')}.`);
}
