import type * as z from 'zod';
import { LINK } from '../../contracts/link.ts';

/** What a socket gave, as one of the frames that may come this way; none if it is no such frame. */
export function decodeFrame<Frame>(shape: z.ZodType<Frame>, text: string): Frame | undefined {
  // A frame is limited in bytes, of which a character is at least one.
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
