/** Pages made up for tests: any content inside the frames that sites put around it. */
export interface Made {
  readonly title: string;
  /** The markup under the main heading. */
  readonly body: string;
  readonly head?: string;
}

/** A word of the frame that a reading leaves out. */
export const FRAME_WORD = 'FRAMEWORD';

const entries = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `<li class="item"><a href="/area/${i}">${FRAME_WORD} area ${i}</a></li>`,
  ).join('');
const menu = `<ul class="nav">${entries(14)}</ul>`;
const beside = `<h3>Recent posts</h3><ul>${entries(6)}</ul>`;
const legal = `<p>© 2031 Harbour Paper. ${FRAME_WORD}</p><ul>${entries(5)}</ul>`;

const document = ({ title, head = '' }: Made, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;

/** The ways in which sites frame a page, by name. */
export const frames: Readonly<Record<string, (page: Made) => string>> = {
  landmarks: (page) =>
    document(
      page,
      `<header><a href="/">Harbour Paper</a><nav>${menu}</nav></header><main><h1>${page.title}</h1>${page.body}</main><aside>${beside}</aside><footer>${legal}</footer>`,
    ),
  'names of a weblog': (page) =>
    document(
      page,
      `<div id="masthead">${menu}</div><div id="page"><div id="content" class="content-area"><div class="post type-post hentry"><h1 class="entry-title">${page.title}</h1><div class="entry-content">${page.body}</div></div></div><div id="sidebar" class="widget-area">${beside}</div></div><div id="footer">${legal}</div>`,
    ),
  'a layout table': (page) =>
    document(
      page,
      `<table width="100%"><tr><td colspan="2"><div class="topnav">${menu}</div></td></tr><tr><td valign="top"><h1>${page.title}</h1>${page.body}</td><td width="200"><div class="sidebar">${beside}</div></td></tr><tr><td colspan="2"><div class="footer">${legal}</div></td></tr></table>`,
    ),
  'an application': (page) =>
    document(
      page,
      `<div id="__next"><div class="css-1q"><div role="navigation" class="css-2k">${menu}</div><div class="css-3x"><div class="css-4a"><h1 class="css-9">${page.title}</h1><div class="css-5b">${page.body}</div></div><div role="complementary">${beside}</div></div><div role="contentinfo">${legal}</div></div></div>`,
    ),
  'one form': (page) =>
    document(
      page,
      `<form method="post" action="./page.aspx" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="${'dDwtMT'.repeat(40)}"><div class="navbar">${menu}</div><div id="ctl00_Main"><h1>${page.title}</h1>${page.body}</div><div class="footer">${legal}</div></form>`,
    ),
};

const SUBJECTS = ['rope', 'pier', 'ladder', 'winch', 'hawser', 'bollard', 'fender', 'anchor', 'buoy', 'mast'];
const ENDS = [
  'because the tide runs hard there, and nobody trusts it by night',
  'which the harbour office notes in its book, with the hour and the wind',
  'although the crew had warned of it, twice, in the spring before',
  'so that a boat may lie there over winter, whatever the ice does',
  'and whoever doubts it may ask at the quay, where the old hands sit',
];

/** Sentences that all differ: the n-th about a thing. */
export function told(about: string, n: number): string {
  const subject = SUBJECTS[n % SUBJECTS.length];
  const end = ENDS[n % ENDS.length];
  return `In the account of ${about}, note ${n + 1} says that the ${subject} was looked at, ${end}.`;
}

export const paragraphs = (about: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `<p>${told(about, i * 2)} ${told(about, i * 2 + 1)}</p>`).join('');

/** Numbers that look random and are the same on every run. */
export function drawn(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 2 ** 32;
  };
}
