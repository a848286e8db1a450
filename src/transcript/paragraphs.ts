import type { Cue } from './cue.ts';

/** After a pause of so many seconds, a new paragraph begins. */
const PAUSE = 3;
/** A paragraph of so many characters ends with its sentence. */
const FULL = 600;
/** A paragraph of so many characters ends in any case. */
const OVERFULL = 1_500;

const SENTENCE_END = /[.!?…。！？．｡؟۔।॥;·]["'”’»)\]）」』]*$/u;
/** Scripts without blanks between words. No blank is added where two of their lines meet. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー、。！？，：；「」『』（）…]/u;

/**
 * Joins cues into paragraphs: one turn or one stretch of speech each, with the speaker's name at its start.
 */
export function paragraphsOf(cues: readonly Cue[]): string {
  const paragraphs: string[] = [];
  let parts: string[] = [];
  let length = 0;
  let speaker: string | undefined;
  let end: number | undefined;
  const close = () => {
    if (parts.length > 0) paragraphs.push(parts.join(''));
    parts = [];
    length = 0;
  };
  for (const cue of cues) {
    const text = cue.lines.map((line, i) => glue(cue.lines[i - 1] ?? '', line) + line).join('');
    if (text === '') continue;
    // Without times these are not captions, and a repeated name is meant to start a new turn.
    const isOther = cue.speaker !== undefined && (cue.speaker !== speaker || cue.start === undefined);
    if (isOther || (cue.isTurn === true && cue.speaker === undefined) || isPause(end, cue.start)) close();
    if (isOther) {
      speaker = cue.speaker;
      parts.push(`${speaker}: `);
    } else if (parts.length > 0) parts.push(glue(parts.at(-1) ?? '', text));
    parts.push(text);
    length += text.length;
    end = cue.end ?? end;
    if (length >= OVERFULL || (length >= FULL && SENTENCE_END.test(text))) close();
  }
  close();
  return paragraphs.join('\n\n');
}

function isPause(end: number | undefined, start: number | undefined): boolean {
  return end !== undefined && start !== undefined && start - end >= PAUSE;
}

function glue(before: string, after: string): string {
  if (before === '' || after === '') return '';
  return UNSPACED.test(before.slice(-1)) && UNSPACED.test(after.slice(0, 1)) ? '' : ' ';
}
