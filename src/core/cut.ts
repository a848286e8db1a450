import type { AnyContract } from '../../contracts/contract.ts';
import { outputJson, type Result, type Success } from './call.ts';
import { doorFailure } from './failure.ts';
import { isRecord } from './is-record.ts';

/** The longest result that Claude takes. It drops the whole of a longer answer. */
export const MAX_RESULT_CHARS = 150_000;

/** The two quotes that JSON puts around a text. */
const QUOTES = 2;

/**
 * Shortens an output whose JSON is over the limit. It cuts the fields that the contract names and says so
 * there. An output that cannot be cut is refused, because the client would drop it.
 */
export function cutOutput(contract: AnyContract, result: Success, maxChars: number): Result {
  let { output } = result;
  const json = outputJson(result);
  const { length } = json;
  if (length <= maxChars) return { ...result, written: { output, json } };
  for (const field of contract.cut?.fields ?? []) {
    if (!isRecord(output)) break;
    output = { ...output, [field]: cutField(output, field, contract.cut?.rest ?? '', maxChars) };
    if (JSON.stringify(output).length <= maxChars) return { ...result, output };
  }
  return {
    kind: 'failed',
    failure: doorFailure('malformed_output', {
      message: `The answer of ${contract.wireName} is ${length} characters, more than the ${maxChars} that the client takes.`,
      suggestion: 'Ask for less at a time.',
    }),
  };
}

/** Cuts one field so that the whole output fits if possible, and notes how much is missing. */
function cutField(output: Record<string, unknown>, field: string, rest: string, maxChars: number): unknown {
  const long = output[field];
  if (typeof long !== 'string') return long;
  const others = JSON.stringify(output).length - jsonLength(long);
  // The final number in the note is never longer than this one.
  const room = maxChars - others - (jsonLength(noteFor(long.length, rest)) - QUOTES);
  const kept = cutAtLineEnd(long, Math.max(room, QUOTES));
  return kept === long ? long : kept + noteFor(long.length - kept.length, rest);
}

/**
 * Gives the longest beginning of `text` whose JSON form fits in `room` characters. Ends it at a line end if
 * one is near.
 */
export function cutAtLineEnd(text: string, room: number): string {
  let used = QUOTES;
  let end = 0;
  while (end < text.length) {
    const unit = text.codePointAt(end) ?? 0;
    const char = String.fromCodePoint(unit);
    const cost = isEscaped(unit) ? jsonLength(char) - QUOTES : char.length;
    if (used + cost > room) break;
    used += cost;
    end += char.length;
  }
  if (end === text.length) return text;
  const lineEnd = text.lastIndexOf('\n', end - 1);
  // Cut a very long line in the middle: ending at the short line before it would lose more than half.
  return text.slice(0, (lineEnd + 1) * 2 > end ? lineEnd + 1 : end);
}

/** Recognises characters that JSON writes longer than they are: quotes, controls, half surrogate pairs. */
function isEscaped(unit: number): boolean {
  return unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff);
}

function noteFor(missing: number, rest: string): string {
  return `\n[cut here: ${missing} more characters. ${rest}]`;
}

function jsonLength(text: string): number {
  return JSON.stringify(text).length;
}
