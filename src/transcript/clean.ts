import { atOnce, type Steps } from '../core/steps.ts';
import type { Cue } from './cue.ts';
import { paragraphsOf } from './paragraphs.ts';
import { withoutRolling } from './rolling.ts';
import { turnsOf } from './speakers.ts';
import { readStampedText } from './stamped-text.ts';
import { isTimedText, readTimedText } from './timed-text.ts';

/**
 * Brings a transcript of any common form into paragraphs. Times, numbers and repeats go; every spoken word
 * stays.
 */
export function* cleaning(text: string): Steps<string> {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\r\n\u2028\u2029\u0085]/)
    // With one blank at a time, no pattern has to search for the end of thousands.
    .map((line) => line.replace(/\s+/g, ' ').trim());
  yield;
  const cues = yield* cuesOf(lines);
  yield;
  const turns = turnsOf(cues);
  yield;
  return paragraphsOf(turns);
}

function* cuesOf(lines: readonly string[]): Steps<readonly Cue[]> {
  if (isTimedText(lines)) {
    const { cues, isLive } = readTimedText(lines);
    yield;
    return withoutRolling(cues, isLive);
  }
  return readStampedText(lines) ?? bareCues(lines);
}

/** Reads plain text. Its paragraphs end at an empty line. */
function bareCues(lines: readonly string[]): Cue[] {
  const cues: { lines: string[]; isTurn: true }[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (line === '') isOpen = false;
    else if (isOpen) cues.at(-1)?.lines.push(line);
    else {
      cues.push({ lines: [line], isTurn: true });
      isOpen = true;
    }
  }
  return cues;
}

/** Cleans a transcript in one go. */
export function cleanTranscript(text: string): string {
  return atOnce(cleaning(text));
}
