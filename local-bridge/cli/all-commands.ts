import type { Command } from 'commander';
import { addExamples } from './examples.ts';

type AddCommand = (program: Command) => void;

const signIn = async () => (await import('./commands/login.ts')).addLoginCommands;
const standings = async () => (await import('./commands/status.ts')).addStatusCommands;
const backups = async () => (await import('./commands/backup.ts')).addBackupCommands;

/**
 * The commands by name, in the order of the help. Each loads on demand, because all of them together take most of a
 * second.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  up: async () => (await import('./commands/up.ts')).addUpCommand,
  status: standings,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  console: async () => (await import('./commands/console.ts')).addConsoleCommand,
  logs: async () => (await import('./commands/logs.ts')).addLogsCommand,
  call: async () => (await import('./commands/call.ts')).addCallCommand,
  tools: async () => (await import('./commands/tools.ts')).addToolsCommand,
  ask: async () => (await import('./commands/ask.ts')).addAskCommand,
  mcp: async () => (await import('./commands/mcp.ts')).addMcpCommand,
  undo: async () => (await import('./commands/undo.ts')).addUndoCommand,
  approvals: async () => (await import('./commands/approvals.ts')).addApprovalCommands,
  groups: async () => (await import('./commands/groups.ts')).addGroupsCommands,
  loans: async () => (await import('./commands/loans.ts')).addLoansCommands,
  rules: async () => (await import('./commands/rules.ts')).addRulesCommands,
  ledger: async () => (await import('./commands/ledger.ts')).addLedgerCommand,
  memory: async () => (await import('./commands/memory.ts')).addMemoryCommands,
  mirror: async () => (await import('./commands/mirror.ts')).addMirrorCommands,
  servers: async () => (await import('./commands/servers.ts')).addServersCommands,
  token: async () => (await import('./commands/token.ts')).addTokenCommands,
  pair: async () => (await import('./commands/pair.ts')).addPairCommand,
  connect: async () => (await import('./commands/connect.ts')).addConnectCommand,
  machines: async () => (await import('./commands/machines.ts')).addMachinesCommand,
  service: async () => (await import('./commands/service.ts')).addServiceCommand,
  login: signIn,
  logout: signIn,
  whoami: standings,
  deploy: async () => (await import('./commands/deploy.ts')).addDeployCommand,
  backup: backups,
  restore: backups,
  completions: async () => (await import('./commands/completions.ts')).addCompletionsCommand,
};

/** The headings of the help, and the commands below each. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Start and look:': ['up', 'status', 'doctor', 'console', 'logs'],
  'Use the tools:': ['call', 'tools', 'ask', 'mcp', 'undo'],
  'Decide as the owner:': [
    'approvals',
    'loans',
    'rules',
    'groups',
    'ledger',
    'memory',
    'mirror',
    'servers',
    'token',
  ],
  'Machines:': ['pair', 'connect', 'machines', 'service'],
  'Sign in, and keep it running:': [
    'login',
    'logout',
    'whoami',
    'deploy',
    'backup',
    'restore',
    'completions',
  ],
};

/** A shell's completions are made from all commands. */
const NEEDS_ALL = new Set(['completions']);

/** The options that need no command. */
const ALONE = new Set(['-v', '--version']);

/**
 * Lets `bowline <tool>` mean `bowline call <tool>`. It looks for a command first, because the list of tools is slow
 * to load.
 */
export async function asCall(argv: readonly string[]): Promise<string[]> {
  const [node = '', bowline = '', word = '', ...rest] = argv;
  const isTool =
    /^[a-z]\w*$/.test(word) &&
    word !== 'help' &&
    !Object.hasOwn(COMMANDS, word) &&
    (await import('./tool-names.ts')).isToolName(word);
  return isTool ? [node, bowline, 'call', word, ...rest] : [...argv];
}

/** Adds the command that `word` asks for. Adds all of them for the help, and for the hint after an unknown word. */
export async function addCommands(program: Command, word: string | undefined): Promise<void> {
  if (word !== undefined && ALONE.has(word)) return;
  const asked = word !== undefined && !NEEDS_ALL.has(word) && Object.hasOwn(COMMANDS, word) && COMMANDS[word];
  const loads = asked ? [asked] : new Set(Object.values(COMMANDS));
  for (const add of new Set(await Promise.all(Array.from(loads, (load) => load())))) add(program);
  // One file may add commands of several groups, and the help shows groups in the order of their first commands.
  const order = Object.keys(COMMANDS);
  (program.commands as Command[]).sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
  for (const [heading, words] of Object.entries(GROUPS)) {
    for (const command of program.commands) if (words.includes(command.name())) command.helpGroup(heading);
  }
  addExamples(program);
}
