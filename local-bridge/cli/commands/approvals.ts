import { type Command, Option } from 'commander';
import { leftIn } from '../../../src/core/time-words.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { NARROWEST, type Reach } from '../../../src/gate/always.ts';
import { approvalLines, foldedText, sentenceLine } from '../../../src/gate/approval-lines.ts';
import { withoutPrompt } from '../../../src/gate/approval-text.ts';
import { MAX_NOTE_CHARS } from '../../../src/gate/messages.ts';
import { LASTS, WIDTHS } from '../../../src/gate/rules/rule-widths.ts';
import { asAskedCall, type ShownApproval } from '../../agent/prompt/approval-shape.ts';
import { confirmHere } from '../../agent/prompt/confirm.ts';
import { LENT } from '../../agent/prompt/decide-at.ts';
import { type Decided, type Desk, deskAt } from '../../agent/prompt/desk.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { complain, detail, done, printJson, screenOf } from '../../lib/print.ts';
import { isRealTerminal } from '../../lib/real-terminal.ts';
import { deskHere } from '../../local/gate/desk-here.ts';
import { openLocalGate } from '../../local/gate/local-gate.ts';

interface Options {
  readonly all?: boolean;
  readonly because?: string;
  readonly local?: boolean;
  readonly json?: boolean;
}

interface AlwaysOptions {
  readonly width: Reach['width'];
  readonly for: Reach['lasts'];
}

export function addApprovalCommands(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('decide calls that wait for the owner (as the owner)')
    .addHelpText(
      'after',
      '\nExamples:\n  bowline approvals\n  bowline approvals show K7QX-3M9D\n  bowline approvals approve K7QX-3M9D',
    );
  approvals
    .command('list', { isDefault: true })
    .description('show the calls that wait')
    .option('--all', 'also show those decided or expired in the last day')
    .option('--local', 'those of this computer, made without a gateway')
    .option('--json', 'print them as JSON')
    .action(list);
  approvals
    .command('show')
    .description('show everything about one call: its diff or command, what is unusual, every argument')
    .argument('<code>', 'the code of the call')
    .option('--local', 'a call made on this computer, without a gateway')
    .option('--json', 'print it as JSON')
    .action(show);
  withDecisionOptions(approvals.command('approve').description('approve calls, each once'))
    .argument('<codes...>', 'the codes of the calls')
    .action(approve);
  approvals
    .command('run')
    .description('approve a call and run it now; its caller gets the outcome when it asks again')
    .argument('<code>', 'the code of the call')
    .option('--json', 'print the outcome as JSON')
    .action(runNow);
  withDecisionOptions(
    approvals.command('always').description('approve a call, and create a rule for others like it'),
  )
    .argument('<code>', 'the code of the call')
    .addOption(
      new Option('--width <width>', 'which calls the rule covers; `show` explains each width')
        .choices(WIDTHS)
        .default(NARROWEST.width),
    )
    .addOption(
      new Option('--for <time>', 'how long the rule lasts')
        .choices(Object.keys(LASTS))
        .default(NARROWEST.lasts),
    )
    .action((code: string, options: Options & AlwaysOptions) =>
      decideOne(code, 'always', options, { width: options.width, lasts: options.for }),
    );
  withDecisionOptions(
    approvals
      .command('lend')
      .description('let a call run, and for an hour whatever its caller types into that lasting terminal'),
  )
    .argument('<code>', 'the code of a call that starts a lasting terminal, or types into one')
    .action((code: string, options: Options) => decideOne(code, 'lend', options));
  withDecisionOptions(approvals.command('deny').description('deny calls'))
    .argument('[codes...]', 'the codes of the calls')
    .option('--because <sentence>', 'tell the caller why, or what to do instead')
    .option('--all', 'deny all waiting calls, after a question in a real terminal')
    .action(deny);
}

function withDecisionOptions(command: Command): Command {
  return command
    .option('--local', 'a call made on this computer, without a gateway; only in a real terminal')
    .option('--json', 'print the outcome as JSON');
}

async function list({ all, local, json }: Options): Promise<void> {
  const approvals = await atDesk({ local }, (desk) => desk.list(all ? undefined : 'pending'));
  if (json) return printJson({ approvals });
  if (approvals.length === 0) console.log('Nothing waits for you.');
  for (const approval of approvals) console.log(`${listed(approval)}\n`);
  if (approvals.length > 0) console.log('`bowline approvals show CODE` shows everything about one.');
}

function listed(approval: ShownApproval): string {
  const { code, state, risk, expiresAt } = approval;
  const screen = screenOf(process.stdout);
  const standing =
    state === 'pending' ? `pending, ${leftIn(expiresAt - Date.now())}` : visibleLine(state, 20);
  return [
    `${visibleLine(code, 20)}  ${standing}  ${visibleLine(risk, 20)}`,
    sentenceLine(asAskedCall(approval), screen),
  ].join('\n');
}

