import { renderUnicodeCompact } from 'uqr';

/** Draws an address in half blocks for a phone's camera. Draws nothing if the output is not a terminal. */
export function qrCode(address: string, stream: { readonly isTTY?: boolean } = process.stdout): string {
  return stream.isTTY ? renderUnicodeCompact(address, { border: 2 }) : '';
}
