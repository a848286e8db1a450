import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { writePrivate } from '../../lib/private-file.ts';
import { realPath } from '../../tools/workspace/closed-places.ts';

/** The file that says, once everything is checked, where Bowline is and with which token. */
export interface ReadyFile {
  /** Its future path, without links on the way. */
  readonly path: string;
  write(content: object): void;
  remove(): void;
}

/**
 * Prepares the place of the ready-file. Removes what is there: an old file speaks of a gateway that is gone, and a
 * link would close another file to tools than the one that gets the token.
 */
export function takeReadyFile(asked: string): ReadyFile {
  const folder = dirname(resolve(asked));
  try {
    mkdirSync(folder, { recursive: true });
    const path = join(realPath(folder), basename(resolve(asked)));
    const remove = () => rmSync(path, { force: true });
    remove();
    return { path, write: (content) => writePrivate(path, `${JSON.stringify(content)}\n`), remove };
  } catch (error) {
    throw new CliError(
      `The ready-file ${asked} cannot be written: ${error instanceof Error ? error.message : error}.`,
      'Name another file with --ready-file.',
    );
  }
}
