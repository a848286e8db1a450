import { renderUnicodeCompact } from 'uqr';

/** An address for a phone's camera, in half blocks; nothing where nobody looks at a screen. */
export function qrCode(address: string, stream: { readonly isTTY?: boolean } = process.stdout): string {
  return stream.isTTY ? renderUnicodeCompact(address, { border: 2 }) : '';
}
