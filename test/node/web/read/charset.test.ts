import { describe, expect, it } from 'vitest';
import { decodePage } from '../../../../src/web/read/charset.ts';
import { encodedWords, pageOf } from '../../../support/encoded-pages.ts';

const utf8 = [...new TextEncoder().encode('Môle – 港')];
const decoded = (bytes: Uint8Array, contentType = 'text/html') => decodePage(bytes, contentType);

describe('the encoding of a page', () => {
  it.each(encodedWords)('is %s if the header says so', (label, bytes, word) => {
    expect(decoded(pageOf(bytes), `text/html; charset=${label}`)).toContain(`<p>${word}</p>`);
  });

  it.each(encodedWords)('is %s if the markup says so', (label, bytes, word) => {
    expect(decoded(pageOf(bytes, `<meta charset="${label}">`))).toContain(`<p>${word}</p>`);
    const equiv = `<meta http-equiv="Content-Type" content="text/html; charset=${label}">`;
    expect(decoded(pageOf(bytes, equiv))).toContain(`<p>${word}</p>`);
  });

  it('is found behind a long head', () => {
    const [label, bytes, word] = encodedWords[0] ?? ['', [], ''];
    const far = `${`<meta name="x" content="${'y'.repeat(80)}">`.repeat(60)}<meta charset=${label}>`;
    expect(decoded(pageOf(bytes, far))).toContain(word);
  });

  it('is what the byte order mark says, whatever else is said', () => {
    const utf16 = Uint8Array.from([0xff, 0xfe, ...[...'<p>Môle</p>'].flatMap((c) => [c.charCodeAt(0), 0])]);
    expect(decoded(utf16, 'text/html; charset=utf-8')).toBe('<p>Môle</p>');
    expect(decoded(utf16.map((_, i) => utf16[i ^ 1] ?? 0))).toBe('<p>Môle</p>');
    expect(decoded(Uint8Array.from([0xef, 0xbb, 0xbf, ...utf8]), 'text/html; charset=iso-8859-1')).toBe(
      'Môle – 港',
    );
  });

  it('is UTF-8 if nothing is said and it can be, else windows-1252', () => {
    expect(decoded(pageOf(utf8))).toContain('<p>Môle – 港</p>');
    expect(decoded(pageOf([0x4d, 0xf4, 0x6c, 0x65]))).toContain('<p>Môle</p>');
  });

  it('is UTF-8 where a Western label is a mistake', () => {
    expect(decoded(pageOf(utf8, '<meta charset="iso-8859-1">'))).toContain('<p>Môle – 港</p>');
  });

  it('is windows-1252 where the label UTF-8 is a mistake', () => {
    expect(
      decoded(
        pageOf([0x4d, 0xf4, 0x6c, 0x65].concat(...Array(2_000).fill([0xe9]))),
        'text/html; charset=utf-8',
      ),
    ).toContain('Môleé');
  });

  it('stays UTF-8 where a stray byte is damage', () => {
    const text = decoded(pageOf([...utf8, 0xff]), 'text/html; charset=utf-8');
    expect(text).toContain('Môle – 港\ufffd');
  });

  it('is guessed again if the label means nothing', () => {
    expect(decoded(pageOf(utf8), 'text/html; charset=klingon')).toContain('Môle – 港');
  });
});
