import type { Fact } from '../../contracts/preview.ts';
import { redact } from './redact.ts';
import { visible } from './visible.ts';

/** The schema allows a fact 1,000 characters. */
const MAX_FACT = 990;

/** Makes one fact of a preview: hides secrets and spells out unseen characters. */
export function plainFact(text: string, unusual = false): Fact {
  return { text: visible(redact(text), MAX_FACT), unusual };
}
