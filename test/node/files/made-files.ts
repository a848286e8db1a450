import { crc32 } from 'node:zlib';

/** A zip with a list of these names, and no contents. */
export function zipOf(names: readonly string[], count = names.length): Buffer {
  const list = names.map((name) => {
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50);
    head.writeUInt32LE(7, 24);
    head.writeUInt16LE(Buffer.byteLength(name), 28);
    return Buffer.concat([head, Buffer.from(name)]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(4, 16);
  return Buffer.concat([Buffer.from('PK\u0003\u0004'), ...list, end]);
}

/** An entry of a tar: its header with its sum, and its bytes in whole blocks. */
export function tarEntry(
  name: string,
  body: Buffer,
  {
    kind = '0',
    bytes = body.length,
    set,
  }: { kind?: string; bytes?: number; set?: (head: Buffer) => void } = {},
): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0, 100);
  head.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  head.write(`        ${kind}`, 148);
  head.write('ustar\0', 257);
  set?.(head);
  let sum = 0;
  for (const byte of head) sum += byte;
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** A tar of these names, each with that many bytes. */
export function tarOf(entries: readonly (readonly [name: string, bytes: number])[]): Buffer {
  const blocks = entries.map(([name, bytes]) => tarEntry(name, Buffer.alloc(bytes, 'x')));
  return Buffer.concat([...blocks, Buffer.alloc(1_024)]);
}

/** Records of an extended header of a tar. */
export function records(said: Readonly<Record<string, string>>): Buffer {
  const all = Object.entries(said).map(([key, value]) => {
    const body = Buffer.from(` ${key}=${value}\n`);
    const digits = String(body.length + 2).length;
    const length = body.length + digits;
    return Buffer.concat([Buffer.from(String(length).padStart(digits, '0')), body]);
  });
  return Buffer.concat(all);
}

export const chunk = (kind: string, data: Buffer) => {
  const said = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(said));
  return Buffer.concat([length, said, sum]);
};
export const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** A PNG of that width and two lines, which holds these parts too. */
export function pngOf(width: number, pixels = 4, more: readonly Buffer[] = []): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width);
  size.writeUInt32BE(2, 4);
  size.set([8, 6], 8);
  const parts = [
    chunk('IHDR', size),
    ...more,
    chunk('IDAT', Buffer.alloc(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([PNG, ...parts]);
}
export const part = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
export const FRAME = part(0xc0, Buffer.from([8, 0, 2, 0, 3, 1, 1, 1, 1]));
export const jpegOf = (...parts: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...parts,
    part(0xda, Buffer.from([1, 1])),
    Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xd9]),
  ]);
