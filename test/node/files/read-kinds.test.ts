import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readFiles } from '../../../contracts/read-files.ts';
import { localCaller } from '../../../local-bridge/cli/ports.ts';
import { listArchive } from '../../../local-bridge/tools/reading/archives.ts';
import { MAX_ENTRIES } from '../../../local-bridge/tools/reading/listing.ts';
import { MAX_PICTURE_BYTES, plainPicture } from '../../../local-bridge/tools/reading/pictures.ts';
import { presented } from '../../../src/core/invoke.ts';
import { render } from '../../../src/surfaces/mcp-render.ts';
import { fileRig, outputOf } from '../workspace/rig.ts';
import { chunk, FRAME, jpegOf, part, pngOf, tarOf, zipOf } from './made-files.ts';
import { type Read, read } from './read-many.ts';

describe('an archive', () => {
  it.each([
    ['zip', zipOf(['a.txt', 'b/\u001b[2Jc'])],
    [
      'tar',
      tarOf([
        ['a.txt', 7],
        ['b/\u001b[2Jc', 7],
      ]),
    ],
    [
      'tar',
      gzipSync(
        tarOf([
          ['a.txt', 7],
          ['b/\u001b[2Jc', 7],
        ]),
      ),
    ],
  ])('is listed and not unpacked: %s', async (kind, bytes) => {
    const rig = fileRig({ files: { archive: bytes } });
    const { files, bodies } = await read(rig, ['archive']);
    expect(files[0]?.kind).toBe(kind);
    expect(bodies[0]).toMatch(/^ +7 {2}a\.txt\n +7 {2}b\/\S*c$/);
    expect(bodies[0]).not.toContain('\u001b');
  });

  it('of a real tar has long names too', async () => {
    const rig = fileRig({ files: { 'made/x': 'abc', [`made/${'n'.repeat(120)}`]: 'x' } });
    for (const format of ['gnu', 'pax']) {
      execFileSync('tar', [`--format=${format}`, '-cf', `${format}.tar`, 'made'], { cwd: rig.path });
      const { bodies } = await read(rig, [`${format}.tar`]);
      expect(bodies[0]).toContain(`made/${'n'.repeat(120)}`);
      expect(bodies[0]).toMatch(/ 3 {2}made\/x$/m);
    }
  });

  it.each([
    [MAX_ENTRIES, 0],
    [MAX_ENTRIES + 1, 1],
  ])('of %i files lists a thousand and counts %i', async (count, more) => {
    const names = Array.from({ length: count }, (_, i) => `f${i}`);
    for (const bytes of [zipOf(names), tarOf(names.map((name) => [name, 0]))]) {
      const listing = await listArchive(bytes);
      expect(listing && 'entries' in listing && [listing.entries.length, listing.more]).toEqual([
        Math.min(count, MAX_ENTRIES),
        more,
      ]);
    }
  });

  it('that would unpack to too much is not unpacked', async () => {
    const tar = tarOf([['a', 3_072]]);
    const at = (limit: number) => listArchive(gzipSync(tar), limit);
    expect(await at(tar.length)).toMatchObject({ entries: [{ name: 'a' }] });
    expect(await at(tar.length - 1)).toMatchObject({ problem: expect.stringContaining('unpacks to more') });
  });

  it('that is damaged anywhere says so or lists what it can, and never throws', async () => {
    for (const whole of [
      zipOf(['a.txt', 'b']),
      tarOf([
        ['a', 600],
        ['b', 1],
      ]),
      gzipSync(tarOf([['a', 1]])),
    ]) {
      for (let at = 0; at < Math.min(whole.length, 1_200); at++) {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ 0xff;
        await listArchive(bytes);
        await listArchive(whole.subarray(0, at));
      }
    }
    expect(await listArchive(zipOf(['a'], 9))).toMatchObject({ problem: 'has a damaged list of files' });
  });
});

describe('a picture', () => {
  it('is shown without what it tells about its maker, place and time', () => {
    const tells = ['tEXt', 'eXIf', 'iTXt', 'zTXt', 'tIME', 'iCCP'].map((kind) =>
      chunk(kind, Buffer.from('SECRET')),
    );
    const png = Buffer.concat([pngOf(3, 4, tells), Buffer.from('SECRET')]);
    expect(plainPicture(png)).toEqual({ mime: 'image/png', bytes: pngOf(3), width: 3, height: 2 });
    const jfif = part(0xe0, Buffer.from('JFIF\0\u0001\u0002\0\0\u0001\0\u0001\0\0'));
    const said = [0xe1, 0xe2, 0xed, 0xef, 0xfe].map((marker) => part(marker, Buffer.from('SECRET')));
    const jpeg = Buffer.concat([jpegOf(jfif, ...said, FRAME), Buffer.from('SECRET')]);
    expect(plainPicture(jpeg)).toEqual({
      mime: 'image/jpeg',
      bytes: jpegOf(jfif, FRAME),
      width: 3,
      height: 2,
    });
  });

  it('reaches MCP clients as a picture, and others as base64', async () => {
    const rig = fileRig({ files: { 'a.png': pngOf(3), 'b.txt': 'text\n' } });
    const result = await rig.call('read_files', { files: [{ path: 'a.png' }, { path: 'b.txt' }] });
    const data = pngOf(3).toString('base64');
    const [first] = outputOf(result).metadata.files as readonly Read[];
    expect(first).toMatchObject({ kind: 'picture', width: 3, height: 2, mime_type: 'image/png', data });
    if (result.kind !== 'ok') throw new Error('Not answered');
    const shown = presented(readFiles, result, { ...localCaller('stdio', 'tests'), maxResultChars: 150_000 });
    if (shown.kind !== 'ok') throw new Error('Not shown');
    const { content, structuredContent } = render(shown);
    expect(content.slice(1)).toEqual([{ type: 'image', mimeType: 'image/png', data }]);
    expect(JSON.stringify([content[0], structuredContent])).not.toContain(data);
    expect(readFiles.output.safeParse(structuredContent).success).toBe(true);
  });

  const PIXELS = MAX_PICTURE_BYTES - pngOf(1, 0).length;
  it.each([
    [1, PIXELS - 1, 'picture'],
    [1, PIXELS, 'picture'],
    [1, PIXELS + 1, 'binary'],
  ])('of %i pixels and %i bytes is a %s', async (width, pixels, kind) => {
    const rig = fileRig({ files: { 'a.png': pngOf(width, pixels), 'b.png': pngOf(2) } });
    const { files } = await read(rig, ['a.png', 'b.png']);
    expect(files[0]?.kind).toBe(kind);
    // A second one that has no room is named, and left out.
    expect(files[1]?.data === undefined).toBe(kind === 'picture' && pixels > 1);
  });

  it('that is damaged anywhere is none, or loses its metadata all the same', () => {
    const said = part(0xe1, Buffer.from('SECRET'));
    for (const whole of [pngOf(3, 4, [chunk('tEXt', Buffer.from('SECRET'))]), jpegOf(said, FRAME)]) {
      for (let at = 0; at < whole.length; at++) {
        expect(plainPicture(whole.subarray(0, at))).toBeUndefined();
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ 0x10;
        plainPicture(bytes);
      }
    }
  });
});
