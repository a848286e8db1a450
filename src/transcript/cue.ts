/** A piece of a transcript file: the text on the screen at one time, or one turn of a speaker. */
export interface Cue {
  /** Seconds; `undefined` where the file gives no times. */
  readonly start?: number;
  readonly end?: number;
  readonly speaker?: string;
  readonly lines: readonly string[];
  /** True if it starts a turn although it names nobody. */
  readonly isTurn?: boolean;
}

export const TIME = String.raw`\d{1,3}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,3})?`;

/** Reads a time with or without hours as seconds. */
export function secondsOf(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);
}
