import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPdf } from '../../../src/web/pdf.ts';
import { pdfOf } from '../../support/pdf.ts';

type Part =
  | string
  | { readonly stream: string; readonly dictionary?: string }
  | { readonly packed: Buffer; readonly by: string };

/** A PDF of numbered objects, in which the first page shows the fourth. */
function pdf(content: string, more: Record<number, Part> = {}): Uint8Array {
  const page =
    '/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X 10 0 R >> >>';
  const objects: Record<number, Part> = {
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    3: `<< ${page} >>`,
    4: { stream: content },
    5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...more,
  };
  const parts = Object.entries(objects).map(([number, part]) => {
    if (typeof part === 'string') return Buffer.from(`${number} 0 obj\n${part}\nendobj\n`);
    if ('packed' in part) {
      const head = `${number} 0 obj\n<< /Length ${part.packed.length} /Filter ${part.by} >>\nstream\n`;
      return Buffer.concat([Buffer.from(head), part.packed, Buffer.from('\nendstream\nendobj\n')]);
    }
    const packed = deflateSync(Buffer.from(part.stream, 'latin1'), { level: 9 });
    const head = `${number} 0 obj\n<< /Length ${packed.length} /Filter /FlateDecode ${part.dictionary ?? ''} >>\nstream\n`;
    return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream\nendobj\n')]);
  });
  return new Uint8Array(
    Buffer.concat([Buffer.from('%PDF-1.5\n'), ...parts, Buffer.from('trailer\n<< /Root 1 0 R >>\n%%EOF')]),
  );
}

const line = 'BT /F1 9 Tf (words) Tj ET ';
const form = '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >>';
const composite = (inner: string, outer = '') =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H ${outer} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> ${inner} /FontDescriptor << /Type /FontDescriptor /FontName /A /Flags 4 >> >>] >>`;
const ranges = '1 beginbfrange <000000> <fffffe> <0041> endbfrange ';
const objectTable = (entries: string) =>
  new Uint8Array(
    Buffer.from(
      `%PDF-1.5\n1 0 obj\n<< /Type /XRef ${entries} /Root 2 0 R /Length 0 >>\nstream\n\nendstream\nendobj\n2 0 obj\n<< /Type /Catalog >>\nendobj\nstartxref\n9\n%%EOF`,
    ),
  );

/** The first page, which shows other parts. */
const pageOf = (contents: string) =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${contents} /Resources << /Font << /F1 5 0 R >> >> >>`;
/** Runs of 128 strokes each. */
const runs = (count: number) => Buffer.from([...Array(count)].flatMap(() => [129, 0x71, 129, 0x20]));

