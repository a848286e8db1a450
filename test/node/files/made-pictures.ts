import { deflateSync, inflateSync } from 'node:zlib';
import { parse } from '../../../local-bridge/tools/reading/parsers.ts';
import { chunk, PNG, part } from './made-files.ts';

export type Colour = readonly [red: number, green: number, blue: number, solid: number];

export interface PngForm {
  readonly width: number;
  readonly height: number;
  /** 0 grey, 2 colours, 3 a list of colours, 4 grey and how solid, 6 colours and how solid. */
  readonly colour: 0 | 2 | 3 | 4 | 6;
  readonly bits: 1 | 2 | 4 | 8 | 16;
  readonly isInterlaced?: boolean;
  readonly more?: readonly Buffer[];
}

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PASSES = [
  ...[[0, 0, 8, 8] as const, [4, 0, 8, 8] as const, [0, 4, 4, 8] as const, [2, 0, 4, 4] as const],
  ...[[0, 2, 2, 4] as const, [1, 0, 2, 2] as const, [0, 1, 1, 2] as const],
];

/** A PNG of any form. `valuesAt` gives the values of a pixel, as many as it has. Each line has the next filter. */
export function drawnPng(form: PngForm, valuesAt: (x: number, y: number) => readonly number[]): Buffer {
  const { width, height, colour, bits, isInterlaced = false, more = [] } = form;
  const bytesAPixel = Math.max(1, (CHANNELS[colour] * bits) >> 3);
  const lines: Buffer[] = [];
  for (const [x0, y0, dx, dy] of isInterlaced ? PASSES : [[0, 0, 1, 1] as const]) {
    let above: Buffer | undefined;
    for (let y = y0; y < height && x0 < width; y += dy) {
      const values: number[] = [];
      for (let x = x0; x < width; x += dx) values.push(...valuesAt(x, y));
      const line = packed(values, bits);
      lines.push(filtered(line, above ?? Buffer.alloc(line.length), bytesAPixel, lines.length % 5));
      above = line;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([bits, colour, 0, 0, isInterlaced ? 1 : 0], 8);
  const parts = [chunk('IHDR', head), ...more, chunk('IDAT', deflateSync(Buffer.concat(lines)))];
  return Buffer.concat([PNG, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

function packed(values: readonly number[], bits: number): Buffer {
  const line = Buffer.alloc(Math.ceil((values.length * bits) / 8));
  for (const [i, value] of values.entries()) {
    if (bits === 16) line.writeUInt16BE(value, i * 2);
    else line[(i * bits) >> 3] = (line[(i * bits) >> 3] ?? 0) | (value << (8 - bits - ((i * bits) & 7)));
  }
  return line;
}

function filtered(line: Buffer, above: Buffer, back: number, filter: number): Buffer {
  const made = Buffer.alloc(line.length + 1);
  made[0] = filter;
  for (let i = 0; i < line.length; i++) {
    const [a, b, c] = [line[i - back] ?? 0, above[i] ?? 0, above[i - back] ?? 0];
    const near = a + b - c;
    const sorted = [a, b, c].toSorted((one, other) => Math.abs(near - one) - Math.abs(near - other));
    const guess = [0, a, b, (a + b) >> 1, sorted[0] ?? 0][filter] ?? 0;
    made[i + 1] = (line[i] ?? 0) - guess;
  }
  return made;
}

/** A grey PNG of these sides without any pixel, whatever it claims. */
export function claimedPng(width: number, height: number): Buffer {
  return drawnPng({ width: 1, height: 1, colour: 0, bits: 1 }, () => [0]).fill(
    chunk('IHDR', sides(width, height)),
    PNG.length,
    PNG.length + 25,
  );
}

function sides(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  return head;
}

/** Pictures of 32 × 16 pixels: red and green above, blue and white below. A photo editor wrote them. */
export const JPEGS = {
  plain: Buffer.from(
    '/9j/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAQACADASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAgGB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAVAQEBAAAAAAAAAAAAAAAAAAAGB//EABsRAAEFAQEAAAAAAAAAAAAAAAAWF2Oi4mSj/9oADAMBAAIRAxEAPwDnQwAYNP1+ex65vLfBUIowR9JzV0QVET10f//Z',
    'base64',
  ),
  progressive: Buffer.from(
    '/9j/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wgARCAAQACADASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAcFBv/EABUBAQEAAAAAAAAAAAAAAAAAAAUG/9oADAMBAAIQAxAAAAHnGAYeqCjI+C//xAAUEAEAAAAAAAAAAAAAAAAAAAAw/9oACAEBAAEFAg//xAAaEQABBQEAAAAAAAAAAAAAAAAAFRZioeFj/9oACAEDAQE/AXNyvBEnWn//xAAbEQABBAMAAAAAAAAAAAAAAAAAFRZi4WOhov/aAAgBAgEBPwFp5ebEmerP/8QAFBABAAAAAAAAAAAAAAAAAAAAMP/aAAgBAQAGPwIP/8QAFBABAAAAAAAAAAAAAAAAAAAAMP/aAAgBAQABPyEP/9oADAMBAAIAAwAAABDH3//EABQRAQAAAAAAAAAAAAAAAAAAABD/2gAIAQMBAT8QLz//xAAUEQEAAAAAAAAAAAAAAAAAAAAQ/9oACAECAQE/EBQ//8QAFBABAAAAAAAAAAAAAAAAAAAAMP/aAAgBAQABPxAP/9k=',
    'base64',
  ),
  cmyk: Buffer.from(
    '/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2RjcsLUBXQUZMTlJTUjI+WmFaUGBKUVJP/8AAFAgAEAAgBEMRAE0RAFkRAEsRAP/EABcAAQEBAQAAAAAAAAAAAAAAAAAHCAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oADgRDAE0AWQBLAAA/AKcmCYKcAOaadAARJB2nQAaSXgAB/9k=',
    'base64',
  ),
};

/** The part in which a camera says how a picture lies, among what else it says. */
export function exifOf(turn: number, order: 'II' | 'MM' = 'II', { at = 8, kind = 3 } = {}): Buffer {
  const tiff = Buffer.alloc(60);
  const short = (value: number, to: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, to) : tiff.writeUInt16BE(value, to);
  tiff.write(order);
  short(42, 2);
  if (order === 'II') tiff.writeUInt32LE(at, 4);
  else tiff.writeUInt32BE(at, 4);
  short(2, 8);
  short(0x010f, 10);
  short(0x0112, 22);
  short(kind, 24);
  short(turn, 30);
  tiff.write('SECRET', 40);
  return part(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff]));
}

/** A JPEG with further parts at its beginning. */
export function withParts(jpeg: Buffer, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)]);
}

/** A JPEG that claims other sides than it has. */
export function claimedJpeg(width: number, height: number): Buffer {
  const bytes = Buffer.from(JPEGS.plain);
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

/** Makes a picture smaller here, to try many. */
export async function made(bytes: Buffer) {
  const parsed = await parse({ kind: 'picture', bytes, until: Number.POSITIVE_INFINITY });
  if (!parsed || !('picture' in parsed)) throw new Error(JSON.stringify(parsed));
  return parsed.picture;
}

/** Reads the pixels of a PNG as this product writes it: one part of data, each line as it differs from the one above. */
export function pixelsOf(png: Buffer): (x: number, y: number) => Colour {
  const width = png.readUInt32BE(16);
  const channels = png[25] === 2 ? 3 : 4;
  const start = png.indexOf('IDAT');
  const lines = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  const length = 1 + width * channels;
  for (let at = length; at < lines.length; at++)
    if (at % length !== 0) lines[at] = (lines[at] ?? 0) + (lines[at - length] ?? 0);
  return (x, y) => {
    const [red = 0, green = 0, blue = 0, solid = 255] = lines.subarray(
      y * length + 1 + x * channels,
      y * length + 1 + (x + 1) * channels,
    );
    return [red, green, blue, solid];
  };
}
