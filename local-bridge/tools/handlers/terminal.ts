import type { OwnErrorCode } from '../../../contracts/contract.ts';
import type { runInTerminal, terminalLastCommand } from '../../../contracts/terminal.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { FailureDetail } from '../../../src/core/failure.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import { redact } from '../../../src/core/redact.ts';
import { parseCommand } from '../../../src/gate/rules/argv.ts';
import type { GitPorts } from '../git/repository.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import { plantedField, plantedText } from '../terminal/autorun-text.ts';
import { capturedText } from '../terminal/clean-text.ts';
import { findProgram } from '../terminal/environment.ts';
import { openLiveOutput } from '../terminal/live-output.ts';
import type { Outcome } from '../terminal/run.ts';
import { terminalState } from '../terminal/seen-state.ts';
import type { Terminal, WatchedOutcome } from '../terminal/terminal.ts';
import { type OpenBelow, snapshotOf, type Touched, touchedBetween } from '../terminal/touched-files.ts';
import type { CommandUndo, Coverage } from '../undo/command-undo.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The means of the terminal's tools. */
export interface TerminalPorts extends GitPorts {
  readonly commandUndo: CommandUndo;
  readonly terminal: Pick<Terminal, 'run' | 'status' | 'history' | 'whyOff' | 'environment'>;
  readonly workspace: GitPorts['workspace'] & Pick<Workspace, 'root'>;
  readonly clock: Clock;
}

const runCommandTool: Handler<typeof runInTerminal, TerminalPorts> = async (input, call, ports) => {
  const { terminal, workspace, clock } = ports;
  const root = workspace.root(input.root);
  if (isRefusal(root)) return call.fail('unknown_root', detailOf(root));
  const folder = workspace.folder(root, input.cwd ?? '.');
  if (isRefusal(folder)) return notEntered(folder, call);
  const openBelow: OpenBelow = (path) => workspace.folder(root, path);
  const before = await snapshotOf(openBelow);
  const { principal } = call.caller;
  const begun = await ports.commandUndo.begin(root, before, { id: call.id, principal, signal: call.signal });
  const executedAt = clock.now();
  const live = openLiveOutput((message, progress) => call.progress({ progress, message }));
  let outcome: Awaited<ReturnType<Terminal['run']>>;
  const settled = async (): Promise<[Touched, Coverage]> => {
    const after = await snapshotOf(openBelow);
    const touched = touchedBetween(before, after);
    return [touched, await begun.settle(after, touched.all)];
  };
  let changed: Refusal | undefined;
  try {
    outcome = await terminal.run({
      command: input.command,
      timeoutMs: input.timeout_seconds * 1_000,
      signal: call.signal,
      inFolder: (work) =>
        folder.use((here) => {
          changed = call.changedSince(terminalState(here, terminal.status()));
          if (changed) throw new Error(changed.failure.message);
          return work(here);
        }),
      onOutput: live.take,
    });
  } catch (error) {
    if (changed) {
      await begun.drop();
      return changed;
    }
    // It may have begun.
    await settled();
    throw error;
  } finally {
    live.close();
    folder.close();
  }
  if ('off' in outcome) {
    await begun.drop();
    return call.fail('terminal_off', outcome.off);
  }
  const out = capturedText(outcome.out);
  const err = capturedText(outcome.err);
  terminal.history.record(call.caller.principal, {
    command: redact(input.command),
    output: out + err,
    exitCode: outcome.exitCode,
    executedAt,
  });
  const [touched, coverage] = await settled();
  const missing = missingProgram(input.command, outcome);
  if (missing !== undefined) return call.fail('command_not_found', `Command '${missing}' not found.`);
  const undo = undoText(call.id, coverage);
  return call.ok(answer(input.timeout_seconds, outcome, out, err, { terminal, touched, undo }));
};

/** Fails as every tool can that runs something in a folder. */
export interface FailsInFolder {
  readonly fail: (
    code: Exclude<OwnErrorCode<typeof runInTerminal>, 'command_not_found'>,
    detail?: string | FailureDetail,
  ) => Refusal;
}

/** Refuses a command whose folder cannot be entered, and says why. */
export function notEntered(refusal: WorkspaceRefusal, { fail }: FailsInFolder): Refusal {
  const detail = detailOf(refusal);
  if (refusal.code === 'not_found') return fail('directory_not_found', detail);
  return fail(refusal.code === 'not_a_file' ? 'not_a_directory' : refusal.code, detail);
}

/** Translates the refusal of a folder into the detail of a failure. */
export function detailOf({ message, suggestion }: WorkspaceRefusal): FailureDetail {
  return { message, ...(suggestion === undefined ? {} : { suggestion }) };
}

