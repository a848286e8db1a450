import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from './exit.ts';

/** Writes a file that only its user can read, whole or not at all. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Use a name that nobody can guess, and never an existing file: a file that somebody put there would keep its mode
  // and other names, and a link would lead elsewhere.
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Gives the text of a file, or `undefined` if there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    // The system does not say which.
    if (code === 'EISDIR') throw new CliError(`${path} is a folder where a file belongs.`, 'Move it away.');
    throw error;
  }
}

/** Parses JSON; `undefined` for any other text. */
export function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
