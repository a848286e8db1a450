import type { Fact } from '../../contracts/preview.ts';
import { redact } from './redact.ts';
import { visible } from './visible.ts';

/** A fact holds at most 1,000 characters. */
const MAX_FACT = 990;

/** One fact of a preview, without secrets and with what cannot be seen spelt out. */
export function plainFact(text: string, unusual = false): Fact {
  return { text: visible(redact(text), MAX_FACT), unusual };
}
