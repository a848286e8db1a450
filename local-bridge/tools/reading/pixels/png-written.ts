import { crc32, deflateSync } from 'node:zlib';
import type { Pixels } from './canvas.ts';

const MARK = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Writes pixels as a PNG. Each line says how it differs from the one above, which packs well for screens and drawings. */
export function writtenPng({ width, height, data }: Pixels): Buffer {
  const isSolid = isWhollySolid(data);
  const channels = isSolid ? 3 : 4;
  const lines = Buffer.alloc(height * (1 + width * channels));
  for (let y = 0, at = 0; y < height; y++) {
    lines[at++] = 2;
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      for (let i = 0; i < channels; i++, at++) {
        const above = y === 0 ? 0 : (data[from - width * 4 + i] ?? 0);
        lines[at] = (data[from + i] ?? 0) - above;
      }
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, isSolid ? 2 : 6], 8);
  return Buffer.concat([
    MARK,
    part('IHDR', head),
    part('IDAT', deflateSync(lines)),
    part('IEND', Buffer.alloc(0)),
  ]);
}

function isWhollySolid(data: Buffer): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

function part(kind: string, data: Buffer): Buffer {
  const said = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const whole = Buffer.alloc(said.length + 8);
  whole.writeUInt32BE(data.length);
  said.copy(whole, 4);
  whole.writeUInt32BE(crc32(said), whole.length - 4);
  return whole;
}
