import { Command } from 'commander';
import { addCommands } from '../../local-bridge/cli/all-commands.ts';

/** The whole command line, as `main.ts` puts it together for its help. */
export async function wholeProgram(): Promise<Command> {
  const program = new Command('bowline').exitOverride().showSuggestionAfterError();
  await addCommands(program, undefined);
  return program;
}
