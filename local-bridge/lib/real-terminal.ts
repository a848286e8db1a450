import { stdin, stdout } from 'node:process';
import type { WriteStream } from 'node:tty';

/** Tells if a person can be asked here. Input and output must both be a real terminal. */
export function isRealTerminal(output: WriteStream = stdout): boolean {
  return stdin.isTTY === true && output.isTTY === true;
}
