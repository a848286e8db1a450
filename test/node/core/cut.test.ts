import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tool } from '../../../contracts/contract.ts';
import type { Success } from '../../../src/core/call.ts';
import { cutAtLineEnd, cutOutput, MAX_RESULT_CHARS } from '../../../src/core/cut.ts';
import { anyText, holdsFor } from '../../support/property.ts';
import { failureIn, reading } from '../../support/tools.ts';

const rest = 'Go on with `start_line`.';
const contract = tool({ ...reading, cut: { fields: ['text'], rest } });
const NOTE = /\n\[cut here: (\d+) more characters\. Go on with `start_line`\.\]$/;

const ok = (output: object): Success => ({ kind: 'ok', output });
const size = (value: unknown) => JSON.stringify(value).length;

/** The cut text in its three parts: what was kept, the note, and how much the note says is missing. */
function cutText(text: string, limit: number, others: object = {}) {
  const result = cutOutput(contract, ok({ text, ...others }), limit);
  if (result.kind !== 'ok') throw new Error('expected success');
  const output = result.output as { text: string };
  const note = NOTE.exec(output.text);
  if (!note) throw new Error(`no note in ${JSON.stringify(output.text.slice(-80))}`);
  return { output, kept: output.text.slice(0, note.index), missing: Number(note[1]) };
}

describe('a result as long as the limit', () => {
  const result = ok({ text: 'line\n'.repeat(200), note: 'short' });
  const length = size(result.output);

  it.each([
    ['exactly', length],
    ['almost', length + 1],
  ])('is passed on untouched when it fits %s', (_, limit) => {
    expect(cutOutput(contract, result, limit)).toMatchObject({ kind: 'ok', output: result.output });
  });

  it('is cut when it is one character over', () => {
    const { output, missing } = cutText('line\n'.repeat(200), length - 1, { note: 'short' });
    expect(missing).toBeGreaterThan(0);
    expect(size(output)).toBeLessThanOrEqual(length - 1);
    expect(output).toMatchObject({ note: 'short' });
  });

  it('is what Claude takes', () => {
    expect(MAX_RESULT_CHARS).toBe(150_000);
  });
});

describe('a cut result', () => {
  it('ends at a line end and says how much is missing and how to get it', () => {
    const lines = Array.from({ length: 500 }, (_, i) => `line ${i}\n`);
    const { kept, missing } = cutText(lines.join(''), 1_000);
    expect(lines.join('').startsWith(kept)).toBe(true);
    expect(kept.endsWith('\n')).toBe(true);
    expect(kept.length + missing).toBe(lines.join('').length);
    // No more is given up than the line that did not fit and the room for the note.
    expect(size(kept)).toBeGreaterThan(1_000 - 200);
  });

  it('keeps Windows line ends whole', () => {
    const { kept } = cutText('line\r\n'.repeat(500), 1_000);
    expect(kept.endsWith('\r\n')).toBe(true);
  });

  it('of one endless line is cut in the middle rather than dropped', () => {
    const { kept, missing } = cutText('x'.repeat(5_000), 1_000);
    expect(kept).toMatch(/^x{700,}$/);
    expect(kept.length + missing).toBe(5_000);
  });

  it('of a short line and an endless one keeps the beginning of the endless one', () => {
    const { kept } = cutText(`Contents of app.min.js:\n${'x'.repeat(5_000)}`, 1_000);
    expect(kept).toMatch(/^Contents of app\.min\.js:\nx{700,}$/);
  });

  it('keeps everything else about the answer', () => {
    const extras = { meta: { engine: 'rules' }, content: [{ type: 'text' as const, text: 'shown' }] };
    const result = cutOutput(contract, { ...ok({ text: 'x'.repeat(5_000), note: 'n' }), ...extras }, 1_000);
    expect(result).toMatchObject({ kind: 'ok', output: { note: 'n' }, ...extras });
  });

  it('may be nothing but the note, if there is just room for that', () => {
    const text = 'x'.repeat(5_000);
    const least = size({ text: `\n[cut here: 5000 more characters. ${rest}]` });
    expect(cutText(text, least)).toMatchObject({ kept: '', missing: 5_000 });
    expect(failureIn(cutOutput(contract, ok({ text }), least - 1)).code).toBe('malformed_output');
  });

  it('does not change the output it was given', () => {
    const output = { text: 'x'.repeat(5_000) };
    cutOutput(contract, ok(output), 1_000);
    expect(output.text).toHaveLength(5_000);
  });

  it.each([
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['control characters', '\u0001'],
    ['line ends', '\n'],
    ['tabs', '\t'],
    ['emoji', '😀'],
    ['halves of pairs', '\ud83d'],
    ['line separators', '\u2028'],
  ])('of nothing but %s fits as JSON', (_, char) => {
    const { output, kept } = cutText(char.repeat(5_000), 1_000);
    expect(size(output)).toBeLessThanOrEqual(1_000);
    expect(size(kept)).toBeGreaterThan(700);
  });

  it.each([900, 901, 902, 903])('never ends in half of a pair, at any limit: %d', (limit) => {
    const { kept } = cutText(`a${'😀'.repeat(2_000)}`, limit);
    expect(kept.isWellFormed()).toBe(true);
    expect(kept.endsWith('😀')).toBe(true);
  });

  it('fits, begins like the whole, and counts right, whatever the text, its fields and the limit', () => {
    const piece = fc.oneof(
      anyText,
      fc.constantFrom('\n', '\r\n', '"', '\\', '\u0000', '\ud83d', '😀', 'plain'),
    );
    const texts = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    holdsFor(fc.tuple(texts, anyText, fc.integer({ min: 20, max: 600 })), ([text, note, limit]) => {
      const result = cutOutput(contract, ok({ text, note }), limit);
      if (result.kind === 'failed') {
        // Refused only if the other fields and the note alone leave no room.
        const nothingKept = `\n[cut here: ${text.length} more characters. ${rest}]`;
        expect(size({ text: nothingKept, note })).toBeGreaterThan(limit);
        return;
      }
      expect(size(result.kind === 'ok' && result.output)).toBeLessThanOrEqual(limit);
      if (size({ text, note }) <= limit) return;
      const { kept, missing } = cutText(text, limit, { note });
      expect(text.startsWith(kept)).toBe(true);
      expect(kept.length + missing).toBe(text.length);
      if (text.isWellFormed()) expect(kept.isWellFormed()).toBe(true);
    });
  });
});

