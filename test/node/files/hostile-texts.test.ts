import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import { decoded } from '../../../local-bridge/tools/reading/encodings.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { fileRig } from '../workspace/rig.ts';
import { pngOf, zipOf } from './made-files.ts';
import { read } from './read-many.ts';

const bytesOf = (text: string) => Buffer.byteLength(text);

describe('the room of an answer', () => {
  const binary = Buffer.alloc(3_000_000);

  it.each([1_000, 4_000, 100_000])('holds for bytes shown as hex too: %i', async (max_bytes) => {
    const rig = fileRig({ files: { bin: binary, 'a.txt': 'x\n'.repeat(100_000) } });
    const { bodies, files } = await read(rig, [...Array(12).fill('bin'), 'a.txt'], { hex: true, max_bytes });
    expect(bytesOf(bodies.join(''))).toBeLessThanOrEqual(max_bytes);
    expect(files.at(-2)).toMatchObject({ kind: 'binary', truncated: true });
  });

  it.each([
    [4_862, true],
    [4_863, false],
    [4_864, false],
  ])('is what a kilobyte of hex needs: %i', async (max_bytes, isCut) => {
    const rig = fileRig({ files: { bin: Buffer.alloc(1_024) } });
    const { files, output } = await read(rig, ['bin'], { hex: true, max_bytes });
    expect(files[0]).toMatchObject({ truncated: isCut });
    expect(output.includes('no room for the rest')).toBe(isCut);
  });

  it('is for all files together, however often one is named', async () => {
    const rig = fileRig({ files: { 'a.txt': 'x'.repeat(9_999), 'a.png': pngOf(1, 200_000) } });
    const { bodies } = await read(rig, Array(20).fill('a.txt'), { max_bytes: 25_000 });
    expect(bytesOf(bodies.join(''))).toBe(25_000);
    const { files } = await read(rig, Array(20).fill('a.png'));
    expect(files.filter(({ data }) => data !== undefined)).toHaveLength(3);
  });
});

describe('a text whose end is not read', () => {
  it.each<[string, Buffer]>([
    ['utf-8', Buffer.from(`${'a'.repeat(MAX_FILE_BYTES - 1)}😀 and more`)],
    ['utf-8', Buffer.from(`${'a'.repeat(MAX_FILE_BYTES - 3)}😀 and more`)],
    ['utf-16le', Buffer.from(`\ufeff${'a'.repeat(MAX_FILE_BYTES / 2 - 2)}😀 and more`, 'utf16le')],
    ['utf-16be', Buffer.from(`\ufeff${'a'.repeat(MAX_FILE_BYTES / 2 - 2)}😀 and more`, 'utf16le').swap16()],
  ])('keeps its encoding, though the cut is inside a character: %s', (encoding, bytes) => {
    const read = decoded(bytes.subarray(0, MAX_FILE_BYTES), true);
    expect(read?.encoding).toBe(encoding);
    expect(read?.text.endsWith('a')).toBe(true);
  });

  it.each([
    [MAX_FILE_BYTES - 1, false],
    [MAX_FILE_BYTES, false],
    [MAX_FILE_BYTES + 1, true],
  ])('is one of more than 10 MB: %i', async (size, truncated) => {
    const text = `${'ü'.repeat(Math.floor((size - 2) / 2))}\n`.padStart(
      size - Math.floor((size - 2) / 2),
      'x',
    );
    const rig = fileRig({ files: { 'a.txt': text } });
    const { files } = await read(rig, [{ path: 'a.txt', start_line: 2 }]);
    expect(files[0]).toMatchObject({ kind: 'text', encoding: 'utf-8', file_size_bytes: size, truncated });
    expect('sha256' in (files[0] ?? {})).toBe(!truncated);
  });

  it.each<[string, Buffer]>([
    ['half a character at the end', Buffer.from([0xff, 0xfe, 0x3d, 0xd8])],
    ['the other half at the beginning', Buffer.from([0xff, 0xfe, 0x00, 0xde, 0x61, 0x00])],
    ['half a number at the end', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62])],
    ['only a mark', Buffer.from([0xfe, 0xff])],
  ])('is whole all the same: %s', (_, bytes) => {
    expect(decoded(bytes)?.text.isWellFormed()).toBe(true);
  });
});

describe('a file that changes while it is read', () => {
  /** Does something to the file between two reads of it. */
  const meddling = (change: () => void) => ({
    ...nodeDisk,
    read: async (fd: number, into: Buffer, at: number) => {
      const count = await nodeDisk.read(fd, into.subarray(0, Math.min(into.length, at + 4)), at);
      change();
      return count;
    },
  });

  it('grows for ever, and is read as far as it was long', async () => {
    let path = '';
    const rig = fileRig({
      files: { 'a.txt': 'one two three' },
      disk: meddling(() => appendFileSync(path, 'SECRET'.repeat(100))),
    });
    path = rig.at('a.txt');
    expect((await read(rig, ['a.txt'])).bodies).toEqual(['one two three']);
  });

  it('shrinks, and shows nothing that was never in it', async () => {
    let path = '';
    const rig = fileRig({
      files: { 'a.txt': 'one two three'.repeat(10_000) },
      disk: meddling(() => truncateSync(path, 4)),
    });
    path = rig.at('a.txt');
    expect((await read(rig, ['a.txt'])).bodies).toEqual(['one ']);
  });

  it('becomes something else, and is what its bytes say', async () => {
    let path = '';
    const rig = fileRig({
      files: { 'a.zip': zipOf(['a'.repeat(200)]) },
      disk: meddling(() => writeFileSync(path, 'x'.repeat(300))),
    });
    path = rig.at('a.zip');
    const { files } = await read(rig, ['a.zip']);
    expect(files[0]).toMatchObject({ kind: 'binary' });
  });
});
