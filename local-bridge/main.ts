import { Command, CommanderError } from 'commander';
import { VERSION } from '../src/core/version.ts';
import { addApprovalCommands } from './commands/approvals.ts';
import { addCallCommand } from './commands/call.ts';
import { addLedgerCommand } from './commands/ledger.ts';
import { addLoginCommands } from './commands/login.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addMemoryCommands } from './commands/memory.ts';
import { addRulesCommands } from './commands/rules.ts';
import { addTokenCommands } from './commands/token.ts';
import { addToolsCommand } from './commands/tools.ts';
import { addUpCommand } from './commands/up.ts';
import { CliError, EXIT } from './exit.ts';
import { complain } from './print.ts';

const program = new Command('bowline')
  .description('One MCP address for everything you own.')
  .version(VERSION, '-v, --version', 'print the version')
  .helpCommand('help [command]', 'print what a command does')
  .showSuggestionAfterError()
  .showHelpAfterError('Run it with --help to see how it is used.')
  .exitOverride();

addUpCommand(program);
addCallCommand(program);
addToolsCommand(program);
addMcpCommand(program);
addLoginCommands(program);
addTokenCommands(program);
addApprovalCommands(program);
addRulesCommands(program);
addLedgerCommand(program);
addMemoryCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed its own complaint, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CliError) {
    complain(error.message, error.suggestion);
    return error.exitCode;
  }
  complain(error instanceof Error ? error.message : String(error));
  // A stack helps whoever mends Bowline and nobody else.
  if (process.env.BOWLINE_DEBUG) console.error(error);
  return EXIT.failed;
}
