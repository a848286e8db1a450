import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { MARK_NAME } from './process-tree.ts';

const PASSED_ON = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'USER', 'LOGNAME', 'TZ'];

/** Makes a command's environment: a short list, what the owner added, and the mark of its run. */
export function environmentOf(
  bridge: NodeJS.ProcessEnv,
  added: readonly string[],
  fixed: { readonly shell: string; readonly temporary: string; readonly mark: string },
): Record<string, string> {
  const names = [...PASSED_ON, ...added].filter((name) => !OURS.test(name));
  const passed = names.flatMap((name) => {
    const value = bridge[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    SHELL: fixed.shell,
    TMPDIR: fixed.temporary,
    TERM: 'dumb',
    [MARK_NAME]: fixed.mark,
  };
}

/** Never pass these on, even if a setting names them: with them a command could act as the owner. */
const OURS = /^(?:BOWLINE|CLOUDFLARE)_/i;

/** Gives the user's own shell, if it can be run. */
export function userShell(bridge: NodeJS.ProcessEnv = process.env): string {
  const candidates = [bridge.SHELL, loginShell(), '/bin/sh'];
  return candidates.find((path) => path && isAbsolute(path) && canRun(path)) ?? '/bin/sh';
}

function loginShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined;
  } catch {
    // A user id without an entry, as in containers, has no login shell.
    return undefined;
  }
}

/** Finds a program on the path. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  if (name.includes('/')) return canRun(name) ? name : undefined;
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
