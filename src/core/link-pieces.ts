import { LINK } from '../../contracts/link.ts';

/** Part of a payload: arguments on their way to a machine, or a result on its way back. */
export interface Piece {
  readonly n: number;
  /** Whether the result is what the tool promises, and not a failure. */
  readonly isOk: boolean;
  /** Where in the payload these bytes belong, and how long it is. */
  readonly at: number;
  readonly total: number;
  readonly bytes: Uint8Array;
}

/** Before the bytes: number (8), flags (1), place (4), length of the whole (4). */
const HEADER = 17;
const OK = 1;

export function encodePiece({ n, isOk, at, total, bytes }: Piece): Uint8Array {
  const frame = new Uint8Array(HEADER + bytes.length);
  const view = new DataView(frame.buffer);
  view.setFloat64(0, n);
  view.setUint8(8, isOk ? OK : 0);
  view.setUint32(9, at);
  view.setUint32(13, total);
  frame.set(bytes, HEADER);
  return frame;
}

/** The piece in a frame; none if it is not one, whatever it claims. */
export function decodePiece(frame: Uint8Array, maxTotal: number): Piece | undefined {
  if (frame.length <= HEADER || frame.length > LINK.frame) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const n = view.getFloat64(0);
  const flags = view.getUint8(8);
  const at = view.getUint32(9);
  const total = view.getUint32(13);
  const bytes = frame.subarray(HEADER);
  const isSound =
    Number.isSafeInteger(n) && n > 0 && flags <= OK && total <= maxTotal && at + bytes.length <= total;
  return isSound ? { n, isOk: flags === OK, at, total, bytes } : undefined;
}
