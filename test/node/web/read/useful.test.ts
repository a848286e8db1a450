import { describe, expect, it } from 'vitest';
import { frames, paragraphs, told } from '../../../support/made-pages.ts';
import {
  holdInAllFrames,
  inOrder,
  made,
  read,
  SITE,
  TITLE,
  times,
  type Useful,
} from '../../../support/useful-pages.ts';

/** Links as pages write them, and the address that each leads to. */
const HREFS: readonly (readonly [string, string])[] = [
  ['/berths/1', `${SITE}/berths/1`],
  ['berths/2', `${SITE}/notes/berths/2`],
  ['../berths/3?side=east', `${SITE}/berths/3?side=east`],
  ['//tide.example/4', 'https://tide.example/4'],
  ['https://tide.example/5?utm_source=harbour&utm_medium=mail', 'https://tide.example/5'],
  ['https://tide.example/6#ebb', 'https://tide.example/6#ebb'],
];
const anchor = (i: number) => `<a href="${HREFS[i]?.[0]}">berth number ${i + 1}</a>`;
const written = HREFS.map(([, to], i) => `[berth number ${i + 1}](${to})`);

const entry = (i: number) => ({
  name: `News item ${i + 1} of the quay`,
  said: `${told('the quay', i)}`,
  href: `/news/${i + 1}`,
});

const links: Record<string, Useful> = {
  'in sentences': {
    page: made(
      HREFS.map((_, i) => `<p>${told('moorings', i)} See ${anchor(i)} for more of it.</p>`).join(''),
    ),
    check: (markdown) => inOrder(markdown, written),
  },
  'in items of a list': {
    page: made(
      `${paragraphs('moorings', 3)}<ul>${HREFS.map((_, i) => `<li>${anchor(i)}, ${told('moorings', 20 + i)}</li>`).join('')}</ul>`,
    ),
    check: (markdown) => inOrder(markdown, written),
  },
  'over entries of an index': {
    page: made(
      times(12, entry)
        .map(
          ({ name, said, href }) =>
            `<div class="entry"><h2><a href="${href}">${name}</a></h2><p>${said}</p></div>`,
        )
        .join(''),
    ),
    check: (markdown, { links: listed }) => {
      inOrder(
        markdown,
        times(12, entry).map(({ name, href }) => `## [${name}](${SITE}${href})`),
      );
      expect(listed?.slice(0, 12)).toEqual(
        times(12, entry).map(({ name, href }) => ({ text: name, href: SITE + href, where: 'content' })),
      );
    },
  },
  'in a table of releases': {
    page: made(
      `${paragraphs('releases', 2)}<table><tr><th>Release</th><th>Day</th></tr>${times(8, (i) => `<tr><td><a href="/r/${i}">Release ${i}.0</a></td><td>2031-0${i + 1}-04</td></tr>`).join('')}</table>`,
    ),
    check: (markdown) =>
      inOrder(
        markdown,
        times(8, (i) => `| [Release ${i}.0](${SITE}/r/${i}) | 2031-0${i + 1}-04 |`),
      ),
  },
};

const QUESTION = 'My own question';
const asked = `<p>${told(QUESTION, 0)} ${told(QUESTION, 1)}</p><p>${told(QUESTION, 2)}</p>`;
const answers = (each: (i: number, html: string) => string) =>
  times(6, (i) => each(i, paragraphs(`answer ${i + 1}`, 3))).join('');
const said = [told(QUESTION, 0), told(QUESTION, 2), ...times(6, (i) => told(`answer ${i + 1}`, 5))];
const questioned = (body: string, head?: string): Useful => ({
  page: made(body, head),
  check: (markdown) => inOrder(markdown, said),
});
const qaPage = JSON.stringify({
  '@context': 'https://schema.org',
  '@type': 'QAPage',
  mainEntity: { '@type': 'Question', name: TITLE },
});
const questions: Record<string, Useful> = {
  'beside answers with names': questioned(
    `<div class="question"><div class="post-text">${asked}</div></div><div id="answers">${answers((_, html) => `<div class="answer"><div class="post-text">${html}</div></div>`)}</div>`,
  ),
  'before answers without names': questioned(
    `<div>${asked}</div><div>${answers((_, html) => `<div>${html}</div>`)}</div>`,
  ),
  'on a page that calls itself one': questioned(
    `<section>${asked}</section><section>${answers((_, html) => `<article>${html}</article>`)}</section>`,
    `<script type="application/ld+json">${qaPage}</script>`,
  ),
  'in the first row of a board': questioned(
    `<table class="thread">${[asked, ...times(6, (i) => paragraphs(`answer ${i + 1}`, 3))]
      .map((html, i) => `<tr><td class="poster">sailor${i}</td><td class="post">${html}</td></tr>`)
      .join('')}</table>`,
  ),
};

