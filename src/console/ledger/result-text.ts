import * as z from 'zod';
import { visible } from '../../core/visible.ts';

const envelopeShape = z.looseObject({ output: z.string().min(1) });

/** Gives what a command or a file tool put out, as the text that it is. Gives nothing for other results. */
export function outputIn(result: string): string | undefined {
  const parsed = envelopeShape.safeParse(jsonOrNothing(result));
  return parsed.success ? visible(parsed.data.output) : undefined;
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Formats JSON for reading. A text that was cut is no JSON any more and stays as it is. */
export function pretty(text: string): string {
  const parsed = jsonOrNothing(text);
  return visible(parsed === undefined ? text : JSON.stringify(parsed, null, 2));
}
