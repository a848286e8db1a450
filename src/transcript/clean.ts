import type { Cue } from './cue.ts';
import { paragraphsOf } from './paragraphs.ts';
import { withoutRolling } from './rolling.ts';
import { turnsOf } from './speakers.ts';
import { readStampedText } from './stamped-text.ts';
import { isTimedText, readTimedText } from './timed-text.ts';

/** A transcript of any common form as paragraphs: times, numbers and repeats go, every spoken word stays. */
export function cleanTranscript(text: string): string {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\r\n\u2028\u2029\u0085]/)
    // One blank at a time, so that no pattern has to look for its end in a sea of them.
    .map((line) => line.replace(/\s+/g, ' ').trim());
  return paragraphsOf(turnsOf(cuesOf(lines)));
}

function cuesOf(lines: readonly string[]): readonly Cue[] {
  if (isTimedText(lines)) {
    const { cues, isLive } = readTimedText(lines);
    return withoutRolling(cues, isLive);
  }
  return readStampedText(lines) ?? bareCues(lines);
}

/** Plain text: its own paragraphs, which end at an empty line. */
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