async function show(code: string, { local, json }: Options): Promise<void> {
  const approval = await atDesk({ local }, (desk) => desk.one(code));
  if (json) return printJson(approval);
  const screen = screenOf(process.stdout);
  console.log(approvalLines(asAskedCall(approval), 'whole', screen));
  console.log(`\n${foldedText(withoutPrompt(approval.full), screen)}`);
  if (approval.state !== 'pending') return;
  const word = visibleLine(approval.code, 20);
  const here = local ? ' --local' : '';
  console.log();
  detail('Yes', `bowline approvals approve ${word}${here}`);
  if (approval.lends) detail('This terminal, for an hour', `bowline approvals lend ${word}${here}`);
  detail('No', `bowline approvals deny ${word} --because "…"${here}`);
}

/** Approves in one way that comes with more than one yes to one call, so it takes one code. */
async function decideOne(
  code: string,
  decision: 'always' | 'lend',
  { local, json }: Options,
  reach: Partial<Reach> = {},
): Promise<void> {
  const decided = await atDesk({ local, decides: true }, (desk) => desk.decide(code, decision, reach));
  if (json) return printJson(decided);
  tellApproved(code);
  if (decision === 'lend') console.log(`  ${LENT}`);
  if (decided.rule) console.log(foldedText(`  Rule: ${visibleLine(decided.rule)}`, screenOf(process.stdout)));
}

async function runNow(code: string, { json }: Options): Promise<void> {
  const decided = await atDesk({ decides: true }, (desk) => desk.decide(code, 'run'));
  if (json) printJson(decided);
  else if (decided.outcome === 'running') {
    done(`${visibleLine(code, 20)} runs now. \`bowline ledger\` will show how it ends.`);
  } else done(`Ran ${visibleLine(code, 20)}. \`bowline ledger\` shows how it ended.`);
}

async function approve(codes: readonly string[], { local, json = false }: Options): Promise<void> {
  await atDesk({ local, decides: true }, (desk) =>
    decideEach(codes, (code) => desk.decide(code, 'approve'), {
      tell: tellApproved,
      json,
      isOne: codes.length === 1,
    }),
  );
}

function tellApproved(code: string): void {
  done(`Approved ${visibleLine(code, 20)}. It runs when its caller asks for it again.`);
}

async function deny(codes: readonly string[], options: Options): Promise<void> {
  const { all = false, because = '', local, json = false } = options;
  const word = because === '' ? {} : { note: because };
  if (because.length > MAX_NOTE_CHARS)
    throw usage(`Give a sentence of at most ${MAX_NOTE_CHARS} characters.`);
  if (all === codes.length > 0) throw usage('Name the codes of the calls to deny, or give --all.');
  await atDesk({ local, decides: true }, async (desk) =>
    decideEach(all ? await allThatWait(desk) : codes, (code) => desk.decide(code, 'deny', word), {
      tell: (code) => done(`Denied ${visibleLine(code, 20)}.`),
      json,
      isOne: codes.length === 1,
    }),
  );
}

/**
 * Decides each call, and tells of it at once. If one can no longer be decided, decides the others all the same, and the
 * command fails at its end. What was asked about one call is answered about one, with the whole error.
 */
async function decideEach(
  codes: readonly string[],
  decide: (code: string) => Promise<Decided>,
  { tell, json, isOne }: { tell(code: string): void; json: boolean; isOne: boolean },
): Promise<void> {
  const decided: object[] = [];
  for (const code of codes) {
    try {
      const outcome = await decide(code);
      if (json && isOne) return printJson(outcome);
      decided.push({ ...outcome, code });
      if (!json) tell(code);
    } catch (error) {
      if (isOne || !(error instanceof CliError)) throw error;
      decided.push({ code, error: error.message });
      if (!json) complain(`${visibleLine(code, 20)}: ${error.message}`);
      process.exitCode = EXIT.failed;
    }
  }
  if (json) printJson({ decided });
}

/** Lists the codes that wait now. Calls that come during the question are not included. */
async function allThatWait(desk: Desk): Promise<string[]> {
  if (!isRealTerminal(process.stderr)) {
    throw usage('Denying everything at once needs a real terminal. In a script, name the codes.');
  }
  const waiting = await desk.list('pending');
  if (waiting.length === 0) throw new CliError('Nothing waits for you.');
  for (const approval of waiting) console.error(`${listed(approval)}\n`);
  const all = waiting.length === 1 ? 'this call' : `these ${waiting.length} calls`;
  if (await confirmHere(`Deny ${all}? (y/n):`)) return waiting.map(({ code }) => code);
  throw new CliError('Nothing was denied.');
}

/** Acts at the gateway, or on this computer without one. There, a decision needs a person at a real terminal. */
async function atDesk<T>(
  { local = false, decides = false }: { readonly local?: boolean | undefined; readonly decides?: boolean },
  act: (desk: Desk) => Promise<T>,
): Promise<T> {
  if (!local) return asOwner(requiredGateway(), (owner) => act(deskAt(owner)));
  if (decides && !isRealTerminal(process.stderr)) {
    throw new CliError(
      'Without a gateway, you decide calls in a real terminal.',
      'Run this in a terminal of your own, not from a program.',
      EXIT.approval,
    );
  }
  const gate = openLocalGate(bowlineHome());
  try {
    return await act(deskHere(gate.now, 'the person at this computer'));
  } finally {
    gate.close();
  }
}

function usage(message: string): CliError {
  return new CliError(message, undefined, EXIT.usage);
}
