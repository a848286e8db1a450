import { visibleLine } from '../../../src/core/visible.ts';
import { refuse, type WorkspaceRefusal } from './refusal.ts';

/** The longest name that common filesystems allow, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255;

/** Names that mean a device on Windows, with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9])[ ]*(?:\.|$)/;

/** The short second name that Windows gives to a long one: up to eight characters, ending in `~1`. */
const SHORT_NAME = /^(?=[^.]{1,8}(?:\.|$))[^.]*~\d+(?:\.[^.]{0,3})?$/;

/** Control and format characters (bidi, zero-width, tags), line separators and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/**
 * Splits a path into names, or refuses it with a reason. The rules are the same on every system, and nothing is
 * corrected: each file has one spelling. So the opened file is the one that the owner approved and that a rule names.
 */
export function namesIn(path: string): readonly string[] | WorkspaceRefusal {
  if (path === '.') return [];
  if (leavesRoot(path)) {
    return refuse('path_outside_root', `Path '${shown(path)}' is outside working directory`);
  }
  const names = path.split('/');
  for (const name of names) {
    const wrong = wrongWith(name);
    if (wrong) {
      const better = spelling(path);
      return refuse(
        'invalid_path',
        `Path '${shown(path)}' is refused: ${wrong}`,
        better === undefined ? undefined : `Write it as '${better}'.`,
      );
    }
  }
  return names;
}

/**
 * Recognises paths that lead out of the root: absolute on any system, the home folder, or a step up with any
 * separator.
 */
function leavesRoot(path: string): boolean {
  return /^[/\\]|^~|^[A-Za-z]:/.test(path) || path.split(/[/\\]/).includes('..');
}

/** Says what is wrong with a name, as the end of a sentence; `undefined` for a plain name. */
function wrongWith(name: string): string | undefined {
  if (name === '') return 'it has an empty name between slashes or at its end.';
  if (name === '.') return 'it has a `.` in it.';
  if (UNSEEN.test(name)) return 'it has a control or invisible character in it.';
  if (name !== name.normalize('NFC')) return 'it is not in Unicode normal form C.';
  if (name.includes('\\')) return 'it has a backslash; separate names with `/`.';
  if (name.includes(':')) return 'it has a `:` in it.';
  if (/[. ]$/.test(name)) return 'a name in it ends in a space or dot.';
  if (WINDOWS_DEVICE.test(folded(name))) return `'${name}' means a device on Windows.`;
  if (SHORT_NAME.test(name)) return `'${name}' looks like a short name of Windows.`;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `a name in it is longer than ${MAX_NAME_BYTES} bytes.`;
  return undefined;
}

/** Gives the accepted spelling of a path that is wrong only in its dots and slashes. */
function spelling(path: string): string | undefined {
  const names = path.split(/[/\\]/).filter((name) => name !== '' && name !== '.');
  const better = names.join('/') || '.';
  return names.some(wrongWith) || leavesRoot(better) ? undefined : better;
}

/** Makes a path safe to show: on one line, nothing invisible, not too long. */
export function shown(path: string): string {
  return visibleLine(path, 200);
}

/** Gives a name as the most forgiving filesystem compares it: without case, and with look-alike forms made one. */
export function folded(name: string): string {
  // Take the short way: nearly every name is ASCII, and a search folds many.
  return /^[ -~]*$/.test(name) ? name.toLowerCase() : name.normalize('NFKC').toUpperCase().toLowerCase();
}
