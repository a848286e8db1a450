import { Command, CommanderError } from 'commander';
import { errorText, isDiskFull } from '../src/core/error-text.ts';
import { VERSION } from '../src/core/version.ts';
import { addCommands, asCall } from './cli/all-commands.ts';
import { CliError, EXIT } from './lib/exit.ts';
import { complain } from './lib/print.ts';

const program = new Command('bowline')
  .description('One MCP address for everything you own.')
  .version(VERSION, '-v, --version', 'print the version')
  .helpCommand('help [command]', 'print what a command does')
  .showSuggestionAfterError()
  .showHelpAfterError('Run it with --help to see how it is used.')
  .exitOverride();

try {
  const argv = await asCall(process.argv);
  await addCommands(program, argv[2]);
  await program.parseAsync(argv);
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed its own error, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CliError) {
    complain(error.message, error.suggestion);
    return error.exitCode;
  }
  if (isDiskFull(error)) {
    complain(`The disk is full: ${errorText(error)}.`, 'Make room, then run it again.');
    return EXIT.failed;
  }
  // A shape was not met, and what it lacks helps nobody who typed a command.
  if (error instanceof Error && error.name === 'ZodError') {
    complain(
      'An answer has another form than this version of Bowline understands.',
      'Check the address: there may be no gateway, or one of another version.',
    );
  } else complain(errorText(error));
  // A stack helps only those who repair Bowline.
  if (process.env.BOWLINE_DEBUG) console.error(error);
  return EXIT.failed;
}
