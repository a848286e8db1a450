import type { Command } from 'commander';
import { openInBrowser } from '../../lib/browser.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { detail, printJson } from '../../lib/print.ts';
import { qrCode } from '../../lib/qr.ts';

export function addConsoleCommand(program: Command): void {
  program
    .command('console')
    .description('show where the console is, with a code for your phone’s camera')
    .argument('[url]', 'the gateway (default: the one you are signed in to)')
    .option('--open', 'open it in the browser')
    .option('--json', 'print the address as JSON')
    .addHelpText(
      'after',
      `
A gateway of \`bowline up\` answers this computer alone, so it has no code: for a phone, its cookies and your owner key
would cross the network unencrypted. You can reach a deployed gateway from anywhere.

Examples:
  bowline console
  bowline console https://bowline.example.workers.dev --open`,
    )
    .action(show);
}

function show(given: string | undefined, { open, json }: { open?: boolean; json?: boolean }): void {
  const url = requiredGateway(given);
  const address = `${url}/`;
  if (json) printJson({ console: address });
  else detail('Console', address);
  if (!json && new URL(url).protocol === 'https:') process.stdout.write(qrCode(address));
  if (open) openInBrowser(address);
}
