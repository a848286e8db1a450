import { describe, expect, it } from 'vitest';
import { JsonRefused } from '../../src/core/json.ts';
import { BodyTooLarge, MAX_BODY_BYTES, readBody, refuseLongStructure } from '../../src/http/body.ts';
import { chunked, GATEWAY, MIB_4 } from './http.ts';

const request = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Request(GATEWAY, { method: 'POST', body, headers });

describe('readBody', () => {
  it('allows 4 MiB', () => {
    expect(MAX_BODY_BYTES).toBe(MIB_4);
  });

  it('gives the text of a body, however it is cut into pieces', async () => {
    const text = 'grüße, 😀\n'.repeat(3);
    for (const pieceBytes of [1, 2, 3, 5, 1_000]) {
      expect(await readBody(request(chunked(text, pieceBytes)))).toBe(text);
    }
  });

  it('gives an empty text for no body and for an empty one', async () => {
    expect(await readBody(new Request(GATEWAY))).toBe('');
    expect(await readBody(request(''))).toBe('');
    expect(await readBody(request(chunked('')))).toBe('');
  });

  it('counts bytes, not characters', async () => {
    expect(await readBody(request('éé'), 4)).toBe('éé');
    await expect(readBody(request('ééé'), 5)).rejects.toThrow(BodyTooLarge);
  });

  it.each(['text', 'chunks'])('takes exactly the limit and no byte more, as %s', async (form) => {
    const bodyOf = (text: string) => (form === 'text' ? text : chunked(text, 7));
    expect(await readBody(request(bodyOf('x'.repeat(100))), 100)).toHaveLength(100);
    await expect(readBody(request(bodyOf('x'.repeat(101))), 100)).rejects.toThrow(BodyTooLarge);
  });

  it('refuses a declared length over the limit before it reads anything', async () => {
    const tooLong = request(chunked('x'), { 'content-length': '101' });
    await expect(readBody(tooLong, 100)).rejects.toThrow(BodyTooLarge);
    expect(tooLong.bodyUsed).toBe(false);
  });

  it('does not believe a declared length that is too small or none at all', async () => {
    for (const declared of ['1', '-1', 'many', '']) {
      const body = request(chunked('x'.repeat(101)), { 'content-length': declared });
      await expect(readBody(body, 100)).rejects.toThrow(BodyTooLarge);
    }
  });

  it.each([
    ['as it comes', {}],
    ['which declares a short length as well', { 'content-length': '5', 'transfer-encoding': 'chunked' }],
  ])('stops an endless body at the limit, %s', async (_, headers) => {
    let sent = 0;
    let stopped = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 10;
        // So that a test that fails comes to an end.
        if (sent > MIB_4) return controller.error(new Error('Nobody stopped it.'));
        controller.enqueue(new Uint8Array(10));
      },
      cancel() {
        stopped = true;
      },
    });
    await expect(readBody(request(endless, headers), 1_000)).rejects.toThrow(BodyTooLarge);
    expect(stopped).toBe(true);
    // The stream may run one piece ahead of its reader.
    expect(sent).toBeLessThanOrEqual(1_020);
  });

  it.each([32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1])('reads a declared body of %d bytes', async (bytes) => {
    const text = 'x'.repeat(bytes);
    const declared = { 'content-length': String(bytes) };
    expect(await readBody(request(text, declared))).toBe(text);
    await expect(readBody(request(text, declared), bytes - 1)).rejects.toThrow(BodyTooLarge);
  });

  it.each([
    ['a byte that begins nothing', [0xff]],
    ['a character cut short', [0x22, 0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0x22, 0xe9, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ])('refuses what is not UTF-8: %s', async (_, bytes) => {
    await expect(readBody(request(new Uint8Array(bytes)))).rejects.toThrow(
      new JsonRefused('The body is not valid UTF-8.'),
    );
  });

  it.each([
    ['lists', `[${'[],'.repeat(2_000_000)}[]]`],
    ['short texts', `[${'"a",'.repeat(2_000_000)}""]`],
    ['white space', ' '.repeat(MIB_4 + 1)],
    ['lists after a quote in a text', `["\\"",${'[],'.repeat(2_000_000)}[]]`],
  ])('takes over 4 MiB for the length of texts alone, and not for %s', (_, text) => {
    expect(() => refuseLongStructure(text)).toThrow(BodyTooLarge);
    const long = JSON.stringify({ text: text.replaceAll(' ', 'a'), other: ['"', '\\', '\\"'] });
    expect(() => refuseLongStructure(long)).not.toThrow();
  });

  it('is not disturbed by the body before', async () => {
    await expect(readBody(request(new Uint8Array([0xe2, 0x82])))).rejects.toThrow(JsonRefused);
    expect(await readBody(request('{}'))).toBe('{}');
  });
});
