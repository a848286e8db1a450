/** A piece of a transcript as its file has it: what was on the screen at one time, or what one turn says. */
export interface Cue {
  /** Seconds; `undefined` where the file gives no times. */
  readonly start?: number;
  readonly end?: number;
  readonly speaker?: string;
  readonly lines: readonly string[];
  /** Starts a turn, although nobody is named. */
  readonly isTurn?: boolean;
}

export const TIME = String.raw`\d{1,3}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,3})?`;

/** Seconds of a time with or without hours. */
export function secondsOf(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);
}
