import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { visible } from '../../src/core/visible.ts';
import { requiredGateway } from '../gateway-url.ts';
import { printJson } from '../print.ts';
import { asOwner } from '../sign-in/owner-key.ts';

const pageShape = z.object({
  entries: z.array(
    z.looseObject({
      seq: z.number(),
      at: z.number(),
      client: z.string(),
      tool: z.string(),
      decision: z.string(),
      outcome: z.string().nullable(),
      code: z.string().nullable(),
      durationMs: z.number().nullable(),
    }),
  ),
  next: z.number().nullable(),
  /** Refused calls of the last day that have no rows; with the first page. */
  counted: z
    .array(z.object({ principal: z.string(), tool: z.string(), code: z.string(), count: z.number() }))
    .optional(),
});

export function addLedgerCommand(program: Command): void {
  program
    .command('ledger')
    .description('show what was called, newest first (as the owner)')
    .option('--tool <name>', 'only calls of one tool')
    .option('--outcome <outcome>', 'only those that ended so: ok, failed, asked, running')
    .option('--limit <n>', 'how many, up to 200', atMost200, 30)
    .option('--before <n>', 'those before a number, to go on where a page ended', Number)
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  bowline ledger\n  bowline ledger --tool run_in_terminal --outcome failed',
    )
    .action(show);
}

interface Options {
  readonly tool?: string;
  readonly outcome?: string;
  readonly limit: number;
  readonly before?: number;
  readonly json?: boolean;
}

async function show({ json, ...filter }: Options): Promise<void> {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  const page = pageShape.parse(
    await asOwner(requiredGateway(), (owner) => owner.call('GET', `ledger?${query}`)),
  );
  if (json) return printJson(page);
  if (page.entries.length === 0) console.log('No calls.');
  for (const entry of page.entries) {
    const when = new Date(entry.at).toISOString().slice(0, 19).replace('T', ' ');
    const end = entry.outcome ? `${entry.outcome}${entry.code ? ` (${entry.code})` : ''}` : 'running';
    const took = entry.durationMs === null ? '' : `, ${entry.durationMs} ms`;
    console.log(
      `${entry.seq}  ${when}  ${entry.tool}  ${end}${took}  ${entry.decision}, by ${visible(entry.client, 60)}`,
    );
  }
  for (const { principal, tool, code, count } of page.counted ?? []) {
    const who = visible(principal, 60);
    console.log(`${count} more calls of ${tool} by ${who} were refused in the last day (${code})`);
  }
  if (page.next !== null) console.log(`More with --before ${page.next}`);
}

function atMost200(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 200) return count;
  throw new InvalidArgumentError('It is a number from 1 to 200.');
}
