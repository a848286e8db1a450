import type { createDirectory, createFile, replaceStringInFile } from '../../../contracts/edits.ts';
import type { Fact, Preview } from '../../../contracts/preview.ts';
import type { Previewer } from '../../../src/core/preview.ts';
import { hasUnseen } from '../../../src/core/visible.ts';
import type { ChangePorts } from '../undo/changes.ts';
import { shown } from '../workspace/path-rules.ts';
import { planChange } from './edits-change.ts';
import { planFile } from './edits-create.ts';
import { type Diff, diffOf } from './edits-diff.ts';
import { planFolder } from './edits-directory.ts';
import { countLines, decodedText } from './files-text.ts';

/** The most folders to list. Others are only counted. */
const MAX_LISTED = 199;

/** Says what creating a file would do. */
export const previewFile: Previewer<typeof createFile, ChangePorts> = (input, call, ports) => {
  const plan = planFile(input, call, ports);
  if ('kind' in plan) return plan;
  const { bytes, location, parents, state } = plan;
  const isText = !bytes.includes(0);
  const { diff, facts } = isText ? diffOf(input.path, null, bytes) : NO_TEXT;
  return {
    facts: [
      fact(`Makes a new file of ${sizeOf(bytes)}, at ${shown(location)}.`),
      ...foldersFirst(parents),
      ...(isText && hasUnseen(input.content) ? [fact('The text has invisible characters.', true)] : []),
      ...facts,
    ],
    files: [...folders(parents), { path: input.path, change: 'create' }],
    diff,
    state,
  };
};

/** Says what creating a folder would do. */
export const previewFolder: Previewer<typeof createDirectory, ChangePorts> = (input, call, ports) => {
  const plan = planFolder(input, call, ports);
  if ('kind' in plan) return plan;
  const { location, parents, exists, state } = plan;
  if (exists) {
    const said = `The folder ${shown(location)} exists already, so nothing would change.`;
    return { facts: [fact(said, true)], files: [], diff: null, state };
  }
  return {
    facts: [fact(`Makes a new folder at ${shown(location)}.`), ...foldersFirst(parents)],
    files: [...folders(parents), { path: input.path, change: 'create folder' }],
    diff: null,
    state,
  };
};

/** Says what replacing a string would do. */
export const previewChange: Previewer<typeof replaceStringInFile, ChangePorts> = async (
  input,
  call,
  ports,
) => {
  const plan = await planChange(input, call, ports);
  if ('kind' in plan) return plan;
  const { file, before, replaced, state } = plan;
  file.close();
  const { bytes, found, line } = replaced;
  const { diff, facts } = diffOf(input.path, before, bytes);
  const isRun = (Number(file.stats.mode) & 0o111) !== 0;
  return {
    facts: [
      found === 1
        ? fact(`Replaces the text at line ${line}, the only place where it is.`)
        : fact(`The text is there ${found} times. Only the first, at line ${line}, is replaced.`, true),
      fact(`Changes ${shown(file.location)} from ${sizeOf(before)} to ${sizeOf(bytes)}.`),
      ...(isRun ? [fact('The file is a program that can be run.', true)] : []),
      ...(decodedText(before).valid
        ? []
        : [fact('The file is not valid UTF-8: some of it shows as \ufffd.', true)]),
      ...(hasUnseen(input.new_string) ? [fact('The new text has invisible characters.', true)] : []),
      ...facts,
    ],
    files: [{ path: input.path, change: 'change' }],
    diff,
    state,
  };
};

const NO_TEXT: Diff = {
  diff: null,
  facts: [fact('The content is not text, so it is not shown as lines.', true)],
};

export function fact(text: string, unusual = false): Fact {
  return { text, unusual };
}

function folders(parents: readonly string[]): NonNullable<Preview['files']> {
  return parents.slice(0, MAX_LISTED).map((path) => ({ path, change: 'create folder' }));
}

function foldersFirst(parents: readonly string[]): Fact[] {
  const last = parents.at(-1);
  if (last === undefined) return [];
  const count = parents.length === 1 ? 'a folder' : `${parents.length} folders`;
  return [fact(`Makes ${count} first: ${shown(last)}.`)];
}

export function sizeOf(bytes: Buffer): string {
  const lines = countLines(bytes);
  return `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'} (${lines} ${lines === 1 ? 'line' : 'lines'})`;
}
