import { type Command, Option } from 'commander';
import { pairedMachine } from '../../agent/pairing/machine-file.ts';
import { checkKeyIsThere, machineKey } from '../../agent/pairing/machine-key.ts';
import { rootsFrom } from '../../agent/policy/roots.ts';
import { bridgeSettings } from '../../agent/policy/settings.ts';
import { watchApprovals } from '../../agent/prompt/approvals.ts';
import { openTerminalPrompt, type TerminalPrompt } from '../../agent/prompt/terminal.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';
import { signInAsOwner } from '../../lib/owner-client.ts';
import { askForKey } from '../../lib/owner-key.ts';
import { complain } from '../../lib/print.ts';
import { isRealTerminal } from '../../lib/real-terminal.ts';
import { runBridge } from '../service/bridge.ts';
import { collect } from './collect.ts';

interface Options {
  readonly root: string[];
  readonly settings?: string;
  readonly approvals: boolean;
  readonly closed: string[];
}

export function addConnectCommand(program: Command): void {
  program
    .command('connect')
    .description('connect this machine to its gateway, and stay connected')
    .option(
      '--root <folder>',
      'a folder to open, as <folder> or <name>=<folder>; repeat it for more',
      collect,
      [],
    )
    .option('--settings <file>', 'the settings of this machine (default: bridge.json in the Bowline home)')
    .addOption(
      new Option('--closed <path>', 'a folder or file that stays closed to tools')
        .argParser(collect)
        .default([])
        .hideHelp(),
    )
    .option('--no-approvals', 'do not offer to answer approvals in this terminal')
    .addHelpText(
      'after',
      '\nExamples:\n  bowline connect --root ~/projects/site\n  bowline connect --root site=~/projects/site --root notes=~/notes',
    )
    .action(connect);
}

async function connect({ root, settings: file, approvals, closed }: Options): Promise<void> {
  const home = bowlineHome();
  const settings = bridgeSettings(home, file);
  const roots = rootsFrom(root, settings);
  const machine = pairedMachine(home);
  if (!machine) {
    throw new CliError('This machine is not paired yet.', 'Run `bowline pair <url>` first.', EXIT.usage);
  }
  checkKeyIsThere(home);
  const key = machineKey(home);
  const signingIn = ownerKeyFrom(process.env);
  let terminal: TerminalPrompt | undefined;
  const over = new AbortController();
  try {
    const owner = approvals && isRealTerminal() ? await signIn(machine.gateway, signingIn) : undefined;
    if (isRealTerminal()) terminal = openTerminalPrompt();
    const watching = owner && terminal ? watchApprovals(owner, terminal.prompt, over.signal) : undefined;
    await runBridge({
      home,
      machine,
      key,
      roots,
      settings,
      settingsFile: file,
      closed,
      prompt: terminal?.prompt,
    });
    over.abort();
    await watching;
    // If the gateway is out of reach, the session ends by itself.
    await owner?.signOut().catch((error: unknown) => complain(String(error)));
  } finally {
    over.abort();
    terminal?.close();
  }
  // Exit now: a socket that closes slowly would keep this process alive after it said that it stopped.
  process.exit(EXIT.done);
}

/** Takes the key out of the environment at once, because everything that tools start here inherits the environment. */
function ownerKeyFrom(environment: NodeJS.ProcessEnv): string | undefined {
  const key = environment.BOWLINE_OWNER_KEY || undefined;
  delete environment.BOWLINE_OWNER_KEY;
  delete environment.BOWLINE_TOKEN;
  return key;
}

/** Signs the owner in, if they want to answer approvals where the bridge runs. */
async function signIn(gateway: string, key: string | undefined) {
  const typed =
    key ?? (await askForKey('Owner key, to answer approvals here (not shown; Enter skips this): '));
  if (typed.trim() === '') return undefined;
  try {
    return await signInAsOwner(gateway, typed);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // The bridge must run even while its gateway is down. Answering approvals here is only a convenience.
    complain(error.message, 'The bridge runs, but this terminal shows no approvals.');
    return undefined;
  }
}
