import { Command, CommanderError } from 'commander';
import { errorText } from '../src/core/error-text.ts';
import { VERSION } from '../src/core/version.ts';
import { addApprovalCommands } from './cli/commands/approvals.ts';
import { addAskCommand } from './cli/commands/ask.ts';
import { addBackupCommands } from './cli/commands/backup.ts';
import { addCallCommand } from './cli/commands/call.ts';
import { addCompletionsCommand } from './cli/commands/completions.ts';
import { addConnectCommand } from './cli/commands/connect.ts';
import { addConsoleCommand } from './cli/commands/console.ts';
import { addDeployCommand } from './cli/commands/deploy.ts';
import { addDoctorCommand } from './cli/commands/doctor.ts';
import { addLedgerCommand } from './cli/commands/ledger.ts';
import { addLoginCommands } from './cli/commands/login.ts';
import { addMcpCommand } from './cli/commands/mcp.ts';
import { addMemoryCommands } from './cli/commands/memory.ts';
import { addMirrorCommands } from './cli/commands/mirror.ts';
import { addPairCommand } from './cli/commands/pair.ts';
import { addRulesCommands } from './cli/commands/rules.ts';
import { addServersCommands } from './cli/commands/servers.ts';
import { addServiceCommand } from './cli/commands/service.ts';
import { addTokenCommands } from './cli/commands/token.ts';
import { addToolsCommand } from './cli/commands/tools.ts';
import { addUndoCommand } from './cli/commands/undo.ts';
import { addUpCommand } from './cli/commands/up.ts';
import { addExamples } from './cli/examples.ts';
import { CliError, EXIT } from './lib/exit.ts';
import { complain } from './lib/print.ts';

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
  // Commander has already printed its own error, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CliError) {
    complain(error.message, error.suggestion);
    return error.exitCode;
  }
  complain(errorText(error));
  // A stack helps only those who repair Bowline.
  if (process.env.BOWLINE_DEBUG) console.error(error);
  return EXIT.failed;
}
