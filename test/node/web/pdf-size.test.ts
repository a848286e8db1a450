import { constants, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPdf } from '../../../src/web/pdf.ts';
import { MAX_UNPACKED_BYTES, unpacksTooLarge } from '../../../src/web/pdf-size.ts';

/** Looks for runs of one byte alone, which makes the same of blanks in a third of the time. */
const RUNS = { level: 9, strategy: constants.Z_RLE };
const made = new Map<number, Buffer>();
/** Packs so many blanks, once for all tests: it takes longer than what is tested. */
const packed = (bytes: number): Buffer => {
  const known = made.get(bytes) ?? deflateSync(Buffer.alloc(bytes, 0x20), RUNS);
  made.set(bytes, known);
  return known;
};
const object = (body: Uint8Array, dictionary = '/Filter /FlateDecode') =>
  Buffer.concat([
    Buffer.from(`4 0 obj\n<< /Length ${body.byteLength} ${dictionary} >>\nstream\n`),
    body,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
const head = Buffer.from(
  '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>\nendobj\n',
);
const file = (...objects: Uint8Array[]) =>
  new Uint8Array(Buffer.concat([head, ...objects, Buffer.from('trailer\n<< /Root 1 0 R >>\n%%EOF')]));
const picture = '/Type /XObject /Subtype /Image /Filter /FlateDecode';

describe('a PDF', () => {
  it.each<[string, Uint8Array, boolean]>([
    ['at the limit', file(object(packed(MAX_UNPACKED_BYTES))), false],
    ['over the limit', file(object(packed(MAX_UNPACKED_BYTES + 1))), true],
    [
      'over it with all its parts',
      file(...Array.from({ length: 5 }, () => object(packed(13_000_000)))),
      true,
    ],
    ['with pictures beyond it', file(object(packed(MAX_UNPACKED_BYTES + 1), picture)), false],
    [
      'with more pictures than that',
      file(...Array.from({ length: 5 }, () => object(packed(60_000_000), picture))),
      true,
    ],
    [
      'packed twice',
      file(
        object(deflateSync(packed(90_000_000)), '/Filter [/FlateDecode /FlateDecode]'),
        Buffer.alloc(70_000),
      ),
      true,
    ],
    [
      'packed in a way told elsewhere',
      file(object(packed(70_000_000), '/Filter 9 0 R'), Buffer.alloc(70_000)),
      true,
    ],
    ['of more parts than a document has', file(Buffer.from('stream\nx\x9c'.repeat(10_001), 'latin1')), true],
    ['that is only long', file(Buffer.alloc(200_000, 'text ')), false],
    ['damaged inside', file(object(Buffer.alloc(100_000, 'junk'))), false],
  ])('%s', async (_, bytes, isTooLarge) => {
    expect(await unpacksTooLarge(bytes)).toBe(isTooLarge);
  });

  it('that unpacks to gigabytes is refused in little memory', async () => {
    const before = process.memoryUsage().rss;
    const part = packed(100_000_000);
    const bytes = file(...Array.from({ length: 40 }, () => object(part)));
    expect(await readPdf(bytes, Date.now() + 5_000)).toEqual({ problem: 'unpacks to more than can be read' });
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });
});
