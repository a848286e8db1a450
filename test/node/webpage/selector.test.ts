import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchWebpage } from '../../../contracts/webpage.ts';
import { webpageHandlers } from '../../../local-bridge/tools/handlers/webpage.ts';
import { html, type PageSite, pageSite } from '../../support/page-site.ts';
import { failureIn } from '../../support/tools.ts';
import { use } from '../../support/web-tools.ts';

let site: PageSite;
beforeAll(async () => {
  site = await pageSite();
});
afterAll(() => site.close());

const ask = (input: object) => {
  const given = { url: `${site.origin}/page`, ...input };
  return use(fetchWebpage, webpageHandlers.fetch_webpage, given, { web: site.ports.pages });
};
const outputOf = async (input: object) => {
  const result = await ask(input);
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
  return (result.output as { output: string }).output;
};

describe('fetch_webpage with a selector', () => {
  it('gives the parts that it matches, as Markdown if nothing else is asked for', async () => {
    const source =
      '<title>Knots</title><p class="a">One <b>knot</b></p><p class="b" hidden>Two</p><p class="a">Three</p>';
    site.serve({ '/page': html(source) });
    expect(await outputOf({ selector: '.a' })).toMatch(/\n# Knots\n\nOne \*\*knot\*\*\n\nThree$/);
    expect(await outputOf({ selector: '.a', format: 'text' })).toMatch(/\n\nOne knot\n\nThree$/);
    expect(failureIn(await ask({ selector: '.b' }))).toMatchObject({
      code: 'no_such_element',
      message: 'The page does not show what ".b" matches.',
    });
  });

  it('refuses one that cannot be used before it fetches, and one that takes too long', async () => {
    const gone = { url: 'http://127.0.0.1:1/', selector: 'p:hover' };
    expect(failureIn(await ask(gone))).toMatchObject({ code: 'invalid_selector' });
    site.serve({ '/page': html('<i>x</i>'.repeat(12_000)) });
    expect(failureIn(await ask({ selector: 'i:nth-child(2)' }))).toMatchObject({ code: 'selector_too_slow' });
  });
});
