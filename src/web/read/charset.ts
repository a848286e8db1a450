/** The part of a page that is searched for a declared encoding. */
const DECLARATION_BYTES = 16_384;

const fromBom = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
};

const fromHeader = (contentType: string): string | undefined =>
  /charset\s*=\s*(?:["']\s*)?([\w:.-]+)/i.exec(contentType)?.[1];

/** Reads the encoding from `<meta charset>`, its http-equiv form, or an XML declaration. */
function fromMarkup(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('windows-1252').decode(bytes.subarray(0, DECLARATION_BYTES));
  const declared =
    /<meta\b[^>]{0,500}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(head)?.[1] ??
    /<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w:.-]+)/i.exec(head)?.[1];
  // This declaration is written in ASCII, so the page is not UTF-16.
  return declared && /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}

function decodeAs(label: string | undefined, bytes: Uint8Array, fatal: boolean): string | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label, { fatal, ignoreBOM: false }).decode(bytes);
  } catch {
    // The label is unknown or does not fit the bytes: try the next guess.
    return undefined;
  }
}

/**
 * Decodes a page by its BOM, header and markup, in that order; then as UTF-8 if it is valid UTF-8; then as
 * windows-1252.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const bom = fromBom(bytes);
  if (bom) return decodeAs(bom, bytes, false) ?? '';
  const declared = fromHeader(contentType) ?? fromMarkup(bytes);
  const strict = decodeAs('utf-8', bytes, true);
  // Western text is never valid UTF-8 by accident, and many pages carry this wrong label.
  if (strict !== undefined && /^(?:iso-?8859-1|latin-?1|windows-1252|us-ascii|ascii)$/i.test(declared ?? ''))
    return strict;
  const claimsUtf8 = !declared || /^(?:utf-?8|unicode-1-1-utf-8)$/i.test(declared);
  if (!claimsUtf8) {
    const decoded = decodeAs(declared, bytes, false);
    if (decoded !== undefined) return decoded;
  }
  if (strict !== undefined) return strict;
  const other = claimsUtf8 ? fromMarkup(bytes) : undefined;
  if (other && !/^utf-?8$/i.test(other)) return decodeAs(other, bytes, false) ?? '';
  // A stray bad byte in a page that declares UTF-8 is damage, not another encoding.
  const lenient = new TextDecoder().decode(bytes);
  const damage = lenient.split('\ufffd').length - 1;
  if (declared && claimsUtf8 && damage * 500 < bytes.length + 5_000) return lenient;
  return decodeAs('windows-1252', bytes, false) ?? lenient;
}
