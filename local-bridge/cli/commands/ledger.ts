import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { visibleLine } from '../../../src/core/visible.ts';
import { saidBy } from '../../../src/gate/ledger-said.ts';
import { countedWords, decisionWords, outcomeWords } from '../../../src/gate/outcome-words.ts';
import { EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { localTime, zoneHere } from '../../lib/local-time.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { complain, done, printJson } from '../../lib/print.ts';
import { printTable } from '../../lib/table.ts';
import { openLocalGate } from '../../local/gate/local-gate.ts';
import { type ArchiveSource, archiveAtGateway, verifyArchive } from '../ledger/verify.ts';
import { keepWitness, LEDGER, witnessOf } from '../memory/witness.ts';

const pageShape = z.object({
  entries: z.array(
    z.looseObject({
      seq: z.number(),
      at: z.number(),
      client: z.string(),
      tool: z.string(),
      decision: z.string(),
      because: z.string(),
      machine: z.string().nullable(),
      args: z.string(),
      waitedMs: z.number().optional(),
      files: z.array(z.string()).optional(),
      filesTotal: z.number().optional(),
      outcome: z.string().nullable(),
      code: z.string().nullable(),
      durationMs: z.number().nullable(),
    }),
  ),
  next: z.number().nullable(),
  /** Calls of the last day that are only counted, without rows. Only the first page has them. */
  counted: z
    .array(z.object({ principal: z.string(), tool: z.string(), code: z.string(), count: z.number() }))
    .optional(),
  /** Calls that are in the archive and cannot be read there. */
  missing: z.array(z.string()).optional(),
});

export function addLedgerCommand(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('show the calls, newest first (as the owner)')
    .option('--tool <name>', 'only calls of one tool')
    .option(
      '--outcome <outcome>',
      'only calls with this outcome: ok, failed, asked (they waited for you), running',
    )
    .option('--limit <n>', 'how many calls, up to 200', atMost200, 30)
    .option('--before <n>', 'only calls before this number, to continue after a page', Number)
    .option('--local', 'those of this computer, made without a gateway')
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  bowline ledger\n  bowline ledger --tool run_in_terminal --outcome failed',
    )
    .action(show);
  ledger
    .command('verify')
    .description('check the archive of old calls: chain, signatures, contents, and what this computer saw')
    .option('--local', 'check the archive of this computer, made without a gateway')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      '\nExits with 0 if all is well, and with 1 if something was changed or is missing.\n\nExample:\n  bowline ledger verify',
    )
    // `ledger` has options of the same names, and takes them wherever they stand.
    .action((_, command: Command) => verify(command.optsWithGlobals()));
}

interface Options {
  readonly tool?: string;
  readonly outcome?: string;
  readonly limit: number;
  readonly before?: number;
  readonly local?: boolean;
  readonly json?: boolean;
}

async function show({ json, local, ...filter }: Options): Promise<void> {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  const page = pageShape.parse(
    local
      ? await atLocalGate((gate) => gate.ledger.page(filter))
      : await asOwner(requiredGateway(), (owner) => owner.call('GET', `ledger?${query}`)),
  );
  if (json) return printJson(page);
  if (page.entries.length === 0) console.log(page.next === null ? 'No calls.' : 'No matching calls so far.');
  else printCalls(page.entries);
  for (const { principal, tool, code, count } of page.counted ?? []) {
    const who = visibleLine(principal, 60);
    const ended = code === 'ok' ? 'succeeded' : 'were refused';
    console.log(
      `${count} more calls of ${tool} by ${who} ${ended} in the last day (${visibleLine(countedWords(code).words, 60)})`,
    );
  }
  for (const problem of page.missing ?? []) complain(problem);
  if (page.next !== null) console.log(`For more, add --before ${page.next}`);
}

type Entry = z.infer<typeof pageShape>['entries'][number];

function printCalls(entries: readonly Entry[]): void {
  printTable(
    [
      { head: '#', isNumber: true },
      { head: `When (${zoneHere()})` },
      { head: 'Tool' },
      { head: 'What', gives: true },
      { head: 'Machine' },
      { head: 'Outcome' },
      { head: 'Took', isNumber: true },
      { head: 'Why' },
      { head: 'By' },
    ],
    entries.map((entry) => [
      `${entry.seq}`,
      localTime(entry.at),
      entry.tool,
      whatOf(entry),
      visibleLine(entry.machine ?? '', 64),
      outcomeWords(entry).words,
      entry.durationMs === null ? '' : `${entry.durationMs} ms`,
      whyOf(entry),
      visibleLine(entry.client, 60),
    ]),
  );
}

/** Says what a call was about, and which files it affected if it named no single one. */
function whatOf({ args, files, filesTotal = 0 }: Entry): string {
  const said = saidBy(args, 100);
  if (!files || files.join() === said) return said;
  const more = filesTotal - files.length;
  const affected = `affected ${visibleLine(files.join(', '), 300)}${more > 0 ? ` and ${more} more` : ''}`;
  return said === '' ? affected : `${said} (${affected})`;
}

function whyOf(entry: Entry): string {
  const { decision, because } = decisionWords(entry);
  const waited = entry.waitedMs === undefined ? '' : ` after ${Math.ceil(entry.waitedMs / 1_000)} s`;
  return `${decision}${waited}${because === undefined ? '' : ` (${visibleLine(because, 60)})`}`;
}

async function verify({ local, json }: { local?: boolean; json?: boolean }): Promise<void> {
  const place = local ? 'this computer' : requiredGateway();
  const check = (source: ArchiveSource) => verifyArchive(source, witnessOf(place, LEDGER));
  const verdict = local
    ? await atLocalGate((gate) => check(gate.ledger))
    : await asOwner(place, (owner) => check(archiveAtGateway(owner)));
  const { pieces, calls, signed, problems, head, key } = verdict;
  if (json) printJson({ pieces, calls, signed, problems });
  else if (problems.length === 0)
    done(`${calls} calls in ${pieces} pieces, unbroken; ${signed} pieces are signed.`);
  else for (const problem of problems) complain(problem);
  // Remember only a log without problems, so that a damaged one is never trusted later.
  if (problems.length === 0) keepWitness(place, { seq: pieces, head, key, signed }, LEDGER);
  process.exitCode = problems.length === 0 ? EXIT.done : EXIT.failed;
}

async function atLocalGate<T>(act: (gate: ReturnType<typeof openLocalGate>) => Promise<T>): Promise<T> {
  const gate = openLocalGate(bowlineHome());
  try {
    return await act(gate);
  } finally {
    gate.close();
  }
}

function atMost200(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 200) return count;
  throw new InvalidArgumentError('Give a number from 1 to 200.');
}
