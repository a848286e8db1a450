import { dirname } from 'node:path';
import type { runInTerminal } from '../../../contracts/terminal.ts';
import type { Call } from '../../../src/core/handler.ts';
import { redact } from '../../../src/core/redact.ts';
import { shown } from '../workspace/path-rules.ts';
import type { Findings, Planted } from './autorun-settle.ts';

type Metadata = Parameters<Call<typeof runInTerminal>['ok']>[0]['metadata'];

/** The most things of each kind that an answer names. */
const MAX_NAMED = 40;

/** Describes the things that a command left and that its owner should know about; undefined if there are none. */
export function plantedText({ planted, unseen }: Findings): string | undefined {
  const named = (what: string, outcome: Planted['outcome']) =>
    list(
      what,
      planted.filter((one) => one.outcome === outcome).map(({ path }) => path),
    );
  const aside = commonFolder(planted.flatMap(({ movedTo }) => movedTo ?? []));
  const lists = [
    named(`Moved to ${show(aside)}`, 'moved_aside'),
    named('Left in place', 'left'),
    named('Changed', 'changed'),
    named('Removed', 'removed'),
  ].filter((line) => line !== '');
  return (
    [
      ...(lists.length > 0 ? [FOUND] : []),
      ...lists,
      list('Folders that could not be searched for such files', unseen),
    ]
      .filter((line) => line !== '')
      .join(' ') || undefined
  );
}

const FOUND =
  'While this command ran, files appeared or changed that other programs run or obey by themselves.';

/** Finds the deepest folder that holds all of them. */
function commonFolder([first = '', ...rest]: readonly string[]): string {
  let folder = dirname(first);
  while (folder !== dirname(folder) && !rest.every((path) => path.startsWith(`${folder}/`))) {
    folder = dirname(folder);
  }
  return folder;
}

/** Gives the same as data. */
export function plantedField({ planted }: Findings): Pick<Metadata, 'runs_by_itself'> {
  if (planted.length === 0) return {};
  return {
    runs_by_itself: planted.slice(0, 4 * MAX_NAMED).map(({ path, outcome, movedTo }) => ({
      path: show(path),
      outcome,
      ...(movedTo === undefined ? {} : { moved_to: show(movedTo) }),
    })),
  };
}

function list(what: string, paths: readonly string[]): string {
  if (paths.length === 0) return '';
  const more = paths.length > MAX_NAMED ? `, and ${paths.length - MAX_NAMED} more` : '';
  return `${what}: ${paths.slice(0, MAX_NAMED).map(show).join(', ')}${more}.`;
}

/** Makes a name safe to show, because a command chose it. */
function show(path: string): string {
  return redact(shown(path));
}
