import { describe, expect, it } from 'vitest';
import { withoutOldFilters } from '../../../src/web/pdf-filters.ts';

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const text = (found: Uint8Array) => String.fromCharCode(...found);
const unpacked = (head: string, packed: Uint8Array, limit = 1_000) =>
  text(withoutOldFilters(`<< /Filter ${head} >>`, packed, limit));

/** Writes bytes in base 85, four of them as five letters, and four zeros as one. */
function base85(from: string): string {
  let out = '';
  for (let at = 0; at < from.length; at += 4) {
    const part = from.slice(at, at + 4);
    let value = [...part.padEnd(4, '\0')].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), 0);
    if (value === 0 && part.length === 4) {
      out += 'z';
      continue;
    }
    const letters: string[] = [];
    for (let digit = 0; digit < 5; digit++, value = Math.floor(value / 85))
      letters.unshift(String.fromCharCode((value % 85) + 0x21));
    out += letters.slice(0, part.length + 1).join('');
  }
  return `${out}~>`;
}

describe('an old way of packing a part of a PDF', () => {
  it.each(['/ASCIIHexDecode', '/AHx'])('is undone: %s', (head) => {
    expect(unpacked(head, bytes('48 65 6C\n6c6F>what follows'))).toBe('Hello');
  });

  it.each(['', 'a', 'ab', 'abc', 'abcd', 'Hello, World', '\0\0\0\0 and more \xff\xff\xff\xff'])(
    'is undone: base 85 of %j',
    (said) => {
      expect(unpacked('/ASCII85Decode', bytes(base85(said)))).toBe(said);
      expect(unpacked('/A85', bytes(base85(said).replace(/(.{3})/g, '$1\n')))).toBe(said);
    },
  );

  it('is undone: runs of bytes', () => {
    const packed = Uint8Array.of(
      2,
      ...bytes('abc'),
      254,
      ...bytes('x'),
      0,
      ...bytes('y'),
      128,
      ...bytes('no'),
    );
    expect(unpacked('/RunLengthDecode', packed)).toBe('abcxxxy');
    expect(unpacked('[/RL]', packed)).toBe('abcxxxy');
  });

  it('is undone: LZW, as the standard shows it', () => {
    const packed = Uint8Array.of(0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01);
    expect(unpacked('/LZWDecode', packed)).toBe('-----A---B');
    expect(unpacked('/LZW', packed)).toBe('-----A---B');
  });

  it('is undone one within the other', () => {
    expect(unpacked('[/AHx /RL]', bytes('FD61 80>'))).toBe('aaaa');
  });

  it('is followed to just over the limit and no further', () => {
    const runs = new Uint8Array(2_000).map((_, at) => (at % 2 === 0 ? 129 : 0x61));
    const found = withoutOldFilters('/RL', runs, 1_000).length;
    expect(found).toBeGreaterThan(1_000);
    expect(found).toBeLessThanOrEqual(1_130);
  });

  it('is left as it is if it is none of them', () => {
    expect(unpacked('/FlateDecode', bytes('x\x9c'))).toBe('x\x9c');
  });
});
