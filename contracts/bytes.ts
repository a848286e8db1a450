import type * as z from 'zod';

/** Counts the bytes that a text takes in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair is two units and four bytes: count two bytes for each half.
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/**
 * Makes a check for `superRefine` that counts bytes and fails with an error of the contract's own. JSON
 * Schema has no keyword for bytes. The check runs before the owner is asked, so that nobody approves a call
 * that would then be refused.
 */
export function atMostBytes(limit: number, error: string) {
  return (value: string | object, context: z.core.$RefinementCtx): void => {
    const bytes = utf8Bytes(typeof value === 'string' ? value : JSON.stringify(value));
    if (bytes <= limit) return;
    context.addIssue({
      code: 'custom',
      params: { error },
      message: `it has ${bytes} bytes, and ${limit} are allowed`,
    });
  };
}
