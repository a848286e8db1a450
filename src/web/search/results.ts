import * as z from 'zod';
import { beginning, tidy } from '../tidy.ts';
import type { SearchResult } from './backend.ts';

const MAX_TITLE_CHARS = 300;
const MAX_SNIPPET_CHARS = 2_000;

/** A result as some backend writes it. All other fields are dropped. */
const loose = z.object({
  title: z.string().nullish(),
  url: z.string(),
  snippet: z.string().nullish(),
  content: z.string().nullish(),
  description: z.string().nullish(),
  date: z.string().nullish(),
  published_date: z.string().nullish(),
  publishedDate: z.string().nullish(),
  lastModifiedDate: z.string().nullish(),
});

/**
 * Brings the results of all backends into one form, without unusable ones and markup. Gives `undefined` if
 * there is no list.
 */
export function resultsFrom(list: unknown, max: number): SearchResult[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const results = list.flatMap((item) => {
    const parsed = loose.safeParse(item);
    if (!parsed.success || !isWebAddress(parsed.data.url)) return [];
    const { title, url, snippet, content, description, ...dates } = parsed.data;
    const date = dates.date ?? dates.published_date ?? dates.publishedDate ?? dates.lastModifiedDate;
    const result = {
      title: inLine(title ?? '', MAX_TITLE_CHARS) || url,
      url,
      snippet: inLine(snippet ?? content ?? description ?? '', MAX_SNIPPET_CHARS),
      ...(date ? { date: beginning(date, 40) } : {}),
    };
    return [result];
  });
  return results.slice(0, max);
}

function isWebAddress(url: string): boolean {
  return url.length <= 4_096 && /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Makes one line of words, without the tags by which backends mark matches. */
function inLine(text: string, max: number): string {
  const plain = tidy(beginning(text, max * 4).replace(/<\/?(?:b|em|strong|mark|span|i|br)\b[^<>]*>/gi, ''));
  const line = plain.replace(/\s+/g, ' ').trim();
  return line.length > max ? `${beginning(line, max).trimEnd()} …` : line;
}
