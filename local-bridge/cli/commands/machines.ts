import type { Command } from 'commander';
import { catalogue } from '../../../contracts/index.ts';
import { doorFailure } from '../../../src/core/failure.ts';
import { sandboxWords } from '../../../src/core/sandbox-names.ts';
import { CliError } from '../../lib/exit.ts';
import { callGateway } from '../../lib/gateway-client.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { localTime, zoneHere } from '../../lib/local-time.ts';
import { printJson } from '../../lib/print.ts';
import { printTable } from '../../lib/table.ts';

const contract = catalogue.list_machines;

export function addMachinesCommand(program: Command): void {
  program
    .command('machines')
    .description('list the machines behind the gateway, and the folders they open')
    .option('--json', 'print them as JSON')
    .action(list);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const result = await callGateway(requiredGateway(), contract, {});
  if (result.kind !== 'ok') {
    const failure = result.kind === 'failed' ? result.failure : doorFailure('approval_required');
    throw new CliError(failure.message, failure.suggestion);
  }
  const output = contract.output.parse(result.output);
  if (json) return printJson(output);
  if (output.machines.length === 0) {
    console.log('No machine is paired yet. Run `bowline pair <url>` on one.');
    return;
  }
  printTable(
    [
      { head: 'Machine' },
      { head: 'State' },
      { head: `Since (${zoneHere()})` },
      { head: 'Version' },
      { head: 'Sandbox' },
      { head: 'Folders', gives: true },
    ],
    output.machines.map(({ name, online, since, version, sandbox, roots }) => [
      name,
      online ? 'online' : 'offline',
      localTime(Date.parse(since)),
      version ?? 'never connected',
      sandboxWords(sandbox).words,
      roots.map((root) => `${root.name} (${root.path})`).join(', '),
    ]),
  );
  for (const { name, sandbox } of output.machines) {
    const { words, hint } = sandboxWords(sandbox);
    if (hint !== undefined) console.log(`${name}: ${words}. ${hint}`);
  }
}
