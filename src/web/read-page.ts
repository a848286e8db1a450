import { inTurns } from '../core/steps.ts';
import { feedAsText, readJsonFeed } from './feed.ts';
import type { Fetched } from './fetch-public.ts';
import { mediaOf } from './media.ts';
import type { readPdf } from './pdf.ts';
import { prettyJson } from './pretty-json.ts';
import { decodePage } from './read/charset.ts';
import type { ReadOptions, ReadPage } from './read/read.ts';
import type { Rendering } from './readings.ts';
import { headingsIn, placedInText } from './sections.ts';
import { nothingSelected, selecting, unselectable } from './selector.ts';
import { tidy } from './tidy.ts';
import { challengeIn, emptiness, statusTrouble, type Unreadable } from './trouble.ts';

/** The things that keep part of a page's text back. */
type PageWall = 'paywalled' | 'login' | 'challenge' | 'needs_js';

export interface Page {
  readonly kind: 'page';
  readonly what: ReadPage['kind'] | 'feed' | 'pdf' | 'json' | 'text';
  readonly title: string | null;
  readonly byline: string | null;
  readonly published: string | null;
  readonly lang: string | null;
  readonly rendering: Rendering;
  readonly reading: ReadPage['reading'];
  readonly about: Omit<ReadPage['about'], 'paywalled'>;
  readonly structured: ReadPage['structured'];
  readonly wall?: PageWall;
  readonly truncated?: true;
  readonly links?: ReadPage['links'];
  readonly images?: ReadPage['images'];
  /** Set only for an HTML page, if it was asked for. */
  readonly html?: string;
}

/** The way to read a page, and the wanted pages of a PDF. */
export interface Wanted extends Omit<ReadOptions, 'select'> {
  readonly section?: string | undefined;
  /** CSS selectors of the parts of an HTML page to read. */
  readonly selector?: string | undefined;
  /** True to keep the HTML as well. */
  readonly raw?: boolean;
}

/** Recognises a caller's name for pages of a PDF: `page 7`, `pages 7-9`, and `page=7` as in an address. */
export const PDF_PAGES = /^\W{0,3}pages?\s{0,3}=?\s{0,3}(\d{1,5})(?:\s{0,3}[-–]\s{0,3}(\d{1,5}))?\W{0,3}$/i;

const HEAD_CHARS = 64_000;
const PDF_TIME_MS = 8_000;
const MOST_SECTIONS = 2_000;

/** Turns a server's answer into text for a reader, or says what it is instead. */
export async function readPage(
  fetched: Fetched,
  wanted: Wanted = {},
  pdf: PdfReader = readPdfHere,
): Promise<Page | Unreadable> {
  const { bytes, contentType, status, headers } = fetched;
  const media = mediaOf(bytes, contentType);
  const isText = media.kind !== 'binary' && media.kind !== 'pdf';
  const source = isText ? decodePage(bytes, contentType) : '';
  const challenge = challengeIn({ status, headers, head: source.slice(0, HEAD_CHARS) });
  const refused = challenge ?? statusTrouble(status, headers);
  if (refused) return { kind: 'unreadable', code: 'fetch_failed', ...refused };
  if (bytes.byteLength === 0) return unreadable('The page is empty.', 'Check the address.');
  if (wanted.selector !== undefined) {
    const objection = unselectable(media.kind);
    if (objection) return objection;
  }
  const page = await readMedia(media, source, fetched, wanted, pdf);
  return page.kind === 'page' && fetched.truncated ? { ...page, truncated: true } : page;
}

async function readMedia(
  media: ReturnType<typeof mediaOf>,
  source: string,
  fetched: Fetched,
  wanted: Wanted,
  pdf: PdfReader,
): Promise<Page | Unreadable> {
  switch (media.kind) {
    case 'html':
      return readHtmlPage(fetched, source, wanted);
    case 'pdf':
      return readPdfPage(fetched.bytes, wanted.section, pdf);
    case 'xml_feed': {
      const { readXmlFeed } = await import('./feed-xml.ts');
      return pageOfFeed(readXmlFeed(source));
    }
    case 'json_feed': {
      const feed = await jsonFeedIn(source);
      return feed ? pageOfFeed(feed) : plainPage(prettyJson(source) ?? source, 'json');
    }
    case 'json':
      return plainPage(prettyJson(source) ?? source, 'json');
    case 'text':
      return plainPage(source, 'text');
    case 'binary':
      return unreadable(
        `The address holds no text: it is ${media.what}.`,
        'Fetch a page of text, a feed or a PDF.',
      );
  }
}

const WALLS = { bot: 'challenge', login: 'login', consent: undefined, error: undefined } as const;

