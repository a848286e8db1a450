import { visible, visibleLine } from '../core/visible.ts';
import { isJoinedName } from '../joined/names.ts';
import { TERMINAL_TOOL } from './rules/rule.ts';
import { isLasting, pathsOf } from './rules/rule-kin.ts';

/** A question to the owner as a sentence, in pieces that a page and a terminal put together. */
export interface Sentence {
  /** The caller, by the name they gave themselves. */
  readonly who: string;
  /** The action, such as `run`. */
  readonly does: string;
  /** The object of the action. A long one is cut, because the page shows all of it below. */
  readonly what: string;
  /** The place of the action, such as ` on mini, in shop`. Empty at the gateway. */
  readonly where: string;
}

interface Asked {
  readonly client: string;
  readonly tool: string;
  readonly machine: string | null;
  readonly root: string | null;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The action of each tool in words, and the argument that it acts on. */
const DOES: Readonly<Record<string, readonly [does: string, argument: string]>> = {
  [TERMINAL_TOOL]: ['run', 'command'],
  create_file: ['write', 'path'],
  create_directory: ['create the folder', 'path'],
  replace_string_in_file: ['edit', 'path'],
  write_memory_entry: ['add a line to the memory', 'file'],
  fetch_webpage: ['fetch', 'url'],
  mlx_load: ['load the model', 'model'],
  terminal_start: ['start the lasting terminal', 'session'],
  terminal_send: ['type', 'text'],
  undo_call: ['undo the call', 'call_id'],
  mlx_unload: ['unload the model on port', 'port'],
};

const MAX_WHAT_CHARS = 100;

/** Says in one sentence what a call wants. No part that a stranger wrote can look like another part. */
export function sentenceOf({ client, tool, machine, root, args }: Asked): Sentence {
  const several = severalOf({ tool, args });
  const [does, argument] = (!isJoinedName(tool) && DOES[tool]) || ['use', ''];
  const named = args[argument];
  const isNamed = typeof named === 'string' || typeof named === 'number';
  const below =
    (tool === TERMINAL_TOOL || isLasting(tool)) && typeof args.cwd === 'string'
      ? `/${visibleLine(args.cwd, 120)}`
      : '';
  return {
    who: visibleLine(client, 60),
    does: several?.does ?? (isNamed ? does : 'use'),
    what: visibleLine(several?.what ?? (isNamed ? String(named) : tool), MAX_WHAT_CHARS),
    where: `${several?.more ?? ''}${machine === null ? '' : ` on ${visibleLine(machine, 64)}`}${root === null ? '' : `, in ${visibleLine(root, 64)}`}${below}`,
  };
}

/** What becomes of files, by the operation of an edit; the others edit or make one. */
const OPERATIONS: Readonly<Record<string, string>> = { move: 'move', delete: 'delete' };

/** Says what several edits of one call do, with their first file and the number of the others. */
function severalOf({ tool, args }: Pick<Asked, 'tool' | 'args'>) {
  const paths = [...new Set(pathsOf({ tool, args }) ?? [])];
  const [first] = paths;
  if (typeof first !== 'string' || !Array.isArray(args.edits)) return undefined;
  const kinds = args.edits.map(({ op }) => OPERATIONS[String(op)] ?? 'edit');
  const kindsOnce = ['edit', 'move', 'delete'].filter((kind) => kinds.includes(kind));
  const does = kindsOnce.join(', ').replace(/, ([^,]*)$/, ' and $1');
  const others = paths.length - 1;
  const more = others === 0 ? '' : ` and ${others} more ${others === 1 ? 'file' : 'files'}`;
  return { does, what: first, more };
}

/** Joins the sentence where only text is possible. */
export function sentenceText({ who, does, what, where }: Sentence): string {
  return `${who} wants to ${does} \`${what}\`${where}`;
}

/** Gives the command that a call would run, or the text that it would type. */
export function commandOf({ tool, args }: Pick<Asked, 'tool' | 'args'>): string | null {
  const { command, text } = args;
  const shown = tool === TERMINAL_TOOL || isLasting(tool) ? (command ?? text) : null;
  return typeof shown === 'string' ? visible(shown) : null;
}
