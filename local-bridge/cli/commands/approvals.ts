import type { Command } from 'commander';
import * as z from 'zod';
import { visible } from '../../../src/core/visible.ts';
import type { Gate } from '../../../src/gate/gate.ts';
import { isRealTerminal } from '../../agent/prompt/terminal.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { done, printJson } from '../../lib/print.ts';
import { openLocalGate } from '../../local/gate/local-gate.ts';

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
    .option('--local', 'those of this computer, made without a gateway')
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
      .option('--local', 'a call made on this computer, without a gateway; only in a real terminal')
      .option('--json', 'print the outcome as JSON')
      .action((code: string, options: Options) => decide(code, name, options));
  }
}

interface Options {
  readonly all?: boolean;
  readonly local?: boolean;
  readonly json?: boolean;
}

async function list({ all, local, json }: Options): Promise<void> {
  const path = all ? 'approvals' : 'approvals?state=pending';
  const { approvals } = local
    ? { approvals: atLocalGate((gate) => gate.approvals(all ? undefined : 'pending')) }
    : listShape.parse(await asOwner(requiredGateway(), (owner) => owner.call('GET', path)));
  if (json) return printJson({ approvals });
  if (approvals.length === 0) console.log('Nothing waits for you.');
  for (const approval of approvals) {
    const minutes = Math.max(0, Math.round((approval.expiresAt - Date.now()) / 60_000));
    const until = approval.state === 'pending' ? `, for ${minutes} more minutes` : '';
    // The gate spelt out what does not show; an older one knew of less.
    const head = visible(`${approval.code}  ${approval.state}${until}`);
    console.log(`${head}\n${indented(visible(approval.text))}\n`);
  }
}

interface Decided {
  readonly state: string;
  readonly rule?: string | undefined;
}

type Decision = 'approve' | 'deny' | 'always';

async function decide(code: string, decision: Decision, options: Options): Promise<void> {
  const decided = options.local ? decideHere(code, decision) : await decideAtGateway(code, decision);
  if (options.json) return printJson(decided);
  done(decision === 'deny' ? `Refused ${code}.` : `Approved ${code}; it runs when the call comes back.`);
  if (decided.rule) console.log(`  Rule: ${visible(decided.rule)}`);
}

async function decideAtGateway(code: string, decision: Decision): Promise<Decided> {
  const path = `approvals/${encodeURIComponent(code)}`;
  const answer = await asOwner(requiredGateway(), (owner) => owner.call('POST', path, { decision }));
  const decided = decidedShape.safeParse(answer);
  if (!decided.success) throw new CliError('The gateway answered in a way this version does not understand.');
  return decided.data;
}

function decideHere(code: string, decision: Decision): Decided {
  if (!isRealTerminal(process.stderr)) {
    throw new CliError(
      'Without a gateway, calls are decided about in a real terminal.',
      'Run this in a terminal of your own, not from a program.',
      EXIT.approval,
    );
  }
  const outcome = atLocalGate((gate) => gate.decide(code, decision, 'the person at this computer', true));
  if (!('refused' in outcome)) return outcome;
  throw new CliError(
    outcome.message || `No call waits under the code ${code}.`,
    '`bowline approvals --local` lists what waits.',
  );
}

function atLocalGate<T>(act: (gate: Gate) => T): T {
  const gate = openLocalGate(bowlineHome());
  try {
    return act(gate.now());
  } finally {
    gate.close();
  }
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
