import { visibleLine } from '../../../src/core/visible.ts';
import { refuse, type WorkspaceRefusal } from './refusal.ts';

/** Of UTF-8, in one name: what the usual filesystems take. */
const MAX_NAME_BYTES = 255;

/** Names that mean a device on Windows, with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9])[ ]*(?:\.|$)/;

/** A name of up to eight characters that ends in `~1` is Windows' other name for some longer one. */
const SHORT_NAME = /^(?=[^.]{1,8}(?:\.|$))[^.]*~\d+(?:\.[^.]{0,3})?$/;

/** Control and format characters (bidi, zero-width, tags), line separators and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/**
 * The names that lead from a root to a path, or why the path is refused. The rules are the same on
 * every system, and nothing is repaired: each file has one spelling, so that what the owner approved,
 * and what a rule was written about, is what is opened.
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

/** Absolute on any system, the home folder, or a step up, however it is separated. */
function leavesRoot(path: string): boolean {
  return /^[/\\]|^~|^[A-Za-z]:/.test(path) || path.split(/[/\\]/).includes('..');
}

/** What is wrong with a name, as the end of a sentence; nothing if it is a plain one. */
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

/** The same path in the one spelling that is taken, when only dots and slashes stood in the way. */
function spelling(path: string): string | undefined {
  const names = path.split(/[/\\]/).filter((name) => name !== '' && name !== '.');
  const better = names.join('/') || '.';
  return names.some(wrongWith) || leavesRoot(better) ? undefined : better;
}

/** A path as it is shown to people: all on one line, nothing invisible, and not endless. */
export function shown(path: string): string {
  return visibleLine(path, 200);
}

/** A name as the most forgiving filesystem compares it: without case, and with look-alike forms made one. */
export function folded(name: string): string {
  // Nearly every name is ASCII, and a search folds many.
  return /^[ -~]*$/.test(name) ? name.toLowerCase() : name.normalize('NFKC').toUpperCase().toLowerCase();
}