describe('a PDF that is made to be read for ever', () => {
  it.each<[string, Uint8Array]>([
    ['lists two thousand million objects', objectTable('/Size 2000000000 /Index [0 2000000000] /W [0 0 0]')],
    ['lists objects of no bytes', objectTable('/Size 900000 /Index [0 900000] /W [0 0 0]')],
    ['spells that in codes', objectTable('/Size 900000 /Index [0 900000] /#57 [0 0 0]')],
    ['gives widths to as many glyphs', pdf(line, { 5: composite('/W [0 2000000000 500]') })],
    ['gives them to many, many times', pdf(line, { 5: composite(`/W [${'0 999999 500 '.repeat(100)}]`) })],
    ['gives them in an array elsewhere', pdf(line, { 5: composite('/W 9 0 R'), 9: '[0 2000000000 500]' })],
    [
      'maps as many characters',
      pdf(line, { 5: composite('', '/ToUnicode 9 0 R'), 9: { stream: `begincmap ${ranges.repeat(9)}` } }),
    ],
    ['unpacks to more than there is time for', pdf('q Q '.repeat(4_000_000))],
    ['draws more than there is time for', pdf('/Z Do '.repeat(1_000_000) + line)],
    ['shows a text without an end', pdf(`BT /F1 9 Tf (${'abc def '.repeat(400_000)}) Tj ET`)],
    ['shows one in digits', pdf(`BT /F1 9 Tf <${'61'.repeat(4_000_000)}> Tj ET`)],
    ['saves its state again and again', pdf('q '.repeat(10_000) + line)],
    ['hides that it never restores it, in a text', pdf(`${'q (Q)'.repeat(5_000)} ${line}`)],
    ['hides that in a remark', pdf(`${'q %Q\n'.repeat(5_000)} ${line}`)],
    ['hides that in a picture', pdf(`${'q '.repeat(199)}BI ID ${'Q '.repeat(199)}`.repeat(20) + line)],
    ['draws a part many times', pdf(line.repeat(20), { 3: pageOf(`[${'4 0 R '.repeat(30_000)}]`) })],
    [
      'does so by an array elsewhere',
      pdf(line.repeat(20), { 3: pageOf('9 0 R'), 9: `[${'4 0 R '.repeat(30_000)}]` }),
    ],
    [
      'saves its state a little in each of many parts',
      pdf('q '.repeat(150), { 3: pageOf(`[${'4 0 R '.repeat(30)}]`) }),
    ],
    ['is packed as files were long ago', pdf(line, { 4: { packed: runs(100_000), by: '/RunLengthDecode' } })],
  ])('is refused before it is read if it %s', async (_, bytes) => {
    expect(await readPdf(bytes, Date.now() + 8_000)).toEqual({ problem: 'unpacks to more than can be read' });
  });

  it('is refused if it is encrypted, because nobody can look into it first', async () => {
    const bytes = pdf(line, { 8: '<< /Encrypt 9 0 R >>' });
    expect(await readPdf(bytes, Date.now() + 8_000)).toEqual({ problem: 'is encrypted' });
  });

  it('says that its time is over if it was over before the first page', async () => {
    expect(await readPdf(pdf(line), Date.now() - 1)).toEqual({ problem: 'takes too long to read' });
  });

  it('is left in the middle of a page that draws the same thing without an end, and the reader is told', async () => {
    const more: Record<number, Part> = {};
    for (let at = 10; at < 16; at++) {
      more[at] = { stream: '/X Do '.repeat(10), dictionary: `${form} /XObject << /X ${at + 1} 0 R >> >>` };
    }
    // A million lines in under two kilobytes.
    const bytes = pdf('/X Do', { ...more, 16: { stream: line, dictionary: `${form} >>` } });
    const read = await readPdf(bytes, Date.now() + 5_000);
    expect(read).toMatchObject({
      text: expect.stringContaining('Page 1 takes too long to read'),
    });
    expect(read).toMatchObject({ text: expect.stringContaining('words') });
  });

  it('is left there when it holds more pieces of text than a document does, however fast it is read', async () => {
    const pieces = { stream: `BT /F1 9 Tf ${'(a)Tj T* '.repeat(40_000)}`, dictionary: `${form} >>` };
    const read = await readPdf(pdf('/X Do '.repeat(10), { 10: pieces }), Date.now() + 600_000);
    expect(read).toMatchObject({ text: expect.stringContaining('its end may be missing') });
  });

  it('is read up to 300 pages, and names the section that comes next', async () => {
    const of = async (count: number) => {
      const bytes = pdfOf(Array.from({ length: count }, (_, i) => `page ${i + 1}`));
      return readPdf(new Uint8Array(bytes), Date.now() + 600_000);
    };
    expect(await of(300)).toMatchObject({ text: expect.stringMatching(/page 300$/), isCut: false });
    const next = /page 300\n\n\[1 more pages are not read\. Ask for the section "pages 301-301"\.\]$/;
    expect(await of(301)).toMatchObject({ text: expect.stringMatching(next), isCut: true });
  });

  it('is read whole if it is none', async () => {
    const read = await readPdf(pdf(line.repeat(2_000)), Date.now() + 60_000);
    expect(read).toMatchObject({ text: expect.not.stringContaining('missing') });
  });
});
