import type { Command } from 'commander';
import * as z from 'zod';
import { leftIn } from '../../../src/core/time-words.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done, printJson } from '../../lib/print.ts';
import { openLocalGate } from '../../local/gate/local-gate.ts';

interface Options {
  readonly all?: boolean;
  readonly local?: boolean;
  readonly json?: boolean;
}

const loanShape = z.looseObject({
  id: z.string(),
  client: z.string(),
  machine: z.string().nullable(),
  session: z.string(),
  endsAt: z.number(),
  sends: z.number(),
  last: z.array(z.looseObject({ typed: z.string(), outcome: z.string().nullable() })),
});
type ShownLoan = z.output<typeof loanShape>;
const listShape = z.object({ loans: z.array(loanShape) });
const takenShape = z.object({ taken_back: z.number() });

/** The lent terminals of a gateway, or of this computer. */
interface Lender {
  list(): Promise<readonly ShownLoan[]>;
  /** Takes one loan back, or all of them. Gives how many. */
  takeBack(id: string | undefined): Promise<number>;
}

export function addLoansCommands(program: Command): void {
  const loans = program
    .command('loans')
    .description('show the terminals that you lent, and take them back (as the owner)')
    .addHelpText(
      'after',
      '\nTo lend one: bowline approvals lend CODE, when a call to start it or to type into it waits.',
    );
  loans
    .command('list', { isDefault: true })
    .description('show the lent terminals, and what was typed into them last')
    .option('--local', 'those of this computer, without a gateway')
    .option('--json', 'print them as JSON')
    .action(list);
  loans
    .command('take-back')
    .description('take a lent terminal back at once: what is typed there asks you again')
    .argument('[id]', 'its id, as the list shows it')
    .option('--all', 'take back all lent terminals')
    .option('--local', 'those of this computer, without a gateway')
    .option('--json', 'print the outcome as JSON')
    .action(takeBack);
}

async function list({ local, json }: Options): Promise<void> {
  const loans = await atLender(local, (lender) => lender.list());
  if (json) return printJson({ loans });
  if (loans.length === 0) console.log('No terminal is lent.');
  for (const { id, client, machine, session, endsAt, sends, last } of loans) {
    const where = machine === null ? '' : ` on ${visibleLine(machine, 64)}`;
    console.log(
      `${visibleLine(id, 40)}  ${visibleLine(client, 60)} types into '${visibleLine(session, 40)}'${where}, ${leftIn(endsAt - Date.now())}`,
    );
    detail('Typed', sends === 1 ? 'once' : `${sends} times`);
    for (const { typed, outcome } of last)
      detail(visibleLine(outcome ?? 'runs', 40), visibleLine(typed, 200));
    detail('Take back', `bowline loans take-back ${visibleLine(id, 40)}${local ? ' --local' : ''}`);
    console.log();
  }
}

async function takeBack(id: string | undefined, { all = false, local, json }: Options): Promise<void> {
  if (all === (id !== undefined))
    throw new CliError('Name the loan to take back, or give --all.', undefined, EXIT.usage);
  const count = await atLender(local, (lender) => lender.takeBack(id));
  if (json) printJson({ taken_back: count });
  else if (count === 0) console.log('No terminal is lent.');
  else done(count === 1 ? 'Took the terminal back.' : `Took ${count} terminals back.`);
}

/** Acts at the gateway, or on this computer without one. */
async function atLender<T>(local: boolean | undefined, act: (lender: Lender) => Promise<T>): Promise<T> {
  if (!local)
    return asOwner(requiredGateway(), (owner) =>
      act({
        list: async () => listShape.parse(await owner.call('GET', 'loans')).loans,
        takeBack: async (id) => {
          const path = id === undefined ? 'loans' : `loans/${encodeURIComponent(id)}`;
          return takenShape.parse(await owner.call('DELETE', path)).taken_back;
        },
      }),
    );
  const gate = openLocalGate(bowlineHome());
  try {
    return await act({
      list: async () => listShape.parse({ loans: gate.now().loans.list(Date.now()) }).loans,
      takeBack: async (id) => {
        const count = gate.now().loans.end(id === undefined ? {} : { id }, Date.now());
        if (count === 0 && id !== undefined)
          throw new CliError('There is no such loan.', 'It may be over: see `bowline loans --local`.');
        return count;
      },
    });
  } finally {
    gate.close();
  }
}
