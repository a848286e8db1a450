import { setImmediate as yieldOnce } from 'node:timers/promises';
import type { editFiles } from '../../../contracts/edit-files.ts';
import type { Fact, Preview } from '../../../contracts/preview.ts';
import type { Previewer } from '../../../src/core/preview.ts';
import { hasUnseen } from '../../../src/core/visible.ts';
import type { ChangePorts } from '../undo/changes.ts';
import { type FileChange, kindOf } from '../undo/transaction.ts';
import { shown } from '../workspace/path-rules.ts';
import { diffOf, IN_THE_ARGUMENTS } from './edits-diff.ts';
import { changesOf, planEdits } from './edits-many.ts';
import { fact, sizeOf } from './edits-previews.ts';
import { isBinary } from './files-text.ts';

/** The longest diff of all files together that an approval keeps. */
const MAX_DIFF_CHARS = 190_000;
const MAX_FACTS = 40;
/** The time for the diffs of all files together. A preview that is not ready in 3 seconds is not shown at all. */
const DIFFS_MS = 1_500;
const MAX_FOLDERS = 100;

/** Says what several edits would do: every file, and one diff. */
export const previewMany: Previewer<typeof editFiles, ChangePorts> = async (input, call, ports) => {
  const desk = await planEdits(input, call, ports);
  if ('kind' in desk) return desk;
  const state = desk.state();
  const changes = changesOf(desk);
  desk.close();
  const moves = input.edits.flatMap(({ op, path, to }) =>
    op === 'move' ? [fact(`Moves ${shown(path)} to ${shown(to ?? '')}.`)] : [],
  );
  const unseen = input.edits.some(({ text }) => text !== undefined && hasUnseen(text));
  const head = fact(
    changes.length === 0
      ? 'Every file is already as the edits want it, so nothing would change.'
      : `Changes ${changes.length === 1 ? 'one file' : `${changes.length} files`}: all of it or nothing.`,
  );
  const warnings = unseen ? [fact('The new text has invisible characters.', true)] : [];
  return { ...(await previewOf(changes, { head: [head], warnings, notes: moves })), state };
};

interface Around {
  readonly head: readonly Fact[];
  readonly warnings: readonly Fact[];
  readonly notes: readonly Fact[];
  /** Says where to find a change that is not shown. */
  readonly whole?: string;
}

/** Describes changes of several files: what becomes of each, and one diff. */
export async function previewOf(
  changes: readonly FileChange[],
  { head, warnings, notes, whole = IN_THE_ARGUMENTS }: Around,
): Promise<Omit<Preview, 'state'>> {
  let diff = '';
  const facts: Fact[] = [];
  const until = performance.now() + DIFFS_MS;
  for (const change of changes) {
    // Diffs of many files must not keep the machine from its other calls.
    await yieldOnce();
    const shownAs = performance.now() > until ? noTimeFor(change, whole) : diffFor(change, whole);
    facts.push(factOf(change), ...shownAs.facts);
    if (shownAs.diff === null) continue;
    if (diff.length + shownAs.diff.length <= MAX_DIFF_CHARS) diff += shownAs.diff;
    else facts.push(fact(`The diff has no room for ${shown(change.path)}. ${whole}`, true));
  }
  const parents = [...new Set(changes.flatMap(({ parents, after }) => (after === null ? [] : parents)))];
  const all = [
    ...warnings,
    // Put the unusual ones first, because those that do not fit are only counted.
    ...facts.filter(({ unusual }) => unusual),
    ...notes,
    ...facts.filter(({ unusual }) => !unusual),
  ];
  const room = MAX_FACTS - 1 - head.length;
  return {
    facts: [
      ...head,
      ...all.slice(0, room),
      ...(all.length > room ? [fact(`There are ${all.length - room} more things to know.`, true)] : []),
    ],
    files: [
      ...parents.slice(0, MAX_FOLDERS).map((path) => ({ path, change: 'create folder' as const })),
      ...changes.map(({ path, before, after }) => ({ path, change: kindOf(before, after) })),
    ],
    diff: diff === '' ? null : diff,
  };
}

function noTimeFor({ path }: FileChange, whole: string) {
  const text = `There was no time to compare ${shown(path)}. ${whole}`;
  return { diff: null, facts: [fact(text, true)] };
}

function diffFor({ path, before, after }: FileChange, whole: string) {
  const isText = [before, after].every((bytes) => bytes === null || !isBinary(bytes));
  if (isText) return diffOf(path, before, after, path, whole);
  return { diff: null, facts: [fact(`${shown(path)} is not text, so it is not shown as lines.`, true)] };
}

function factOf({ path, file, before, after }: FileChange): Fact {
  const name = shown(path);
  if (after === null) {
    return fact(
      `Deletes ${name}, ${sizeOf(before ?? Buffer.alloc(0))}. Its content is kept for undoing.`,
      true,
    );
  }
  if (before === null) return fact(`Makes ${name}, ${sizeOf(after)}.`);
  const isRun = (Number(file?.stats.mode ?? 0) & 0o111) !== 0;
  const program = isRun ? ', a program that can be run,' : '';
  return fact(`Changes ${name}${program} from ${sizeOf(before)} to ${sizeOf(after)}.`, isRun);
}
