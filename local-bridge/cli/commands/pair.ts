import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { machineName } from '../../../contracts/machine-fields.ts';
import { visible } from '../../../src/core/visible.ts';
import { dropJournal } from '../../agent/link/drop-journal.ts';
import { defaultMachineName } from '../../agent/pairing/default-name.ts';
import { pairedMachine } from '../../agent/pairing/machine-file.ts';
import { type PairingShown, pairMachine } from '../../agent/pairing/pair.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done, printJson } from '../../lib/print.ts';

interface Options {
  readonly name: string;
  readonly confirm?: boolean;
  readonly replace?: boolean;
  readonly json?: boolean;
}

export function addPairCommand(program: Command): void {
  program
    .command('pair')
    .description('pair this machine with a gateway, after its owner confirms')
    .argument('[url]', 'the address of the gateway (default: BOWLINE_URL, or the one signed in to)')
    .option(
      '--name <name>',
      'the name of the machine (default: the name of this computer)',
      nameIn,
      defaultMachineName(),
    )
    .option('--confirm', 'confirm it here with the owner key')
    .option('--replace', 'make this computer the machine, in place of another copy of its folder')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  bowline pair https://bowline.example.workers.dev --name mini\n  bowline pair --confirm',
    )
    .action(pair);
}

async function pair(given: string | undefined, { name, confirm, replace, json }: Options): Promise<void> {
  const url = requiredGateway(given);
  const home = bowlineHome();
  const before = pairedMachine(home);
  if (replace && before?.gateway !== url) {
    throw new CliError(
      `This computer is not paired with ${url} yet.`,
      'Pair it without --replace.',
      EXIT.usage,
    );
  }
  const machine = await pairMachine({
    url,
    home,
    name,
    onCode: (shown) => (confirm ? confirmAsOwner(url, shown) : showCode(url, shown)),
  });
  // A new journal tells the gateway that this is the machine from now on.
  if (replace) dropJournal(join(home, 'link'));
  if (json) return printJson({ gateway: url, machine });
  const shown = visible(machine.name, 64);
  done(
    replace
      ? `This computer is ${shown} now. The other copy stops when this one connects.`
      : `Paired with ${url} as ${shown}.`,
  );
  if (before && before.gateway !== url) detail('No longer serves', before.gateway);
  detail('Next', 'bowline connect --root <folder>');
}

function showCode(url: string, { code, fingerprint, expiresAt }: PairingShown): void {
  const minutes = Math.max(1, Math.round((expiresAt - Date.now()) / 60_000));
  // Print this on standard error, because programs read the outcome from standard output.
  console.error(`Compare these two in the console, and confirm there:
  Code: ${code}
  Fingerprint: ${fingerprint}
  Open: ${url}/machines/pair?code=${code}
Waiting for up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. Ctrl-C gives up.`);
}

/** Confirms as the owner, who is at this terminal. The gateway confirms exactly what this machine shows. */
async function confirmAsOwner(url: string, { code, fingerprint }: PairingShown): Promise<void> {
  await asOwner(url, (owner) =>
    owner.call('POST', `machines/pair/${code}`, { decision: 'confirm', fingerprint }),
  );
}

function nameIn(text: string): string {
  const name = machineName.safeParse(text);
  if (name.success) return name.data;
  throw new InvalidArgumentError('A name has letters, digits, dots, dashes and underscores, 64 at most.');
}
