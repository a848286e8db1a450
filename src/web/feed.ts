import * as z from 'zod';
import { beginning, tidy } from './tidy.ts';

export interface Feed {
  readonly title: string | null;
  readonly byline: string | null;
  readonly updated: string | null;
  readonly lang: string | null;
  readonly about: string;
  readonly items: readonly FeedItem[];
  /** The number of entries that the feed has beyond `items`. */
  readonly more: number;
  /** True if it is nested so deep that its end was not read. */
  readonly isCut?: boolean;
}

export interface FeedItem {
  readonly title: string;
  readonly url: string;
  readonly date: string | null;
  readonly author: string;
  readonly summary: string;
}

export const MAX_FEED_ITEMS = 200;
const MAX_SUMMARY_CHARS = 2_000;

const jsonFeed = z.object({
  title: z.string().catch(''),
  description: z.string().catch(''),
  language: z.string().nullable().catch(null),
  authors: z.array(z.object({ name: z.string().catch('') })).catch([]),
  items: z
    .array(
      z.object({
        title: z.string().catch(''),
        url: z.string().catch(''),
        date_published: z.string().catch(''),
        summary: z.string().catch(''),
        content_text: z.string().catch(''),
        content_html: z.string().catch(''),
        authors: z.array(z.object({ name: z.string().catch('') })).catch([]),
      }),
    )
    .catch([]),
});

/** Reads a JSON Feed; `undefined` if it is JSON of another kind. */
export function readJsonFeed(json: unknown, plain: (html: string) => string): Feed | undefined {
  const parsed = jsonFeed.safeParse(json);
  if (!parsed.success) return undefined;
  const { title, description, language, authors, items } = parsed.data;
  return {
    title: title || null,
    byline: namesOf(authors) || null,
    updated: null,
    lang: language,
    about: description,
    more: Math.max(0, items.length - MAX_FEED_ITEMS),
    items: items.slice(0, MAX_FEED_ITEMS).map((item) => ({
      title: item.title,
      url: item.url,
      date: isoOf(item.date_published),
      author: namesOf(item.authors),
      summary: shortened(item.summary || item.content_text || plain(item.content_html)),
    })),
  };
}

function namesOf(authors: readonly { name: string }[]): string {
  return authors
    .map(({ name }) => name)
    .filter(Boolean)
    .join(', ');
}

/** Brings a feed's date into ISO 8601; `null` if it is not a date. */
export function isoOf(date: string): string | null {
  const time = Date.parse(date.trim());
  return Number.isNaN(time) ? null : new Date(time).toISOString().replace('.000Z', 'Z');
}

/** Cuts a summary so short that a list can hold many. */
export function shortened(text: string): string {
  const clean = tidy(text).trim();
  return clean.length <= MAX_SUMMARY_CHARS ? clean : `${beginning(clean, MAX_SUMMARY_CHARS).trimEnd()} …`;
}

/** Writes a feed as a list that a person can read. */
export function feedAsText({ title, about, items, more, isCut }: Feed): string {
  const entries = items.map(({ title: name, url, date, author, summary }) => {
    const by = [date, author].filter(Boolean).join(' · ');
    return [`## ${oneLine(name) || '(without a title)'}`, by, url, summary].filter(Boolean).join('\n');
  });
  return [
    ...(title ? [`# ${oneLine(title)}`] : []),
    ...(about ? [shortened(about)] : []),
    ...(entries.length > 0 ? entries : ['(The feed has no entries.)']),
    ...(isCut ? ['[The feed is nested deeper than is read; its end is missing.]'] : []),
    ...(more > 0 ? [`(${more} more entries are left out.)`] : []),
  ].join('\n\n');
}

function oneLine(text: string): string {
  return tidy(text).replace(/\s+/g, ' ').trim();
}
