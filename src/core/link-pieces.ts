import { LINK } from '../../contracts/link.ts';

/** Part of a payload: the text of a call on its way to a machine, or a result on its way back. */
export interface Piece {
  readonly n: number;
  /** True if the result is what the tool promises, false if it is a failure. */
  readonly isOk: boolean;
  /** The place of these bytes in the payload, and the payload's length. */
  readonly at: number;
  readonly total: number;
  readonly bytes: Uint8Array;
}

/** The bytes before the content: number (8), flags (1), place (4), total length (4). */
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

/** Reads the piece in a frame, or gives `undefined` if the frame holds none. */
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
