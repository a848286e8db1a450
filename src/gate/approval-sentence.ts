import { visible, visibleLine } from '../core/visible.ts';
import { isJoinedName } from '../joined/names.ts';
import { TERMINAL_TOOL } from './rules/rule.ts';

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
  mlx_unload: ['unload the model', 'model'],
};

const MAX_WHAT_CHARS = 100;

/** Says in one sentence what a call wants. No part that a stranger wrote can look like another part. */
export function sentenceOf({ client, tool, machine, root, args }: Asked): Sentence {
  const [does, argument] = (!isJoinedName(tool) && DOES[tool]) || ['use', ''];
  const named = args[argument];
  const isNamed = typeof named === 'string';
  return {
    who: visibleLine(client, 60),
    does: isNamed ? does : 'use',
    what: visibleLine(isNamed ? named : tool, MAX_WHAT_CHARS),
    where: `${machine === null ? '' : ` on ${visibleLine(machine, 64)}`}${root === null ? '' : `, in ${visibleLine(root, 64)}`}`,
  };
}

/** Joins the sentence where only text is possible. */
export function sentenceText({ who, does, what, where }: Sentence): string {
  return `${who} wants to ${does} \`${what}\`${where}`;
}

/** Gives the command that a call would run, if it runs one. */
export function commandOf({ tool, args }: Pick<Asked, 'tool' | 'args'>): string | null {
  return tool === TERMINAL_TOOL && typeof args.command === 'string' ? visible(args.command) : null;
}
