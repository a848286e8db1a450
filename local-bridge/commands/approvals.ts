import type { Command } from 'commander';
import * as z from 'zod';
import { CliError } from '../exit.ts';
import { requiredGateway } from '../gateway-url.ts';
import { done, printJson } from '../print.ts';
import { asOwner } from '../sign-in/owner-key.ts';

const approvalShape = z.looseObject({
  code: z.string(),
  tool: z.string(),
  client: z.string(),
  state: z.string(),
  expiresAt: z.number(),
  text: z.string(),
});
const listShape = z.object({ approvals: z.array(approvalShape) });
const decidedShape = z.looseObject({ state: z.string(), rule: z.string().optional() });

export function addApprovalCommands(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('decide about calls that wait for the owner (as the owner)')
    .addHelpText('after', '\nExamples:\n  bowline approvals\n  bowline approvals approve K7QX-3M9D');
  approvals
    .command('list', { isDefault: true })
    .description('show the calls that wait')
    .option('--all', 'show decided and expired ones of the last day too')
    .option('--json', 'print them as JSON')
    .action(list);
  for (const [name, description] of [
    ['approve', 'let a call run once'],
    ['deny', 'refuse a call'],
    ['always', 'let a call run, and write the narrowest rule that lets it run again'],
  ] as const) {
    approvals
      .command(name)
      .description(description)
      .argument('<code>', 'the code that the call was given')
      .option('--json', 'print the outcome as JSON')
      .action((code: string, options: { json?: boolean }) => decide(code, name, options));
  }
}

async function list({ all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  const path = all ? 'approvals' : 'approvals?state=pending';
  const { approvals } = listShape.parse(await asOwner(requiredGateway(), (owner) => owner.call('GET', path)));
  if (json) return printJson({ approvals });
  if (approvals.length === 0) console.log('Nothing waits for you.');
  for (const approval of approvals) {
    const minutes = Math.max(0, Math.round((approval.expiresAt - Date.now()) / 60_000));
    const until = approval.state === 'pending' ? `, for ${minutes} more minutes` : '';
    // The gate escaped what strangers wrote in it.
    console.log(`${approval.code}  ${approval.state}${until}\n${indented(approval.text)}\n`);
  }
}

async function decide(code: string, decision: string, { json }: { json?: boolean }): Promise<void> {
  const path = `approvals/${encodeURIComponent(code)}`;
  const answer = await asOwner(requiredGateway(), (owner) => owner.call('POST', path, { decision }));
  const decided = decidedShape.safeParse(answer);
  if (!decided.success) throw new CliError('The gateway answered in a way this version does not understand.');
  if (json) return printJson(decided.data);
  done(decision === 'deny' ? `Refused ${code}.` : `Approved ${code}; it runs when the call comes back.`);
  if (decided.data.rule) console.log(`  Rule: ${decided.data.rule}`);
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
