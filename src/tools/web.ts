import type { searchWeb as searchContract, webFetch } from '../../contracts/web.ts';
import type { Handler } from '../core/handler.ts';
import { fetchPublic } from '../web/fetch-public.ts';
import { readPage } from '../web/read-page.ts';
import type { WebPorts } from '../web/web-ports.ts';

/** The largest page that is read, after decompression. */
export const MAX_PAGE_BYTES = 5_000_000;
/** The time for the page to arrive. The rest of the tool's time is for reading it. */
const FETCH_TIMEOUT_MS = 20_000;
const ACCEPT =
  'text/html,application/xhtml+xml,application/xml;q=0.9,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5';

/** Fetches a public page and gives its text. */
export const fetchPage: Handler<typeof webFetch, WebPorts> = async (
  { url, include_raw_html },
  call,
  { pages },
) => {
  const { signal } = call;
  const request = { url, maxBytes: MAX_PAGE_BYTES, timeoutMs: FETCH_TIMEOUT_MS, signal, accept: ACCEPT };
  const fetched = await fetchPublic(request, pages);
  if (fetched.kind === 'refused') {
    const { code, message, suggestion } = fetched;
    return call.fail(code, suggestion ? { message, suggestion } : { message });
  }
  const page = await readPage(fetched);
  if (page.kind === 'unreadable') {
    const { code, message, suggestion } = page;
    return call.fail(code, { message, suggestion });
  }
  return call.ok({
    final_url: fetched.finalUrl,
    title: page.title,
    byline: page.byline,
    published_at: page.published,
    lang: page.lang,
    clean_text: page.text,
    ...(include_raw_html && page.html !== undefined ? { raw_html: page.html } : {}),
  });
};

/** Searches the web with the backend that the owner has set. */
export const searchTheWeb: Handler<typeof searchContract, WebPorts> = async (
  { query, max_results },
  call,
  { webSearch },
) => {
  // A query of only blanks has the length that the schema wants, but says nothing.
  if (query.trim() === '') return call.fail('invalid_query');
  const answer = await webSearch({ query, maxResults: max_results, signal: call.signal });
  if (answer.kind === 'failed') {
    const { code, kind: _, ...detail } = answer;
    return call.fail(code, detail);
  }
  const note = answer.note === undefined ? {} : { meta: { note: answer.note } };
  return call.ok({ results: [...answer.results] }, note);
};
