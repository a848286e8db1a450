/** The ways in which a picture can lie, as Exif numbers them. 1 is upright. */
export type Turn = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const NAME = 'Exif\0\0';
const ORIENTATION = 0x0112;
const SHORT = 3;
/** The most entries to look at. Cameras write a few dozen. */
const MAX_ENTRIES = 200;

/** Reads from a part of a JPEG how the picture lies; `undefined` if the part does not tell it. */
export function turnIn(part: Buffer): Turn | undefined {
  if (part.toString('latin1', 4, 10) !== NAME) return undefined;
  const tiff = part.subarray(10);
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return undefined;
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return undefined;
  const count = Math.min(short(start), MAX_ENTRIES);
  for (let at = start + 2, i = 0; i < count && at + 12 <= tiff.length; at += 12, i++) {
    if (short(at) !== ORIENTATION) continue;
    const value = short(at + 8);
    return short(at + 2) === SHORT && isTurn(value) ? value : undefined;
  }
  return undefined;
}

/** Makes the part of a JPEG that tells how the picture lies, and nothing else. */
export function turnPart(turn: Turn): Buffer {
  const part = Buffer.alloc(36);
  part.set([0xff, 0xe1]);
  part.writeUInt16BE(part.length - 2, 2);
  part.write(`${NAME}MM\0*`, 4, 'latin1');
  part.writeUInt32BE(8, 14);
  part.writeUInt16BE(1, 18);
  part.writeUInt16BE(ORIENTATION, 20);
  part.writeUInt16BE(SHORT, 22);
  part.writeUInt32BE(1, 24);
  part.writeUInt16BE(turn, 28);
  return part;
}

function isTurn(value: number): value is Turn {
  return Number.isInteger(value) && value >= 1 && value <= 8;
}