function answer(
  seconds: number,
  outcome: WatchedOutcome,
  out: string,
  err: string,
  {
    terminal,
    touched,
    undo,
  }: Pick<TerminalPorts, 'terminal'> & {
    readonly touched: Touched;
    readonly undo: string | undefined;
  },
): Parameters<Call<typeof runInTerminal>['ok']>[0] {
  const warning = warningOf(outcome);
  const body = bodyOf(outcome, seconds, out, err);
  const planted = plantedText(outcome);
  const ended = warning === undefined ? body : `${body}Warning: ${warning}\n`;
  return {
    success: outcome.exitCode === 0,
    // Put this first, because the end of a long output may be cut off.
    output: planted === undefined ? ended : `Warning: ${planted}\n${ended}`,
    files_affected: [...touched.paths],
    execution_time_ms: Math.round(outcome.durationMs),
    metadata: {
      exit_code: outcome.exitCode,
      stdout_lines: outcome.out.lines,
      stderr_lines: outcome.err.lines,
      timed_out: outcome.stopped === 'timeout',
      truncated: outcome.out.missing + outcome.err.missing > 0,
      sandboxed: terminal.status().sandboxed,
      ...(touched.more > 0 ? { more_files_affected: touched.more } : {}),
      ...(undo === undefined ? {} : { undo }),
      ...(touched.isPartial ? { files_not_compared: true } : {}),
      ...plantedField(outcome),
      ...(warning === undefined && planted === undefined
        ? {}
        : { warning: [planted, warning].filter((one) => one !== undefined).join(' ') }),
    },
  };
}

const MAX_WITHOUT = 5;

/** Says what the owner can undo of a command. */
function undoText(call: string, { covered, without }: Coverage): string | undefined {
  const all = covered + without.length;
  if (all === 0) return undefined;
  const named = without.slice(0, MAX_WITHOUT).map(shown).join(', ');
  const more = without.length > MAX_WITHOUT ? ` and ${without.length - MAX_WITHOUT} more` : '';
  const except = without.length > 0 ? `, not ${named}${more}` : '';
  const how = covered > 0 ? ` On the machine, the owner runs \`bowline undo ${call}\`.` : '';
  return `Undo covers ${covered} of ${all} changed ${all === 1 ? 'file' : 'files'}${except}.${how}`;
}

function bodyOf({ exitCode, stopped }: Outcome, seconds: number, out: string, err: string): string {
  if (exitCode === 0) {
    return `Command output:\n${ended(out)}${err === '' ? '' : `Standard error:\n${ended(err)}`}`;
  }
  // Put the error first: readers of a failure look for it.
  const rest = `${ended(err)}${out === '' ? '' : `Standard output:\n${ended(out)}`}`;
  if (stopped === 'timeout') {
    const unit = seconds === 1 ? 'second' : 'seconds';
    return `Error: Command timed out after ${seconds} ${unit}${rest === '' ? '' : ':'}\n${rest}`;
  }
  if (exitCode === null)
    return `Error: Command was stopped before it finished${rest === '' ? '' : ':'}\n${rest}`;
  return `Error: Command failed with exit code ${exitCode}:\n${rest}`;
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function warningOf({ left }: Outcome): string | undefined {
  if (left.length === 0) return undefined;
  return `These processes of it could not be ended: ${left.join(', ')}.`;
}

const NOT_FOUND_CODE = 127;
/** Words of the shell that run the next word. If something was not found, it was that word. */
const RUNNERS = new Set(['command', 'builtin', 'exec', 'eval', '.', 'source', 'time', 'env']);

/** Finds the missing program, if the command consisted of nothing else, so that nothing can have run. */
function missingProgram(command: string, { exitCode, out }: Outcome): string | undefined {
  if (exitCode !== NOT_FOUND_CODE || out.lines > 0) return undefined;
  const parsed = parseCommand(command);
  const program = 'argv' in parsed ? parsed.argv[0] : undefined;
  if (program === undefined || program.includes('/') || RUNNERS.has(program)) return undefined;
  return findProgram(program) === undefined ? redact(program) : undefined;
}

const showLastCommand: Handler<typeof terminalLastCommand, TerminalPorts> = (_input, call, ports) => {
  const started = performance.now();
  const last = ports.terminal.history.last(call.caller.principal);
  if (!last) return call.fail('no_previous_command', 'No previous command in this session.');
  return call.ok({
    success: true,
    output: `Last command: ${last.command}\nOutput: ${last.output}`,
    files_affected: [],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      command: last.command,
      exit_code: last.exitCode,
      executed_at: last.executedAt.toISOString(),
    },
  });
};

/** Handlers of the terminal's tools, by the names of their contracts. */
export const terminalHandlers = {
  run_in_terminal: runCommandTool,
  terminal_last_command: showLastCommand,
} satisfies MachineHandlers;
