import type * as z from 'zod';
import { LINK } from '../../contracts/link.ts';

/** Reads a text from a socket as one of the frames that may come this way, or gives `undefined`. */
export function decodeFrame<Frame>(shape: z.ZodType<Frame>, text: string): Frame | undefined {
  // The limit is in bytes, and each character takes at least one.
  if (text.length > LINK.frame) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = shape.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