describe('an output with two long texts', () => {
  const two = tool({ ...reading, cut: { fields: ['raw', 'text'], rest } });
  const cut = (output: { raw: string; text: string }, limit: number) => {
    const result = cutOutput(two, ok(output), limit);
    if (result.kind !== 'ok') throw new Error('expected success');
    expect(size(result.output)).toBeLessThanOrEqual(limit);
    return result.output as { raw: string; text: string };
  };

  it('loses of the first alone when that is enough', () => {
    const text = 'kept\n'.repeat(40);
    const output = cut({ raw: 'raw\n'.repeat(500), text }, 1_000);
    expect(output.text).toBe(text);
    expect(output.raw).toMatch(NOTE);
  });

  it('loses of both when the first is not enough', () => {
    const output = cut({ raw: 'raw\n'.repeat(500), text: 'text\n'.repeat(500) }, 1_000);
    expect(output.raw).toMatch(NOTE);
    expect(output.text).toMatch(NOTE);
    expect(output.text).toMatch(/^text\n/);
  });
});

describe('a result that cannot be shortened is refused rather than sent', () => {
  const long = 'x'.repeat(5_000);

  it.each([
    ['its contract names no field to cut', reading, { text: long }],
    ['the other fields alone are too long', contract, { text: 'short', note: long }],
    ['the field to cut is not there', contract, { note: long }],
    ['the field to cut is no text', contract, { text: [long] }],
    ['it is no object', contract, [long]],
    ['it is a bare text', contract, long],
  ])('%s', (_, of, output) => {
    const failure = failureIn(cutOutput(of, { kind: 'ok', output }, 1_000));
    expect(failure).toEqual({
      code: 'malformed_output',
      http_status: 502,
      message: `The answer of shelf_read is ${size(output)} characters, more than the 1000 that the client takes.`,
      suggestion: 'Ask for less at a time.',
    });
  });

  it('and its text stays out of the refusal', () => {
    const result = cutOutput(reading, ok({ text: long }), 1_000);
    expect(JSON.stringify(result)).not.toContain('xxx');
  });
});

describe('cutAtLineEnd', () => {
  it.each([
    ['all of it fits', 'ab\ncd', 20, 'ab\ncd'],
    ['all of it fits exactly, quotes and escapes counted', 'ab\ncd', 8, 'ab\ncd'],
    ['the last line does not fit', 'ab\ncd', 7, 'ab\n'],
    ['the line end itself does not fit', 'abcd\nef', 7, 'abcd'],
    ['there is no line end', 'abcdef', 5, 'abc'],
    ['it begins with a line end', '\nabcdef', 6, '\nab'],
    ['the only line end is far before the end', 'a\nbcdefgh', 10, 'a\nbcdef'],
    ['nothing fits', 'abc', 2, ''],
    ['there is less than no room', 'abc', -5, ''],
    ['a pair would be split', 'a😀', 4, 'a'],
    ['there is nothing', '', 0, ''],
  ])('%s', (_, text, room, kept) => {
    expect(cutAtLineEnd(text, room)).toBe(kept);
  });
});
