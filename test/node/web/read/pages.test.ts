import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ReadPage, readHtml } from '../../../../src/web/read/read.ts';

const folder = new URL('../../../fixtures/pages/', import.meta.url);
const read = (name: string) =>
  readHtml({
    bytes: readFileSync(new URL(`${name}.html`, folder)),
    contentType: 'text/html; charset=utf-8',
    url: 'https://paper.example/news/pier',
  });

const STORY = [
  'agreed on Monday',
  'asked for the work',
  'after the herring season',
  'voted against the plan',
];
const FRAME = ['NAVWORD', 'FOOTWORD'];

interface Expected {
  readonly says?: readonly string[];
  readonly not?: readonly string[];
  readonly is?: Partial<ReadPage>;
}

const pages: Record<string, Expected> = {
  'article-plain': {
    says: STORY,
    not: FRAME,
    is: { title: 'Pier to be rebuilt', lang: 'en', kind: 'article' },
  },
  'article-no-landmarks': { says: STORY, not: [...FRAME, 'ASIDEWORD', 'tide tables'] },
  'article-comments': { says: STORY, not: [...FRAME, 'COMMENTWORD'] },
  'article-related': {
    says: STORY,
    not: ['POINTERWORD', 'LISTWORD', 'RELATEDWORD', 'Advertisement', 'CAPTIONWORD', 'More from'],
  },
  'article-about-lines': { says: STORY, not: ['min read', '2031'], is: { published_at: '2031-03-12' } },
  'article-scroll': { says: STORY, not: ['NEXTWORD', 'Ice house'] },
  'article-endings': {
    says: [...STORY, 'QUOTEWORD', 'The harbour office is open'],
    not: ['CREDITWORD', 'SCRIPTWORD', 'TIPWORD', 'BIOWORD'],
    is: { byline: 'Ana Ruiz' },
  },
  'article-named-body': { says: STORY, not: ['ELSEWORD'] },
  'article-sections': { says: STORY },
  'article-consent': { says: STORY, not: ['CONSENTWORD', 'LETTERWORD', 'SHAREWORD'] },
  'article-offers': {
    says: [...STORY, 'More work on the quays', 'looked at in spring'],
    not: ['NOTEWORD', 'CALLWORD', 'SMALLWORD', 'ELSEWORD', 'NEWSWORD', 'ASKWORD', 'Latest', 'enjoy', 'Stay'],
  },
  'article-loose-lines': {
    says: [...STORY, '1. Driving the piles', '2. Laying the deck', 'in no paragraph of their own'],
    not: ['Advertisement'],
  },
  'article-faded': { says: STORY, not: FRAME },
  'article-hidden-main': { says: STORY },
  hidden: { says: STORY, not: ['HIDDENWORD', ...FRAME] },
  'hidden-not': { says: STORY },
  'hidden-characters': { says: ['The harbour board turned over.', 'Marks: none.'] },
  'text-structure': {
    says: [
      '\n\nWhat it costs\n\n',
      '- Stone, cut and carried\n',
      '- Oak',
      '1. Drive the piles\n2. Lay the deck',
      'Year | Cost\nFirst | 40\nSecond | 30',
      '```\nif tide > 3:\n    wait()\nelse:\n    work()\n```',
      'hypertextual and microscopic.\nA new line.',
    ],
  },
  'docs-code': {
    says: ['const t = tide.at("east");\nconsole.log(t);', 'Errors', 'PORT_UNKNOWN', 'No such port.'],
    is: { kind: 'docs', title: 'Tide API' },
  },
  'forum-thread': {
    says: ['mira', 'if the rings hold', 'tomas', 'the ladder is gone', 'slippery at low tide'],
    not: ['SIGWORD', 'Member', 'Quote'],
    is: { kind: 'thread', byline: 'mira', title: 'Rings on the eastern pier' },
  },
  'forum-noscript': { says: ['Answer 0', 'Answer 5', 'poster3'], is: { kind: 'thread', byline: 'poster0' } },
  'forum-board': {
    says: ['if the rings hold', 'the ladder is gone', 'slippery at low tide', 'I will go on Friday'],
    is: { kind: 'thread' },
  },
  'forum-quotes': { says: ['if the rings hold', 'sailor3', 'I will go on Friday'], is: { kind: 'thread' } },
  'forum-lines': {
    says: ['if the rings hold', 'the ladder is gone', 'slippery at low tide', 'I will go on Friday'],
    not: ['views', 'Edited', '(edited)', 'message'],
    is: { kind: 'thread' },
  },
  'docs-comments': {
    says: ['at any berth', 'which was long ago'],
    not: ['COMMENTWORD'],
    is: { kind: 'docs' },
  },
  'product-reviews': {
    says: ['solid brass', 'packed in straw', 'a litre a week'],
    not: ['REVIEWWORD', 'VOICEWORD', 'What our'],
    is: { kind: 'product', title: 'Lantern' },
  },
  'list-names': { says: ['Ship lantern of solid brass, hanging', '€40', '€41'], is: { kind: 'list' } },
  'list-labels': {
    says: ['Harbour number 0', 'Harbour number 11', 'Depth 5 metres'],
    not: ['Quick look'],
    is: { kind: 'list', title: 'Harbours' },
  },
  'list-shelf': {
    says: ['Brassworks Lantern of the harbour, number 0', '€47', 'Latest products', 'Storm lamp'],
    not: ['VIEWEDWORD', 'Recently viewed'],
    is: { kind: 'list' },
  },
  product: {
    says: ['lantern of solid brass', 'Height: 31 cm'],
    not: ['REVIEWWORD', 'ALSOWORD', 'Add to cart', 'Quantity'],
    is: { kind: 'product', title: 'Brass lantern' },
  },
  'product-script': { says: ['A lantern of solid brass'], is: { needs_js: true } },
  list: {
    says: ['Harbour number 0', 'Harbour number 11', 'Depth 5 metres'],
    not: FRAME,
    is: { kind: 'list' },
  },
  service: { says: ['whole by night', 'by the knot', 'On the quay'], not: FRAME },
  'service-shop': {
    says: ['Brass lantern', '€40', 'Hook'],
    not: ['Add to cart'],
    is: { kind: 'other' },
  },
  repeated: { says: ['The quay opens at six', 'Ask at the office'] },
  'meta-json-ld': {
    is: {
      title: 'Pier to be rebuilt',
      byline: 'Ana Ruiz, Bo Chen',
      published_at: '2031-03-05T08:30:00+02:00',
    },
  },
  'meta-json-ld-broken': { is: { byline: null, published_at: '2031-03-05' } },
  'meta-open-graph': {
    is: {
      title: 'Pier to be rebuilt',
      byline: 'Ana Ruiz',
      published_at: '2031-03-05T08:30:00Z',
      lang: 'en-GB',
    },
  },
  'meta-microdata': { is: { byline: 'Ana Ruiz', published_at: '2031-03-05' } },
  'meta-lines': {
    is: { title: 'Pier to be rebuilt', byline: 'Ana Ruiz', published_at: '2031-03-05', lang: 'en' },
  },
  'meta-german': {
    says: ['östliche Mole'],
    is: { title: 'Die Mole wird erneuert', byline: 'Jana Krüger', published_at: '2031-03-05', lang: 'de' },
  },
  'meta-no-date': { says: STORY, is: { published_at: null, byline: null } },
  'script-only': { says: ['Charts of every harbour.'], is: { needs_js: true } },
  'login-wall': { is: { wall: 'login' } },
  'bot-challenge': { is: { wall: 'bot' } },
  empty: { is: { clean_text: '', title: null, lang: 'en' } },
  frames: { says: ['Only this.'] },
  'shell-none': { says: STORY, is: { title: 'Pier to be rebuilt' } },
  'shell-doubled': { says: STORY },
  'shell-cdata': { says: STORY },
  'shell-comment': { says: STORY },
  'shell-uppercase': { says: STORY.slice(0, 3), not: ['NAVWORD'], is: { lang: 'en' } },
  'shell-form': { says: STORY, not: ['NAVWORD'] },
};

describe('a page', () => {
  it.each(Object.entries(pages))('%s', (name, { says = [], not = [], is = {} }) => {
    const page = read(name);
    for (const words of says) expect(page.clean_text).toContain(words);
    for (const words of not) expect(page.clean_text).not.toContain(words);
    expect(page).toMatchObject(is);
  });

  it('has an expectation for every file', () => {
    expect(
      readdirSync(folder)
        .map((name) => name.replace('.html', ''))
        .sort(),
    ).toEqual(Object.keys(pages).sort());
  });

  it('says a repeated paragraph once', () => {
    expect(read('repeated').clean_text.split('opens at six')).toHaveLength(2);
    expect(read('forum-quotes').clean_text.split('the ladder is gone')).toHaveLength(2);
  });

  it('names what stands on a shelf once', () => {
    const named = (words: string) => read('list-names').clean_text.split(words).length - 1;
    expect(named('Ship lantern of solid brass, hanging')).toBe(1);
    expect(named('Hook')).toBe(2);
  });
});
