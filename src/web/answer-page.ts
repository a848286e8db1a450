import type { Output } from '../../contracts/contract.ts';
import type { webFetch } from '../../contracts/web-fetch.ts';
import { cutAtLineEnd } from '../core/cut.ts';
import type { Page } from './read-page.ts';
import { endOf, type Range } from './sections.ts';

/** A page that was read, and the address and status it came with. */
export interface ReadFrom {
  readonly final_url: string;
  readonly status: number;
  readonly page: Page;
}

type Answer = Output<typeof webFetch>;

const MOST_LISTED = 100;
/** The characters that the numbers and names of a page's place take in an answer. */
const RESERVE = 200;

interface Part extends Range {
  readonly maxLength?: number | undefined;
  /** The characters of JSON that the caller takes. */
  readonly room?: number | undefined;
  readonly rawHtml: boolean;
}

/** Makes the answer about a page, with as much of its text as was asked for and as fits. */
export function answerOf(
  { final_url, status, page }: ReadFrom,
  { from, to, maxLength, room, rawHtml }: Part,
): Answer {
  const { rendering, links, images } = page;
  const known = {
    final_url,
    status,
    title: page.title,
    byline: page.byline,
    published_at: page.published,
    ...page.about,
    lang: page.lang,
    kind: page.what,
    reading: page.reading,
    ...(page.wall ? { wall: page.wall } : {}),
    ...(page.truncated ? { truncated: true as const } : {}),
    ...(page.structured.length > 0 ? { structured: page.structured.map((each) => ({ ...each })) } : {}),
    ...(links ? { links: [...links] } : {}),
    ...(images ? { images: [...images] } : {}),
    total: rendering.text.length,
  };
  const sections = listed(page);
  const most = maxLength ?? Number.MAX_SAFE_INTEGER;
  let end = endOf(rendering.text, from, to, Math.min(most, to - from));
  const others = () => JSON.stringify(known).length + RESERVE;
  if (room !== undefined && others() + (end - from) * 2 > room) {
    const left = room - others() - JSON.stringify(sections).length;
    const fits = cutAtLineEnd(rendering.text.slice(from, end), Math.max(left, RESERVE)).length;
    end = from + Math.max(1, fits);
  }
  const isPart = from > 0 || end < rendering.text.length;
  return {
    ...known,
    clean_text: rendering.text.slice(from, end),
    start_index: from,
    ...(end < to ? { next_index: end } : {}),
    ...(isPart && sections.length > 0 ? { sections } : {}),
    ...(rawHtml && page.html !== undefined ? { raw_html: page.html } : {}),
  };
}

/** Lists the sections, the higher ones alone if there are many. */
function listed({ rendering: { sections } }: Page) {
  const deepest = [6, 5, 4, 3, 2, 1].find(
    (level) => sections.filter((each) => each.level <= level).length <= MOST_LISTED,
  );
  return sections
    .filter(({ level }) => level <= (deepest ?? 1))
    .slice(0, MOST_LISTED)
    .map(({ title, level, index }) => ({ title: title.slice(0, 200), level, start_index: index }));
}
