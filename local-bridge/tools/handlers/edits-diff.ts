import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import type { Fact } from '../../../contracts/preview.ts';
import { findSecrets } from '../../../src/core/find-secrets.ts';
import { ANY_SECRET } from '../../../src/core/secret-rules.ts';

/** Larger files get no diff: the search for secrets in them would block the machine. */
const MAX_BYTES = 2 * 1024 * 1024;
/** The longest diff to keep. Nobody reads a longer one, and the approval stores it. */
const MAX_CHARS = 100_000;
const MAX_MS = 1_000;
/** The most characters to compare for hiding secrets of the old text: those of the secrets times those of the diff. */
const MAX_SOUGHT = 400_000_000;
const CONTEXT = 3;
/** Where the owner finds a change that no diff shows. */
export const IN_THE_ARGUMENTS = 'The arguments show all of it.';

/** A unified diff without secrets, or the text to show in its place. */
export interface Diff {
  readonly diff: string | null;
  readonly facts: readonly Fact[];
}

/**
 * Shows line by line what changes in a file. A `before` of `null` means a new file; an `after` of `null`, a removed
 * one.
 */
export function diffOf(
  path: string,
  before: Buffer | null,
  after: Buffer | null,
  oldPath = path,
  whole = IN_THE_ARGUMENTS,
): Diff {
  if ((before?.length ?? 0) > MAX_BYTES || (after?.length ?? 0) > MAX_BYTES)
    return none('The file is too large', whole);
  const [was, now] = asLines(before?.toString('utf8') ?? '', after?.toString('utf8') ?? '');
  const around = whereTheyDiffer(was, now);
  const names = [before === null ? '/dev/null' : oldPath, after === null ? '/dev/null' : path] as const;
  const patch = patchOf(...names, was, now, around);
  const isTooLong = patch?.hunks.some(({ lines }) => lines.join('\n').length > MAX_CHARS);
  if (!patch || isTooLong) return none('The change is too large', whole);
  const { diff, isHidden } = withoutSecrets(patch, was, now, around);
  if (diff === undefined || diff.length > MAX_CHARS) return none('The change is too large', whole);
  const said = 'The diff hides text that looks like a secret.';
  return { diff, facts: isHidden ? [{ text: said, unusual: true }] : [] };
}

function none(why: string, whole: string): Diff {
  const text = `${why} to be shown as a diff. ${whole}`;
  return { diff: null, facts: [{ text, unusual: true }] };
}

/** Splits texts into lines. Drops the CRs if all lines end in CRLF, because they show no difference. */
function asLines(...texts: readonly [string, string]): readonly [string, string] {
  if (texts.some((text) => /(?<!\r)\n/.test(text))) return texts;
  return [texts[0].replaceAll('\r\n', '\n'), texts[1].replaceAll('\r\n', '\n')];
}

/** The whole lines around the difference. Only they are compared, because the rest may be very long. */
interface Stretch {
  /** The number of characters before it, the same in both texts. */
  readonly start: number;
  /** The number of characters after it, the same in both texts. */
  readonly rest: number;
}

function whereTheyDiffer(was: string, now: string): Stretch {
  const shorter = Math.min(was.length, now.length);
  let start = 0;
  while (start < shorter && was[start] === now[start]) start++;
  let end = was.length;
  const gap = now.length - was.length;
  while (end > start && end + gap > start && was[end - 1] === now[end + gap - 1]) end--;
  for (let lines = 0; lines <= CONTEXT && start > 0; lines++) {
    // First step back over the line end, unless it belongs to a line that differs.
    const from = lines === 0 ? start : start - 1;
    start = from === 0 ? 0 : was.lastIndexOf('\n', from - 1) + 1;
  }
  for (let lines = 0; lines <= CONTEXT; lines++) end = was.indexOf('\n', end) + 1 || was.length;
  return { start, rest: was.length - end };
}

function within(text: string, { start, rest }: Stretch): string {
  return text.slice(start, text.length - rest);
}

function patchOf(
  oldName: string,
  name: string,
  was: string,
  now: string,
  around: Stretch,
): StructuredPatch | undefined {
  const [old, fresh] = [within(was, around), within(now, around)];
  const options = { context: CONTEXT, timeout: MAX_MS };
  const patch = structuredPatch(oldName, name, old, fresh, undefined, undefined, options);
  if (!patch) return undefined;
  const above = was.slice(0, around.start).split('\n').length - 1;
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + above,
    newStart: hunk.newStart + above,
  }));
  return { ...patch, hunks };
}

/** Removes secrets from a diff. It finds them in the whole texts, not only in the few lines shown. */
function withoutSecrets(patch: StructuredPatch, was: string, now: string, around: Stretch) {
  const [oldSecrets, newSecrets] = [findSecrets(was, ANY_SECRET), findSecrets(now, ANY_SECRET)];
  const [oldClean, newClean] = [cleanLines(was, oldSecrets), cleanLines(now, newSecrets)];
  const hunks = patch.hunks.map((hunk) => {
    let old = hunk.oldStart - 1;
    let fresh = hunk.newStart - 1;
    const lines = hunk.lines.map((line) => {
      const sign = line[0] ?? '';
      if (sign === '\\') return line;
      const bare = line.slice(1);
      const ways = [sign === '+' ? bare : oldClean[old++], sign === '-' ? bare : newClean[fresh++]];
      // A line that is in both texts is hidden if it holds a secret in either.
      return sign + (ways.find((one) => one !== undefined && one !== bare) ?? bare);
    });
    return { ...hunk, lines };
  });
  let diff = formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY);
  // The change may remove the text by which a secret was recognised, so hide the secrets of the old text too.
  const parts = new Map<string, string>();
  for (const { kind, start, end } of oldSecrets) {
    if (end <= around.start || start >= was.length - around.rest) continue;
    for (const part of was.slice(start, end).split('\n')) if (part.length >= 6) parts.set(part, kind);
  }
  const sought = [...parts.keys()].reduce((sum, part) => sum + part.length, 0);
  if (sought * diff.length > MAX_SOUGHT) return { diff: undefined, isHidden: false };
  for (const [part, kind] of parts) diff = diff.replaceAll(part, `[redacted:${kind}]`);
  return { diff, isHidden: diff !== formatPatch(patch, FILE_HEADERS_ONLY) };
}

/** Gives the lines of a text without its secrets. A secret of several lines keeps its number of lines. */
export function cleanLines(text: string, secrets = findSecrets(text, ANY_SECRET)): readonly string[] {
  let clean = '';
  let at = 0;
  for (const { kind, start, end } of secrets) {
    clean += text.slice(at, start) + text.slice(start, end).replace(/[^\n]+/g, `[redacted:${kind}]`);
    at = end;
  }
  return (clean + text.slice(at)).split('\n');
}