const ASK = times(7, (i) => `May a boat of ${i + 4} metres lie at berth ${i + 1}?`);
const reply = (i: number) => told(`berths, reply ${i + 1}`, i);
const faq = (
  each: (i: number, question: string, answer: string) => string,
  around = (html: string) => html,
): Useful => ({
  page: made(
    `${paragraphs('berths', 1)}${around(ASK.map((question, i) => each(i, question, reply(i))).join(''))}`,
  ),
  check: (markdown) =>
    inOrder(
      markdown,
      ASK.flatMap((question, i) => [question, reply(i)]),
    ),
});
const faqs: Record<string, Useful> = {
  'that open by themselves': faq(
    (_, ask, say) => `<details><summary>${ask}</summary><p>${say}</p></details>`,
  ),
  'that a button opens': faq(
    (i, ask, say) =>
      `<h3><button aria-expanded="false" aria-controls="faq${i}">${ask}</button></h3><div id="faq${i}" hidden><p>${say}</p></div>`,
  ),
  'that a bare button opens': faq(
    (i, ask, say) =>
      `<div class="item"><div role="button" tabindex="0" aria-expanded="false">${ask}</div><div id="b${i}"><p>${say}</p></div></div>`,
  ),
  'that a link opens': faq(
    (i, ask, say) =>
      `<div class="card"><h3><a data-toggle="collapse" href="#c${i}">${ask}</a></h3><div id="c${i}" class="collapse" style="display:none"><p>${say}</p></div></div>`,
    (html) => `<div class="accordion">${html}</div>`,
  ),
  'as terms': faq(
    (_, ask, say) => `<dt>${ask}</dt><dd>${say}</dd>`,
    (html) => `<dl>${html}</dl>`,
  ),
  'under headings': faq((_, ask, say) => `<h2>${ask}</h2><p>${say}</p>`),
};

/** Counts what a model pays for, roughly: words, numbers and signs. */
const tokens = (text: string): number => text.match(/\p{L}{1,8}|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu)?.length ?? 0;
const LARGEST_SHARE = 0.25;
/** What a reading may have besides the words of the text: marks of headings, lists and links. */
const MARKUP = 1.15;
const styled = (html: string) =>
  html.replace(
    /<(p|h2|ul|li|td)>/g,
    '<$1 class="css-1xk9 sm:mt-4 md:w-1/2" style="margin:0 auto" data-v-7ba5bd90>',
  );
const heavy = (body: string, plain: string): Useful => ({
  page: made(
    `${styled(body)}<script>window.__state=${JSON.stringify(times(40, (i) => ({ id: i, path: `/api/v2/item/${i}`, on: true })))}</script><svg viewBox="0 0 24 24"><path d="${'M12 2 L3 9z '.repeat(60)}"/></svg>`,
    `<style>${times(80, (i) => `.css-${i}{margin:${i}px;color:#${100 + i}}`).join('')}</style>`,
  ),
  check: (markdown) => expect(tokens(markdown)).toBeLessThanOrEqual(tokens(`# ${TITLE} ${plain}`) * MARKUP),
});
const plain = (about: string, count: number) => times(count * 2, (i) => told(about, i)).join(' ');
const budgets: Record<string, Useful> = {
  'for paragraphs': heavy(paragraphs('sails', 7), plain('sails', 7)),
  'for sections': heavy(
    times(4, (i) => `<h2>Part ${i + 1} of it</h2>${paragraphs(`part ${i + 1}`, 2)}`).join(''),
    times(4, (i) => `## Part ${i + 1} of it ${plain(`part ${i + 1}`, 2)}`).join(' '),
  ),
  'for lists': heavy(
    `${paragraphs('oars', 3)}<ul>${times(12, (i) => `<li>${told('oars', 30 + i)}</li>`).join('')}</ul>`,
    `${plain('oars', 3)} ${times(12, (i) => told('oars', 30 + i)).join(' - ')}`,
  ),
};

holdInAllFrames(
  {
    'keeps links': links,
    'keeps the question': questions,
    'keeps questions and answers': faqs,
    'costs little': budgets,
  },
  75,
);

describe('a reading', () => {
  it.each(Object.entries(frames))('takes a quarter of the page at most, framed as %s', (_, framed) => {
    for (const { page } of Object.values(budgets)) {
      const html = framed(page);
      expect(tokens(read(html).markdown?.text ?? '')).toBeLessThanOrEqual(tokens(html) * LARGEST_SHARE);
    }
  });
});
