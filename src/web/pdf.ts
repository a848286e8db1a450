import { aTurn } from '../core/steps.ts';
import { unpacksTooLarge } from './pdf-size.ts';
import { tidy } from './tidy.ts';

/** The text of a PDF, or why there is none. */
type PdfText =
  | {
      readonly text: string;
      readonly title: string | null;
      readonly author: string | null;
      /** The place where each page begins in the text. */
      readonly starts: readonly { readonly page: number; readonly index: number }[];
      /** True if the document goes on after what was read. */
      readonly isCut: boolean;
    }
  | { readonly problem: string };

const MAX_PAGES = 300;
const BETWEEN = '\n\n';
const MAX_CHARS = 600_000;
/** The limit for pieces of text. Each is a few characters; a page of a book has some hundreds. */
export const MAX_ITEMS = 150_000;
/**
 * The limit for turns of the library's own queue. Each form that a page draws takes one, however little text
 * it has.
 */
const MAX_CHUNKS = 30_000;
/** After so many turns, a page lets other work run. */
const CHUNKS_A_TURN = 20;

/**
 * Reads the text of a PDF page by page, until its end, a limit or `deadline` (a time as `Date.now()` gives
 * it).
 */
export async function readPdf(
  bytes: Uint8Array,
  deadline: number,
  { from = 1, to = Number.POSITIVE_INFINITY }: { readonly from?: number; readonly to?: number } = {},
): Promise<PdfText> {
  // Encrypted parts cannot be checked before the library reads them.
  if (isEncrypted(bytes)) return { problem: 'is encrypted' };
  if (await unpacksTooLarge(bytes)) return { problem: 'unpacks to more than can be read' };
  // A PDF reader is larger than all the rest together, and few pages are PDFs.
  const { getDocumentProxy } = await import('unpdf');
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    pdf = await getDocumentProxy(bytes, { verbosity: 0 });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    return { problem: isLocked ? 'is locked with a password' : 'is damaged and cannot be opened' };
  }
  try {
    const pages: string[] = [];
    const starts: { page: number; index: number }[] = [];
    let length = 0;
    const add = (text: string) => {
      length += (pages.length > 0 ? BETWEEN.length : 0) + text.length;
      pages.push(text);
    };
    const left: Left = { chars: MAX_CHARS, items: MAX_ITEMS, chunks: MAX_CHUNKS, deadline };
    let number = Math.max(1, from);
    const last = Math.min(pdf.numPages, to);
    for (; number <= last && number < from + MAX_PAGES && hasMore(left); number++) {
      const page = await pdf.getPage(number);
      const text = tidy(linesOf(await itemsOf(page as PdfPage, left)));
      if (text !== '') {
        starts.push({ page: number, index: length + (pages.length > 0 ? BETWEEN.length : 0) });
        add(text);
      }
      if (!hasMore(left)) add(`[Page ${number} takes too long to read; its end may be missing.]`);
      if (hasMore(left)) page.cleanup();
      await aTurn();
    }
    if (from > pdf.numPages) return { problem: `has only ${pdf.numPages} pages` };
    if (pages.length === 0) {
      return {
        problem: hasMore(left) ? 'holds pictures of its pages and no text' : 'takes too long to read',
      };
    }
    const unread = last - number + 1;
    if (unread > 0)
      add(`[${unread} more pages are not read. Ask for the section "pages ${number}-${pdf.numPages}".]`);
    const { info } = (await pdf.getMetadata()) as { info: { Title?: unknown; Author?: unknown } };
    const text = pages.join(BETWEEN);
    const isCut = unread > 0 || !hasMore(left);
    return { text, title: nonEmpty(info.Title), author: nonEmpty(info.Author), starts, isCut };
  } catch {
    // A broken page can make the library throw anything: blame the document and not the product.
    return { problem: 'is damaged and cannot be read' };
  } finally {
    // Do not wait: a page that was left in the middle never ends.
    void pdf.loadingTask.destroy().catch(() => undefined);
  }
}

function isEncrypted(bytes: Uint8Array): boolean {
  return /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/.test(new TextDecoder('latin1').decode(bytes));
}

/** The amount that may still be read. */
interface Left {
  chars: number;
  items: number;
  chunks: number;
  readonly deadline: number;
}

function hasMore({ chars, items, chunks, deadline }: Left): boolean {
  return chars > 0 && items > 0 && chunks > 0 && Date.now() <= deadline;
}

/**
 * Reads the text of a page in pieces. The library waits until each piece is taken, so the reader can stop in
 * the middle of a page, even while it draws the same thing over and over.
 */
async function itemsOf(page: PdfPage, left: Left): Promise<PdfItem[]> {
  const items: PdfItem[] = [];
  const reader = page.streamTextContent().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return items;
    for (const item of value.items) items.push(item);
    left.items -= value.items.length;
    left.chunks -= 1;
    for (const { str = '' } of value.items) left.chars -= str.length;
    if (left.chunks % CHUNKS_A_TURN === 0) await aTurn();
    // Nothing more is taken, so the library waits until the document is closed.
    if (!hasMore(left)) return items;
  }
}

interface PdfPage {
  streamTextContent(): ReadableStream<{ items: PdfItem[] }>;
}

interface PdfItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
  /** The place on the page: the last number is the height above the page's foot. */
  readonly transform?: readonly number[];
  readonly height?: number;
}

/**
 * Joins pieces into the lines of the page, with an empty line at a gap, and joins words broken at a line's
 * end.
 */
function linesOf(items: readonly PdfItem[]): string {
  const lines: string[] = [];
  let line = '';
  let lastY: number | undefined;
  for (const { str = '', hasEOL = false, transform, height = 0 } of items) {
    const y = transform?.[5];
    if (str !== '' && line === '' && y !== undefined) {
      if (lastY !== undefined && height > 0 && lastY - y > height * 2) lines.push('');
      lastY = y;
    }
    line += str;
    if (!hasEOL) continue;
    lines.push(line.trimEnd());
    line = '';
  }
  lines.push(line.trimEnd());
  return lines
    .join('\n')
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .trim();
}

function nonEmpty(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
