import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { visible, visibleLine } from '../../src/core/visible.ts';
import type { Screen, Tone } from '../../src/gate/approval-lines.ts';

/** Prints one line of good news, made safe whatever it quotes. */
export function done(line: string): void {
  console.log(`${styleText('green', '✓')} ${visibleLine(line)}`);
}

/** Prints a quieter line below another. */
export function detail(label: string, value: string): void {
  console.log(`  ${styleText('dim', `${visibleLine(label)}:`)} ${visibleLine(value)}`);
}

/** Prints what went wrong and what to do, on standard error. Much of it quotes strangers. */
export function complain(message: string, suggestion?: string): void {
  console.error(`${styleText('red', '✗', { stream: process.stderr })} ${visible(message)}`);
  if (suggestion) console.error(`  ${visible(suggestion)}`);
}

/** Prints JSON for programs. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

const COLOURS: Readonly<Record<Tone, Parameters<typeof styleText>[0]>> = {
  question: 'bold',
  added: 'green',
  removed: 'red',
  hunk: 'cyan',
  unusual: 'yellow',
  quiet: 'dim',
};

/** Finds out what a terminal can show: its width, and colours unless `NO_COLOR` is set or it is not a terminal. */
export function screenOf(stream: WriteStream): Screen {
  return {
    // A terminal that does not know its width says 0.
    columns: stream.isTTY ? stream.columns || 80 : undefined,
    paint: (tone, text) => styleText(COLOURS[tone], text, { stream }),
    now: Date.now(),
  };
}
