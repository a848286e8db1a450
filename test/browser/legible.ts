import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A script to be run in pages: they let in none of their own accord. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const rules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};

/** Holds a page, or a frame of one, to what everybody needs to read and use it: WCAG 2.2 AA, as far as a machine can tell. */
export async function expectLegible(page: Page | Frame): Promise<void> {
  await page.waitForLoadState();
  // Colours that are still on their way are no colours of the page.
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState }) => playState !== 'running'),
  );
  // A page that was looked at before has it still.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate((options): Promise<AxeResults> => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    return axe.run(document, options);
  }, rules);
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
  expect([...found, ...(await page.evaluate(objections))]).toEqual([]);
}

/** What axe does not look for. Runs inside the page. */
function objections(): string[] {
  const found: string[] = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    const wide = [...document.querySelectorAll('main *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth,
    );
    const named = wide.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 120));
    found.push(`the page is ${scrollWidth - clientWidth} px too wide: ${named.join(' ')}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  if (twice.length > 0) found.push(`ids are used twice: ${twice.join(' ')}`);
  const uneven = document.querySelectorAll('h1').length !== 1;
  if (uneven) found.push('the page has not one h1');
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
    const isField =
      element instanceof HTMLInputElement ||
      element instanceof HTMLSelectElement ||
      element instanceof HTMLTextAreaElement;
    const label = isField ? element.labels?.[0]?.textContent : element.textContent;
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
