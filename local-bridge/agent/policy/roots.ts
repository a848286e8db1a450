import { realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { CliError, EXIT } from '../../lib/exit.ts';
import type { BridgeSettings } from './settings.ts';

/** A folder that is open to tools, by its name in calls. */
export interface Root {
  readonly name: string;
  readonly path: string;
}

/** The most roots that the link's greeting can name. */
const MAX_ROOTS = 64;

/** Lists the folders to open: those on the command line, else those of the settings. */
export function rootsFrom(words: readonly string[], settings: BridgeSettings): Root[] {
  const asked =
    words.length > 0
      ? words.map(fromWord)
      : (settings.roots ?? []).map(({ name, path }) => ({ name, path: absolute(path) }));
  if (words.length === 0 && settings.roots === undefined) {
    throw new CliError(
      'Which folder should be open to tools?',
      'Name it with --root <folder>, or list `roots` in bridge.json; `"roots": []` opens none.',
      EXIT.usage,
    );
  }
  const roots = asked.map(({ name, path }) => {
    const real = realFolder(path);
    return { name: name ?? (basename(real) || 'root'), path: real };
  });
  if (roots.length > MAX_ROOTS) {
    throw new CliError(
      `At most ${MAX_ROOTS} folders can be open at once.`,
      'Open one folder that contains several of them.',
      EXIT.usage,
    );
  }
  for (const { name } of roots) checkName(name);
  const names = roots.map(({ name }) => name.toLowerCase());
  const twice = roots.find(({ name }, at) => names.indexOf(name.toLowerCase()) !== at);
  if (twice) {
    throw new CliError(
      `Two open folders are called ${JSON.stringify(twice.name)}.`,
      'Give one another name: --root other=/its/path',
      EXIT.usage,
    );
  }
  return roots;
}

/** Reads `name=folder`, or a folder alone. A path with a `=` in it needs a name, or `./` before it. */
function fromWord(word: string): { name: string | undefined; path: string } {
  const named = /^([^/\\=]+)=(.+)$/.exec(word);
  return named
    ? { name: named[1] ?? '', path: resolve(named[2] ?? '') }
    : { name: undefined, path: resolve(word) };
}

/** Refuses a relative path: a service reads the settings too, and its working folder is unknown. */
function absolute(path: string): string {
  if (isAbsolute(path)) return path;
  throw new CliError(
    `The root ${JSON.stringify(path)} in bridge.json is not an absolute path.`,
    'Write the whole path, beginning with /.',
    EXIT.usage,
  );
}

function realFolder(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error;
  }
  throw new CliError(
    `There is no folder ${path} that can be opened.`,
    'Name a folder that exists.',
    EXIT.usage,
  );
}

function checkName(name: string): void {
  if (/^[^\p{C}\p{Zl}\p{Zp}/\\]{1,128}$/u.test(name) && name.trim() === name) return;
  throw new CliError(
    `${JSON.stringify(name)} cannot be the name of an open folder.`,
    'Give it a plain name: --root name=/its/path',
    EXIT.usage,
  );
}
