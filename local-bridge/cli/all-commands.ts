import type { Command } from 'commander';
import { addExamples } from './examples.ts';

type AddCommand = (program: Command) => void;

const signIn = async () => (await import('./commands/login.ts')).addLoginCommands;
const backups = async () => (await import('./commands/backup.ts')).addBackupCommands;

/** Each command by the word that asks for it, in the order of the help. Loading all of them takes most of a second. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  up: async () => (await import('./commands/up.ts')).addUpCommand,
  pair: async () => (await import('./commands/pair.ts')).addPairCommand,
  connect: async () => (await import('./commands/connect.ts')).addConnectCommand,
  deploy: async () => (await import('./commands/deploy.ts')).addDeployCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  service: async () => (await import('./commands/service.ts')).addServiceCommand,
  call: async () => (await import('./commands/call.ts')).addCallCommand,
  tools: async () => (await import('./commands/tools.ts')).addToolsCommand,
  mcp: async () => (await import('./commands/mcp.ts')).addMcpCommand,
  servers: async () => (await import('./commands/servers.ts')).addServersCommands,
  ask: async () => (await import('./commands/ask.ts')).addAskCommand,
  login: signIn,
  logout: signIn,
  token: async () => (await import('./commands/token.ts')).addTokenCommands,
  approvals: async () => (await import('./commands/approvals.ts')).addApprovalCommands,
  rules: async () => (await import('./commands/rules.ts')).addRulesCommands,
  ledger: async () => (await import('./commands/ledger.ts')).addLedgerCommand,
  memory: async () => (await import('./commands/memory.ts')).addMemoryCommands,
  mirror: async () => (await import('./commands/mirror.ts')).addMirrorCommands,
  undo: async () => (await import('./commands/undo.ts')).addUndoCommand,
  backup: backups,
  restore: backups,
  console: async () => (await import('./commands/console.ts')).addConsoleCommand,
  completions: async () => (await import('./commands/completions.ts')).addCompletionsCommand,
};

/** A shell's completions are made from all commands. */
const NEEDS_ALL = new Set(['completions']);

/** Words that are answered without any command. */
const ALONE = new Set(['-v', '--version']);

/** Adds the command that `word` asks for. Adds all of them for the help, and for the hint after an unknown word. */
export async function addCommands(program: Command, word: string | undefined): Promise<void> {
  if (word !== undefined && ALONE.has(word)) return;
  const asked = word !== undefined && !NEEDS_ALL.has(word) && Object.hasOwn(COMMANDS, word) && COMMANDS[word];
  const loads = asked ? [asked] : new Set(Object.values(COMMANDS));
  for (const add of await Promise.all(Array.from(loads, (load) => load()))) add(program);
  addExamples(program);
}
