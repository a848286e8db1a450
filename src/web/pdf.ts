import { unpacksTooLarge } from './pdf-size.ts';

/** What a PDF says, or why it says nothing. */
export type PdfText =
  | { readonly text: string; readonly title: string | null; readonly author: string | null }
  | { readonly refused: string };

const MAX_PAGES = 300;
const MAX_CHARS = 600_000;

/** Reads the text of a PDF page by page, until the end, a limit or `deadline` (as `Date.now()` counts). */
export async function readPdf(bytes: Uint8Array, deadline: number): Promise<PdfText> {
  if (await unpacksTooLarge(bytes)) return { refused: 'unpacks to more than can be read' };
  // A PDF reader is larger than all the rest together, and most pages are no PDF.
  const { getDocumentProxy } = await import('unpdf');
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    pdf = await getDocumentProxy(bytes, { verbosity: 0 });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    return { refused: isLocked ? 'is locked with a password' : 'is damaged and cannot be opened' };
  }
  try {
    const pages: string[] = [];
    let chars = 0;
    let number = 1;
    for (; number <= pdf.numPages; number++) {
      if (number > MAX_PAGES || chars > MAX_CHARS || Date.now() > deadline) break;
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = linesOf(items as readonly PdfItem[]);
      chars += text.length;
      if (text !== '') pages.push(text);
      page.cleanup();
    }
    if (pages.length === 0) return { refused: 'holds pictures of its pages and no text' };
    const unread = pdf.numPages - number + 1;
    if (unread > 0) pages.push(`[${unread} more pages are not read.]`);
    const { info } = (await pdf.getMetadata()) as { info: { Title?: unknown; Author?: unknown } };
    return { text: pages.join('\n\n'), title: nonEmpty(info.Title), author: nonEmpty(info.Author) };
  } catch {
    // Whatever a broken page makes the library throw, the document is at fault and not the product.
    return { refused: 'is damaged and cannot be read' };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

interface PdfItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
  /** Where it stands: the last number is its height above the page's foot. */
  readonly transform?: readonly number[];
  readonly height?: number;
}

/** Lines as they stand on the page, an empty one where a gap is left, and no word broken at a line's end. */
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
