import { Argument, type Command } from 'commander';
import { shells } from '../completions/shells.ts';
import { placesIn, toolWords } from '../completions/words.ts';

export function addCompletionsCommand(program: Command): void {
  program
    .command('completions')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .addHelpText(
      'after',
      `
Examples:
  echo 'source <(bowline completions bash)' >> ~/.bashrc
  bowline completions zsh > ~/.zfunc/_bowline        in a folder that is in $fpath before compinit runs
  bowline completions fish > ~/.config/fish/completions/bowline.fish`,
    )
    .action((shell: string) => {
      process.stdout.write(shells[shell]?.(placesIn(program), toolWords) ?? '');
    });
}
