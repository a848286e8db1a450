import type { fetchWebpage } from '../../../contracts/webpage.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { type FetchPorts, fetchPublic } from '../../../src/web/fetch-public.ts';
import { mediaOf } from '../../../src/web/media.ts';
import { decodePage } from '../../../src/web/read/charset.ts';
import { type Page, type PdfReader, readPage } from '../../../src/web/read-page.ts';
import { objectionToSelector } from '../../../src/web/selector.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import { readAside } from '../reading/aside.ts';
import { type MachineFetchPorts, machineFetch } from '../web/machine-fetch.ts';

export interface WebpagePorts {
  readonly web: FetchPorts;
  /** Looks names up for previews. If left out, the system's resolver. */
  readonly names?: MachineFetchPorts;
}

const MAX_BYTES = 1024 * 1024;
const TOO_LARGE = 'Response too large (>1MB), truncating';

const fetchPage: Handler<typeof fetchWebpage, WebpagePorts> = async (
  { url, timeout_seconds, format, selector },
  call,
  { web },
) => {
  const started = performance.now();
  const objection = await objectionToSelector(selector);
  if (objection !== undefined) return call.fail('invalid_selector', { message: objection });
  const page = await fetchPublic(
    { url, timeoutMs: timeout_seconds * 1_000, signal: call.signal, maxBytes: MAX_BYTES, overflow: 'cut' },
    web,
  );
  if (page.kind === 'refused') {
    const { code, message, suggestion } = page;
    const more = suggestion === undefined ? {} : { suggestion };
    if (code === 'timeout') {
      const seconds = `${timeout_seconds} second${timeout_seconds === 1 ? '' : 's'}`;
      return call.fail('timeout', {
        message: `Request timed out after ${seconds}`,
        suggestion: 'Try again later, or with a larger `timeout_seconds`.',
      });
    }
    if (code === 'invalid_url') return call.fail('invalid_url', { message: 'Invalid URL format', ...more });
    if (code === 'blocked_url') return call.fail('blocked_url', { message, ...more });
    return call.fail('fetch_failed', { message: `Failed to fetch: ${message}`, ...more });
  }
  const { bytes, contentType, status, finalUrl, truncated } = page;
  const { kind, what } = mediaOf(bytes, contentType);
  const isSuccess = status >= 200 && status < 300;
  const wanted = format ?? (selector === undefined ? undefined : 'markdown');
  const read =
    wanted && isSuccess
      ? await readPage(page, { format: wanted, selector }, pdfAside(call.signal))
      : undefined;
  if (read?.kind === 'unreadable') {
    const { code, message } = read;
    const isSelected = code === 'no_such_element' || code === 'selector_too_slow';
    return call.fail(isSelected ? code : 'not_text', message === undefined ? {} : { message });
  }
  if (!read && (kind === 'binary' || kind === 'pdf')) {
    return call.fail('not_text', { message: `The page is not text: it is ${what}.` });
  }
  const headline = isSuccess
    ? `Fetched content from ${url} (${sizeOf(bytes.byteLength)})`
    : `${url} answered with status ${status} (${sizeOf(bytes.byteLength)})`;
  const warning = truncated ? TOO_LARGE : undefined;
  const text = read ? readableOf(read) : decodePage(truncated ? wholeCharacters(bytes) : bytes, contentType);
  return call.ok({
    success: isSuccess,
    output: [headline, ...(warning === undefined ? [] : [`Warning: ${warning}`]), text].join('\n'),
    files_affected: [],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      url,
      final_url: finalUrl,
      status_code: status,
      content_length: bytes.byteLength,
      content_type: contentType,
      truncated,
      ...(warning === undefined ? {} : { warning }),
    },
  });
};

/** Handlers that fetch over the machine's own network. */
export const webpageHandlers = { fetch_webpage: fetchPage } satisfies MachineHandlers;

/** The machine's own way to the web. It checks each address as it connects. */
export const webpagePorts: WebpagePorts = { web: { fetch: machineFetch } };

/** Puts the title and the author above the text, which does not contain them. */
function readableOf({ title, byline, rendering }: Page): string {
  const heading = title === null ? '' : `# ${title}`;
  return [heading, byline === null ? '' : `By ${byline}`, rendering.text].filter(Boolean).join('\n\n');
}

/** Reads PDFs in a process of their own, because no page may stop the bridge. It tells no places of pages. */
function pdfAside(signal: AbortSignal): PdfReader {
  return async (bytes, until) => {
    const read = await readAside({ until, signal }, async () => ({ kind: 'pdf', bytes, until }));
    if (!read || !('text' in read)) return read && 'problem' in read ? read : { problem: 'cannot be read' };
    const { text, isCut, title = null, author = null } = read;
    return { text, isCut, title, author, starts: [] };
  };
}

function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < MAX_BYTES ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / MAX_BYTES).toFixed(1)} MB`;
}

/** Drops a UTF-8 character that was cut at the end. Its bytes would make the whole text look like another encoding. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start > 0 && start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}
