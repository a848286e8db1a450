import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Gives the user's state folder: `BOWLINE_HOME`, or `.bowline` in their home. */
export function bowlineHome(): string {
  const set = process.env.BOWLINE_HOME;
  return set ? resolve(set) : join(homedir(), '.bowline');
}
