import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { atOnce, inTurns, SHORT, type Steps } from '../../src/core/steps.ts';
import { cleaning, cleanTranscript } from '../../src/transcript/clean.ts';
import { readHtml, reading } from '../../src/web/read/read.ts';
import { parsePage, parsing } from '../../src/web/read/tree.ts';
import { readPage } from '../../src/web/read-page.ts';

/** Runs work and counts how often other work had its turn before it was done. */
async function turnsDuring<Made>(work: () => Promise<Made>): Promise<{ made: Made; turns: number }> {
  let turns = 0;
  let goesOn = true;
  const turn = () => {
    turns += 1;
    if (goesOn) setTimeout(turn, 0);
  };
  setTimeout(turn, 0);
  const made = await work();
  goesOn = false;
  return { made, turns };
}

const row = `<tr>${'<td>cell of a <b>table</b></td>'.repeat(8)}</tr>`;
const tables = `<h1>Tables</h1><p>Some words before.</p>${`<table>${row.repeat(50)}</table>`.repeat(100)}`;
const bytes = new TextEncoder().encode(tables);
const url = 'https://a.example/';
const captions = Array.from({ length: 4_000 }, (_, i) => `[00:${i % 60}] Bob: we said ${i}.`).join('\n');

describe('work in steps', () => {
  function* three(): Steps<string> {
    yield;
    yield;
    return 'done';
  }

  it.each([
    [SHORT - 1, false],
    [SHORT, true],
    [SHORT + 1, true],
  ])('lets others run in between if its input is long: %i', async (length, lets) => {
    const { made, turns } = await turnsDuring(() => inTurns(three(), length));
    expect([made, turns > 0]).toEqual(['done', lets]);
    expect(atOnce(three())).toBe('done');
  });

  it('is how a long page is read, with the same result', async () => {
    const headers = new Headers();
    const fetched = {
      bytes,
      contentType: 'text/html',
      status: 200,
      headers,
      finalUrl: url,
      truncated: false,
    };
    const { made, turns } = await turnsDuring(() => readPage(fetched as Parameters<typeof readPage>[0]));
    expect(turns).toBeGreaterThan(10);
    const whole = readHtml({ bytes, contentType: 'text/html', url }, { format: 'markdown' });
    expect(made).toMatchObject({ kind: 'page', rendering: { text: whole.markdown?.text } });
  });

  it('is how a long transcript is cleaned, with the same result', async () => {
    const { made, turns } = await turnsDuring(() => inTurns(cleaning(captions), captions.length));
    expect(turns).toBeGreaterThan(2);
    expect(made).toBe(cleanTranscript(captions));
  });

  it('gives long tables several steps, in parsing and in writing', () => {
    const long = new TextEncoder().encode(tables.repeat(12));
    const count = (steps: Steps<unknown>) => {
      let done = 0;
      while (!steps.next().done) done += 1;
      return done;
    };
    const source = { bytes: long, contentType: 'text/html', url };
    const asText = count(reading(source, { format: 'text' }));
    expect(count(parsing(tables.repeat(12)))).toBeGreaterThan(1);
    expect(count(reading(source, { format: 'markdown' }))).toBeGreaterThan(asText + 3);
  });
});

describe('markup parsed in pieces', () => {
  const pages = readdirSync('test/fixtures/pages')
    .filter((name) => name.endsWith('.html'))
    .slice(0, 5)
    .map((name) => [name, readFileSync(`test/fixtures/pages/${name}`, 'utf8')] as const);

  it.each<readonly [string, string]>([
    ...pages,
    [
      'a script and an entity',
      '<p>a &amp; b &lt<script>if (a < b) "</p>"</script><style>a<b</style>😀<b>😀</p',
    ],
    [
      'an attribute with a tag in it',
      '<a title="<b>x</b>" href=\'<\'>y</a><!-- <i> --><textarea><b></textarea>',
    ],
  ])('is the same as parsed whole: %s', (_, html) => {
    for (const chars of [html.length < 500 ? 1 : 70, 1_000])
      expect(atOnce(parsing(html, chars))).toEqual(parsePage(html));
  });
});
