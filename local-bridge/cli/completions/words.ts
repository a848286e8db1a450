import type { Command } from 'commander';
import type { AnyContract, JsonSchema } from '../../../contracts/contract.ts';
import { catalogue } from '../../../contracts/index.ts';
import { inputSchema } from '../../../src/core/schema.ts';

/** A word that may come next, and its purpose. */
export interface Word {
  readonly word: string;
  readonly about: string;
}

/** The words that may follow a part of a command line. */
export interface Place {
  /** The words that lead there, without options and their values. */
  readonly path: readonly string[];
  readonly words: readonly Word[];
}

const tools: readonly AnyContract[] = Object.values(catalogue);

export const toolWords: readonly Word[] = tools.map(({ wireName, title }) => ({
  word: wireName,
  about: title,
}));

/** Lists every place of the command line, from the real commands. */
export function placesIn(program: Command): Place[] {
  const places = placesOf(program, []);
  const call = places.find(({ path }) => path.join() === 'call');
  if (!call) return places;
  const ofTools = tools.map((tool) => ({
    path: ['call', tool.wireName],
    words: [...fieldsOf(tool), ...call.words.filter(({ word }) => word.startsWith('-'))],
  }));
  return [...places, ...ofTools];
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help' || path.length === 0);
  const words: Word[] = [
    ...commands.map((one) => ({ word: one.name(), about: one.description() })),
    ...command.registeredArguments.flatMap((argument) =>
      argument.name() === 'tool'
        ? toolWords
        : (argument.argChoices ?? []).map((word) => ({ word, about: argument.description })),
    ),
    ...help
      .visibleOptions(command)
      .map((option) => ({ word: option.long ?? option.short ?? '', about: option.description })),
  ];
  return [{ path, words }, ...commands.flatMap((one) => placesOf(one, [...path, one.name()]))];
}

/** Lists a tool's fields in the form of `bowline call`. */
function fieldsOf(tool: AnyContract): Word[] {
  const fields = (inputSchema(tool).properties ?? {}) as Record<string, JsonSchema>;
  return Object.entries(fields).map(([name, { description }]) => ({
    word: `--${name}`,
    about: typeof description === 'string' ? description : '',
  }));
}