async function readHtmlPage(
  { bytes, contentType, finalUrl }: Fetched,
  html: string,
  { section, raw, selector, ...options }: Wanted,
): Promise<Page | Unreadable> {
  // The first page that needs the DOM and the reading rules loads them.
  const { reading } = await import('./read/read.ts');
  const isPlain = options.format === 'text';
  // Only Markdown knows where headings and the elements with ids are.
  const format = isPlain && section === undefined ? 'text' : 'markdown';
  const select = selector === undefined ? undefined : await selecting(selector);
  if (select && 'kind' in select) return select;
  const source = { bytes, contentType, url: finalUrl };
  const read = await inTurns(reading(source, { ...options, format, select }), bytes.byteLength);
  const said = tidy(read.clean_text);
  const nothing = selector === undefined ? undefined : nothingSelected(selector, read, said);
  if (nothing) return nothing;
  const trouble =
    selector === undefined &&
    emptiness({ html, text: said, url: finalUrl, ...(read.wall ? { wall: read.wall } : {}) });
  if (trouble) return { kind: 'unreadable', code: 'parse_failed', ...trouble };
  const { paywalled, ...about } = read.about;
  const stated = read.wall ? WALLS[read.wall] : undefined;
  const wall = stated ?? (paywalled ? 'paywalled' : read.needs_js ? 'needs_js' : undefined);
  return {
    kind: 'page',
    what: read.kind,
    title: read.title,
    byline: read.byline,
    published: read.published_at,
    lang: read.lang,
    rendering: isPlain ? inPlainText(said, read.markdown) : asRendering(read.markdown, said),
    reading: read.reading,
    about,
    structured: read.structured,
    ...(wall ? { wall } : {}),
    ...(read.truncated ? { truncated: true as const } : {}),
    ...(read.links ? { links: read.links } : {}),
    ...(read.images ? { images: read.images } : {}),
    ...(raw ? { html } : {}),
  };
}

function asRendering(markdown: ReadPage['markdown'], said: string): Rendering {
  // A page that consists of dropped marks has text but no Markdown.
  if (!markdown || markdown.text.trim() === '') return { text: said, sections: [], places: new Map() };
  const { text, headings, places } = markdown;
  const sections = headings
    .slice(0, MOST_SECTIONS)
    .map(({ level, text: title, index }) => ({ level, title, index }));
  return { text, sections, places };
}

/** Finds the sections of the Markdown again in the plain text. */
function inPlainText(text: string, markdown: ReadPage['markdown']): Rendering {
  if (!markdown) return { text, sections: [], places: new Map() };
  const marked = asRendering(markdown, text);
  const sections = placedInText(text, marked.sections);
  const places = new Map<string, number>();
  for (const [id, place] of marked.places) {
    const own = marked.sections.findLast(({ index }) => index <= place);
    const found = own && sections.find(({ title, level }) => title === own.title && level === own.level);
    if (found) places.set(id, found.index);
  }
  return { text, sections, places };
}

/** Reads a PDF until a time, as `Date.now()` gives it. */
export type PdfReader = typeof readPdf;

const readPdfHere: PdfReader = async (...asked) => (await import('./pdf.ts')).readPdf(...asked);

async function readPdfPage(
  bytes: Uint8Array,
  section: string | undefined,
  pdf: PdfReader,
): Promise<Page | Unreadable> {
  const [, from, to = from] = PDF_PAGES.exec(section ?? '') ?? [];
  const range = from === undefined ? {} : { from: Number(from), to: Number(to) };
  const read = await pdf(bytes, Date.now() + PDF_TIME_MS, range);
  if ('problem' in read)
    return unreadable(`The PDF ${read.problem}.`, 'Look for the same text as a web page.');
  const sections = read.starts.map(({ page, index }) => ({ level: 1, title: `Page ${page}`, index }));
  const places = new Map(read.starts.map(({ page, index }) => [`page=${page}`, index] as const));
  const page = plainPage(read.text, 'pdf', { sections, places });
  const cut = read.isCut ? { truncated: true as const } : {};
  return page.kind === 'page' ? { ...page, ...cut, title: read.title, byline: read.author } : page;
}

async function jsonFeedIn(source: string) {
  const { plainText } = await import('./feed-xml.ts');
  try {
    return readJsonFeed(JSON.parse(source), plainText);
  } catch {
    // It only begins like a feed, so it is shown as plain text.
    return undefined;
  }
}

function pageOfFeed(feed: Parameters<typeof feedAsText>[0]): Page | Unreadable {
  const { title, byline, updated, lang } = feed;
  const page = plainPage(feedAsText(feed), 'feed');
  return page.kind === 'page' ? { ...page, title, byline, published: updated, lang } : page;
}

function plainPage(source: string, what: Page['what'], known?: Omit<Rendering, 'text'>): Page | Unreadable {
  // The places of a known text are those of its characters, so none may be taken away.
  const text = known ? source : tidy(source);
  if (text.trim() === '') return unreadable('The page is empty.', 'Check the address.');
  const found = what === 'json' ? [] : headingsIn(text).slice(0, MOST_SECTIONS);
  const rendering = { text, ...(known ?? { sections: found, places: new Map<string, number>() }) };
  const nobody = { title: null, byline: null, published: null, lang: null };
  return { kind: 'page', what, ...nobody, rendering, reading: 'main', about: {}, structured: [] };
}

function unreadable(message: string, suggestion: string): Unreadable {
  return { kind: 'unreadable', code: 'parse_failed', message, suggestion };
}
