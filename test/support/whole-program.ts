import { globSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { addExamples } from '../../local-bridge/cli/examples.ts';
import { PROJECT } from './up.ts';

/** The whole command line, of whatever commands there are, as `main.ts` puts it together. */
export async function wholeProgram(): Promise<Command> {
  const program = new Command('bowline').exitOverride().showSuggestionAfterError();
  for (const path of globSync('local-bridge/cli/commands/*.ts', { cwd: PROJECT }).sort()) {
    const parts: Record<string, unknown> = await import(join(PROJECT, path));
    for (const [name, add] of Object.entries(parts))
      if (/^add\w+Commands?$/.test(name) && typeof add === 'function') add(program);
  }
  addExamples(program);
  return program;
}
