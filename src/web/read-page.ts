import { feedAsText, readJsonFeed } from './feed.ts';
import type { Fetched } from './fetch-public.ts';
import { mediaOf } from './media.ts';
import { prettyJson } from './pretty-json.ts';
import { decodePage } from './read/charset.ts';
import { tidy } from './tidy.ts';
import { challengeIn, emptiness, statusTrouble, type Trouble } from './trouble.ts';

export interface Page {
  readonly kind: 'page';
  readonly title: string | null;
  readonly byline: string | null;
  readonly published: string | null;
  readonly lang: string | null;
  readonly text: string;
  /** Set only for an HTML page. */
  readonly html?: string;
}

interface Unreadable extends Trouble {
  readonly kind: 'unreadable';
  readonly code: 'fetch_failed' | 'parse_failed';
}

/** Added below a text that is not the whole of its page. */
const SCRIPTED = '[Scripts build the rest of this page in the browser; it is not read.]';
const CUT = '[The page is longer than is read; its end is missing.]';

const HEAD_CHARS = 64_000;
const PDF_TIME_MS = 8_000;

/** Turns a server's answer into text for a reader, or says what it is instead. */
export async function readPage(fetched: Fetched): Promise<Page | Unreadable> {
  const { bytes, contentType, status, headers } = fetched;
  const media = mediaOf(bytes, contentType);
  const isText = media.kind !== 'binary' && media.kind !== 'pdf';
  const source = isText ? decodePage(bytes, contentType) : '';
  const challenge = challengeIn({ status, headers, head: source.slice(0, HEAD_CHARS) });
  const refused = challenge ?? statusTrouble(status, headers);
  if (refused) return { kind: 'unreadable', code: 'fetch_failed', ...refused };
  if (bytes.byteLength === 0) return unreadable('The page is empty.', 'Check the address.');
  switch (media.kind) {
    case 'html':
      return readHtmlPage(fetched, source);
    case 'pdf':
      return readPdfPage(bytes);
    case 'xml_feed': {
      const { readXmlFeed } = await import('./feed-xml.ts');
      return pageOfFeed(readXmlFeed(source));
    }
    case 'json_feed': {
      const feed = await jsonFeedIn(source);
      return feed ? pageOfFeed(feed) : plainPage(prettyJson(source) ?? source);
    }
    case 'json':
      return plainPage(prettyJson(source) ?? source);
    case 'text':
      return plainPage(source);
    case 'binary':
      return unreadable(
        `The address holds no text: it is ${media.what}.`,
        'Fetch a page of text, a feed or a PDF.',
      );
  }
}

async function readHtmlPage(
  { bytes, contentType, finalUrl }: Fetched,
  html: string,
): Promise<Page | Unreadable> {
  // The first page that needs the DOM and the reading rules loads them.
  const { readHtml } = await import('./read/read.ts');
  const read = readHtml({ bytes, contentType, url: finalUrl });
  const said = tidy(read.clean_text);
  const trouble = emptiness({ html, text: said, url: finalUrl, ...(read.wall ? { wall: read.wall } : {}) });
  if (trouble) return { kind: 'unreadable', code: 'parse_failed', ...trouble };
  const text = [said, ...(read.needs_js ? [SCRIPTED] : []), ...(read.truncated ? [CUT] : [])].join('\n\n');
  return {
    kind: 'page',
    title: read.title,
    byline: read.byline,
    published: read.published_at,
    lang: read.lang,
    text,
    html,
  };
}

async function readPdfPage(bytes: Uint8Array): Promise<Page | Unreadable> {
  const { readPdf } = await import('./pdf.ts');
  const read = await readPdf(bytes, Date.now() + PDF_TIME_MS);
  if ('refused' in read)
    return unreadable(`The PDF ${read.refused}.`, 'Look for the same text as a web page.');
  const page = plainPage(read.text);
  return page.kind === 'page' ? { ...page, title: read.title, byline: read.author } : page;
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

function pageOfFeed(feed: Parameters<typeof feedAsText>[0]): Page {
  const { title, byline, updated, lang } = feed;
  return { kind: 'page', title, byline, published: updated, lang, text: tidy(feedAsText(feed)) };
}

function plainPage(source: string): Page | Unreadable {
  const text = tidy(source);
  if (text.trim() === '') return unreadable('The page is empty.', 'Check the address.');
  return { kind: 'page', title: null, byline: null, published: null, lang: null, text };
}

function unreadable(message: string, suggestion: string): Unreadable {
  return { kind: 'unreadable', code: 'parse_failed', message, suggestion };
}
