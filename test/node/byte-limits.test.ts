import { describe, expect, it } from 'vitest';
import { utf8Bytes } from '../../contracts/bytes.ts';
import type { AnyContract } from '../../contracts/contract.ts';
import { createFile, MAX_FILE_BYTES } from '../../contracts/edits.ts';
import { MAX_ENTRY_BYTES, writeMemoryEntry } from '../../contracts/memory.ts';
import { invalidInput } from '../../src/core/invalid-input.ts';
import { anyText, holdsFor } from '../support/property.ts';

/** What the door says of an input: nothing, or the failure's code, status and sentence. */
function complaint(contract: AnyContract, input: unknown) {
  const parsed = contract.input.safeParse(input, { reportInput: true });
  if (parsed.success) return undefined;
  const { code, http_status, message } = invalidInput(contract, parsed.error);
  return { code, http_status, message };
}

describe('bytes are counted as UTF-8', () => {
  it('for any text', () => {
    holdsFor(anyText, (text) => {
      expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
    });
  });

  it('for texts of every length a character can have', () => {
    expect(['a', 'é', '€', '😀'].map(utf8Bytes)).toEqual([1, 2, 3, 4]);
  });
});

describe('an entry of the memory', () => {
  const note = (entry: string) => ({ file: 'best_practices.md', entry });

  it.each([
    ['one byte below the limit', 'a'.repeat(MAX_ENTRY_BYTES - 1)],
    ['at the limit', 'a'.repeat(MAX_ENTRY_BYTES)],
    ['at the limit in characters of four bytes', '😀'.repeat(MAX_ENTRY_BYTES / 4)],
  ])('may be %s', (_, entry) => {
    expect(complaint(writeMemoryEntry, note(entry))).toBeUndefined();
  });

  it.each([
    ['one byte over', 'a'.repeat(MAX_ENTRY_BYTES + 1)],
    ['over by its last character', `${'😀'.repeat(MAX_ENTRY_BYTES / 4)}a`],
  ])('is refused by name when it is %s', (_, entry) => {
    expect(complaint(writeMemoryEntry, note(entry))).toEqual({
      code: 'entry_too_large',
      http_status: 413,
      message: '`entry` is not acceptable: it has 10241 bytes, and 10240 are allowed.',
    });
  });

  it('is counted as the line it will be when it is an object', () => {
    const entry = { timestamp: '2026-01-09T10:30:00Z', type: 't', text: '' };
    const fill = MAX_ENTRY_BYTES - JSON.stringify(entry).length;
    const of = (length: number) => ({
      file: 'decisions.jsonl',
      entry: { ...entry, text: 'a'.repeat(length) },
    });
    expect(complaint(writeMemoryEntry, of(fill))).toBeUndefined();
    expect(complaint(writeMemoryEntry, of(fill + 1))?.code).toBe('entry_too_large');
  });
});

describe('a file to create', () => {
  it('may be as large as the limit and not a byte larger', () => {
    const of = (bytes: number) => ({ path: 'a.txt', content: 'a'.repeat(bytes) });
    expect(complaint(createFile, of(MAX_FILE_BYTES))).toBeUndefined();
    expect(complaint(createFile, of(MAX_FILE_BYTES + 1))).toMatchObject({
      code: 'file_too_large',
      http_status: 413,
    });
  });
});
