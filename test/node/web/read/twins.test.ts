import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { paragraphs } from '../../../support/made-pages.ts';

const read = (body: string, path = '/lamps') =>
  readHtml(
    {
      bytes: new TextEncoder().encode(
        `<!doctype html><html lang="en"><head><title>Lamps</title></head><body><main><h1>Lamps</h1>${body}</main></body></html>`,
      ),
      contentType: 'text/html',
      url: `https://harbour.example${path}`,
    },
    { format: 'markdown' },
  );
const counted = (text: string | undefined, words: string) => (text ?? '').split(words).length - 1;
const join = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

const plan = (name: string, i: number) =>
  `<div class="${name}"><h3>Plan number ${i}</h3><p>${i}0 lamps a month</p><p>The keeper of plan ${i} trims each wick by hand, as the guild asks.</p></div>`;
const plans = (name = 'plan') => join(4, (i) => plan(name, i));
const story = paragraphs('the lamps', 6);

describe('a second layout of a part', () => {
  it.each([
    [
      'for small screens',
      `<div class="plans desktop">${plans()}</div><div class="plans mobile">${plans()}</div>`,
    ],
    [
      'of other elements',
      `<div>${plans()}</div><section><ul>${join(4, (i) => `<li>${plan('p', i)}</li>`)}</ul></section>`,
    ],
    [
      'with a button and in another order',
      `<div>${plans()}</div><div class="md:hidden">${join(4, (i) => plan('p', 3 - i))}<p>Swipe for more</p></div>`,
    ],
    ['thrice', `<div>${plans()}</div><div>${plans()}</div><div>${plans()}</div>`],
  ])('%s is read once', (_, parts) => {
    for (const { clean_text, markdown } of [
      read(story + parts),
      read(parts + story),
      read(`${parts}<p>€40</p>`, '/products/lamp'),
    ])
      for (const i of [0, 1, 2, 3])
        for (const text of [clean_text, markdown?.text]) {
          expect(counted(text, `The keeper of plan ${i} trims`), text).toBe(1);
          expect(counted(text, `Plan number ${i}`), text).toBe(1);
        }
  });

  it('is read with what only it says', () => {
    const only =
      '<p>For this plan alone, the guild pays for the oil of the first winter and the second one.</p>'.repeat(
        1,
      );
    const text = read(
      `${story}<div>${plans()}</div><div class="mobile">${plans()}${only}${only.replaceAll('oil', 'glass')}</div>`,
    ).clean_text;
    expect(text).toContain('pays for the oil');
    expect(text).toContain('pays for the glass');
  });
});

describe('what a text says again stays', () => {
  const verse = '<p>Lo, the lamp burns, and the ships come home to the bay.</p>';
  it.each([
    [
      'the refrain of a song',
      `${join(4, (i) => `<p>Verse ${i} tells of a keeper on a rock, and of the sea.</p>${verse}`)}`,
      'Lo, the lamp burns',
      4,
    ],
    [
      'the marks that several things got',
      join(
        3,
        (i) =>
          `<h2>Lamp ${i}</h2><div class="marks">${join(6, (k) => `<div>${['Light', 'Smoke', 'Weight', 'Handle', 'Glass', 'Price'][(k + i) % 6]} of the lamp</div><div>${(k * (i + 1)) % 3}/5 of the marks</div>`)}</div>`,
      ),
      'Smoke of the lamp',
      3,
    ],
    [
      'entries that are alike',
      `<ul>${join(3, () => '<li><h3>Keeper wanted at the pier</h3><p>Full time, by day and by night</p><p>Pay as the guild sets it, and the oil is free for the keeper and for the kin of the keeper</p></li>')}</ul>`,
      'Keeper wanted',
      3,
    ],
    [
      'rows that are alike',
      `<table>${join(3, () => `<tr>${join(4, (i) => `<td>lamp number ${i}, trimmed, filled, lit and set upon the pier by its keeper</td>`)}</tr>`)}</table>`,
      'lamp number 2',
      3,
    ],
    [
      'answers shorter than a part',
      join(3, (i) => `<h2>Question ${i}</h2><div><p>Yes.</p><p>By day.</p><p>Ask the keeper.</p></div>`),
      'Ask the keeper.',
      3,
    ],
  ])('%s', (_, part, words, times) => {
    expect(counted(read(story + part).clean_text, words)).toBe(times);
  });

  it('in steps of a guide, with its short headings', () => {
    const system = (i: number) =>
      `<h2>On system ${i}</h2>${join(3, (k) => `<h3>Example</h3><p>Step ${k}: open the valve of the lamp by ${k} turns, and wait until it is quiet.</p>`)}`;
    const text = read(join(3, system), '/docs/lamps').markdown?.text;
    expect(counted(text, 'Step 2: open the valve')).toBe(3);
    expect(counted(text, 'Example')).toBe(9);
  });

  it('of each of several things, but not of one thing twice', () => {
    const terms = 'Not valid with other offers of the guild, and only for lamps of brass.';
    const shelf = (count: number) =>
      `<ul>${join(count, (i) => `<li><h2><a href="/${i}">Lamp number ${i} of the east, of brass, with a wick for a winter of nights</a></h2><p>€${i}9</p><p>${terms}</p></li>`)}</ul>`;
    const page = read(shelf(8), '/collections/lamps');
    expect(page.kind).toBe('list');
    expect(counted(page.clean_text, terms)).toBe(8);
    const once = 'The guild lends lamps to all who sail before the winter, as it always did.';
    const text = read(`<p>${once}</p>${shelf(8)}<p>${once}</p>`, '/collections/lamps').clean_text;
    expect(counted(text, once)).toBe(1);
  });
});

describe('a shelf', () => {
  const cards = (part: string) =>
    `<ul>${join(6, (i) => `<li><h2><a href="/${i}">Lamp number ${i} of the east, of brass, with a wick for a winter of nights</a></h2>${part}<div>${i}0 hours</div></li>`)}</ul>`;
  const shelf = (part: string) => read(cards(part), '/collections/lamps').clean_text;

  it('keeps the names of what it says of each thing, and headings', () => {
    expect(counted(shelf('<div>Burns for:</div>'), 'Burns for:')).toBe(6);
    expect(counted(shelf('<h3>Of the guild</h3>'), 'Of the guild')).toBe(6);
  });

  it('is read without what each card says alike', () => {
    expect(shelf('<div>New in the shop</div>')).not.toContain('New in the shop');
  });
});

describe('text that a designer left to be replaced', () => {
  const filler = (i: number) =>
    `<div><h3>Head line ${i}</h3><p>Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor number ${i}.</p></div>`;

  it.each(['/lamps', '/products/lamp', '/collections/lamps'])('is left out at %s', (path) => {
    const { clean_text, markdown } = read(`${story}<p>€40</p>${join(4, filler)}`, path);
    for (const text of [clean_text, markdown?.text]) {
      expect(text).not.toMatch(/lorem/i);
      expect(text).toContain('lamps');
    }
  });

  it('stays where a text shows it, and in a guide', () => {
    expect(read(story + filler(1)).clean_text).toContain('Lorem ipsum');
    expect(counted(read(story + join(2, filler), '/docs/lamps').clean_text, 'Lorem ipsum')).toBe(2);
  });
});
