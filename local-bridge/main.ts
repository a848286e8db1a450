import { Command, CommanderError } from 'commander';
import { VERSION } from '../src/core/version.ts';
import { addApprovalCommands } from './commands/approvals.ts';
import { addAskCommand } from './commands/ask.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCallCommand } from './commands/call.ts';
import { addCompletionsCommand } from './commands/completions.ts';
import { addConnectCommand } from './commands/connect.ts';
import { addConsoleCommand } from './commands/console.ts';
import { addDeployCommand } from './commands/deploy.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addLedgerCommand } from './commands/ledger.ts';
import { addLoginCommands } from './commands/login.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addMemoryCommands } from './commands/memory.ts';
import { addMirrorCommands } from './commands/mirror.ts';
import { addPairCommand } from './commands/pair.ts';
import { addRulesCommands } from './commands/rules.ts';
import { addServersCommands } from './commands/servers.ts';
import { addServiceCommand } from './commands/service.ts';
import { addTokenCommands } from './commands/token.ts';
import { addToolsCommand } from './commands/tools.ts';
import { addUndoCommand } from './commands/undo.ts';
import { addUpCommand } from './commands/up.ts';
import { addExamples } from './examples.ts';
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
addPairCommand(program);
addConnectCommand(program);
addDeployCommand(program);
addDoctorCommand(program);
addServiceCommand(program);
addCallCommand(program);
addToolsCommand(program);
addMcpCommand(program);
addServersCommands(program);
addAskCommand(program);
addLoginCommands(program);
addTokenCommands(program);
addApprovalCommands(program);
addRulesCommands(program);
addLedgerCommand(program);
addMemoryCommands(program);
addMirrorCommands(program);
addUndoCommand(program);
addBackupCommands(program);
addConsoleCommand(program);
addCompletionsCommand(program);
addExamples(program);

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
