import type { Command } from 'commander';
import { pairedMachine } from '../../agent/pairing/machine-file.ts';
import { EXIT } from '../../lib/exit.ts';
import { gatewayUrl, webAddress } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { askForKey } from '../../lib/owner-key.ts';
import { printJson } from '../../lib/print.ts';
import { examine } from '../doctor/examine.ts';
import { firstFailure } from '../doctor/finding.ts';
import { herePorts } from '../doctor/here.ts';
import { asJson, printer, verdict } from '../doctor/report.ts';

interface Options {
  readonly owner?: boolean;
  readonly register?: boolean;
  readonly json?: boolean;
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('find out why Claude, ChatGPT or a machine does not work, and how to fix it')
    .argument('[url]', 'the gateway (default: the one this computer is signed in to or paired with)')
    .option(
      '--owner',
      'check as the owner, which shows more; asks for the key unless BOWLINE_OWNER_KEY is set',
    )
    .option('--register', 'also register as Claude and ChatGPT do; this leaves two unused apps behind')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      `
Without a sign-in it checks the address and the way to sign in; with one, also the tools, the mirror and
the machines; as the owner, everything. It changes nothing. As the owner, it makes a token for itself and
revokes it at the end.

Examples:
  bowline doctor
  bowline doctor https://bowline.example.workers.dev
  BOWLINE_OWNER_KEY=… bowline doctor --json`,
    )
    .action(doctor);
}

async function doctor(given: string | undefined, { owner, register, json }: Options): Promise<void> {
  const home = bowlineHome();
  const url =
    given === undefined ? (gatewayUrl() ?? gatewayPairedWith(home)) : webAddress(given, 'The address');
  const key = process.env.BOWLINE_OWNER_KEY || undefined;
  const ownerKey = owner && key === undefined ? await askForKey() : key;
  if (url === undefined && !json) {
    console.log(
      'No gateway is known, so this checks only this computer. To name one: bowline doctor <url>\n',
    );
  }
  const findings = await examine({
    ...(url === undefined ? {} : { url }),
    ownerKey,
    registers: register === true,
    here: herePorts(home),
    heard: json ? () => undefined : printer(console.log),
  });
  if (json) printJson(asJson(url, findings));
  else console.log(`\n${verdict(findings)}`);
  if (firstFailure(findings)) process.exitCode = EXIT.failed;
}

function gatewayPairedWith(home: string): string | undefined {
  const gateway = pairedMachine(home)?.gateway;
  return gateway === undefined ? undefined : new URL(gateway).origin;
}
