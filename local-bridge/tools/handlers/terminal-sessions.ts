import { statSync } from 'node:fs';
import type { Input } from '../../../contracts/contract.ts';
import type { terminalList, terminalRead, terminalStop } from '../../../contracts/terminal-output.ts';
import { READ_BYTES } from '../../../contracts/terminal-session-fields.ts';
import type { terminalSend, terminalStart } from '../../../contracts/terminal-sessions.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import { stateOf } from '../../../src/core/preview.ts';
import { sessionState } from '../../../src/core/session-state.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import { terminalState } from '../terminal/seen-state.ts';
import { drawScreen } from '../terminal/sessions/screen.ts';
import type { Session } from '../terminal/sessions/session.ts';
import { isNoSession, type Sessions } from '../terminal/sessions/sessions.ts';
import { waitFor } from '../terminal/sessions/waiting.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { identityOf } from '../workspace/held.ts';
import { isRefusal } from '../workspace/refusal.ts';
import type { Folder, Workspace } from '../workspace/workspace.ts';
import { detailOf, type FailsInFolder, notEntered } from './terminal.ts';

/** The means of the tools for lasting terminals. */
export interface SessionPorts {
  readonly sessions: Sessions;
  readonly terminal: Pick<Terminal, 'status' | 'whyOff' | 'environment'>;
  readonly workspace: Pick<Workspace, 'root' | 'roots' | 'folder'>;
}

/** The time that a new session, or one that was typed to, has to print something for the same answer. */
const FIRST_OUTPUT_MS = 2_000;

const start: Handler<typeof terminalStart, SessionPorts> = async (input, call, ports) => {
  const started = performance.now();
  const { terminal, sessions } = ports;
  const folder = folderFor(input, call, ports);
  if ('failure' in folder) return folder;
  let changed: Refusal | undefined;
  try {
    const session = await sessions.start({
      name: input.session,
      principal: call.caller.principal,
      command: input.command,
      startedBy: call.id,
      folder: folder.path,
      inFolder: (work) =>
        folder.use((here) => {
          changed = call.changedSince(terminalState(here, terminal.status()));
          if (changed) throw new Error(changed.failure.message);
          return work(here);
        }),
    });
    if (isNoSession(session)) return call.fail(session.code, session.why);
    await waitFor(session, { offset: 0, ms: FIRST_OUTPUT_MS, signal: call.signal });
    const { metadata, ...rest } = outputOf(session, 0, started);
    return call.ok({ ...rest, metadata: { ...metadata, sandboxed: terminal.status().sandboxed } });
  } catch (error) {
    if (changed) return changed;
    throw error;
  } finally {
    folder.close();
  }
};

const send: Handler<typeof terminalSend, SessionPorts> = async (input, call, ports) => {
  const started = performance.now();
  const session = ports.sessions.find(call.caller.principal, input.session);
  const ready = readyFor(session, input, call, ports);
  if ('failure' in ready) return ready;
  // The owner saw what stands there now, or lent the session whatever stands there.
  const changed = call.changedSince(ready.state, sessionState(ready.session.startedBy));
  if (changed) return changed;
  const offset = ready.session.endOffset;
  // Nothing may come between the look at the session and this.
  if (input.keys) ready.session.press(input.keys);
  else ready.session.type(typedText(input), input.program ? 'program' : 'shell');
  await waitFor(ready.session, { offset, ms: FIRST_OUTPUT_MS, signal: call.signal });
  return call.ok(outputOf(ready.session, offset, started));
};

/** Gives the text as it is typed. For a shell it ends with an Enter. */
export function typedText({ text = '', program }: Input<typeof terminalSend>): string {
  return program || text.endsWith('\n') ? text : `${text}\n`;
}

/** Finds out whether a session can be typed to as asked, and gives the state that the owner sees. */
export function readyFor(
  session: Session | undefined,
  input: Input<typeof terminalSend>,
  call: Pick<Call<typeof terminalSend>, 'fail'>,
  ports: SessionPorts,
): { readonly session: Session; readonly state: string } | Refusal {
  const off = ports.terminal.whyOff();
  if (off !== undefined) return call.fail('terminal_off', off);
  if (!session) return call.fail('session_not_found', `You have no session '${input.session}'.`);
  if (!session.running) return call.fail('session_ended', `The session '${input.session}' has ended.`);
  const prompt = session.atPrompt();
  if (input.text === undefined || input.program)
    return { session, state: stateOf(session.id, session.typed ?? '?', session.inFront(), prompt ?? 'none') };
  const folder = folderFor(input, call, ports);
  if ('failure' in folder) return folder;
  try {
    const wanted = folder.use((here) => identityOf(statSync(here, { bigint: true })));
    if (prompt === undefined)
      return call.fail(
        'not_at_prompt',
        `The session '${input.session}' does not wait for a command at an empty line.`,
      );
    if (prompt !== wanted)
      return call.fail('not_at_prompt', `The shell of '${input.session}' is not in ${folder.path}.`);
    return { session, state: stateOf(session.id, 'prompt', wanted, String(session.isPlain)) };
  } finally {
    folder.close();
  }
}

/** Opens the folder that a call names, or gives the refusal to end with. */
export function folderFor(
  { root: name, cwd = '.' }: { readonly root?: string | undefined; readonly cwd?: string | undefined },
  { fail }: FailsInFolder,
  { workspace }: Pick<SessionPorts, 'workspace'>,
): Folder | Refusal {
  const root = workspace.root(name);
  if (isRefusal(root)) return fail('unknown_root', detailOf(root));
  const folder = workspace.folder(root, cwd);
  return isRefusal(folder) ? notEntered(folder, { fail }) : folder;
}

const read: Handler<typeof terminalRead, SessionPorts> = async (input, call, { sessions }) => {
  const started = performance.now();
  const session = sessions.find(call.caller.principal, input.session);
  if (!session) return call.fail('session_not_found', `You have no session '${input.session}'.`);
  const { offset, until, wait_seconds } = input;
  const found = await waitFor(session, { offset, until, ms: wait_seconds * 1_000, signal: call.signal });
  const { metadata, output, ...rest } = outputOf(session, offset, started);
  const more = { ...metadata, ...(until === undefined ? {} : { found }) };
  if (!input.screen) return call.ok({ ...rest, output, metadata: more });
  const screen = await drawScreen(session.raw());
  if (screen === undefined) return call.fail('no_screen');
  return call.ok({ ...rest, output: `${headline(session)}\n${screen}`, metadata: more });
};

const list: Handler<typeof terminalList, SessionPorts> = (_input, call, { sessions }) => {
  const started = performance.now();
  const all = sessions.list(call.caller.principal);
  const lines = all.map((one) => `${one.name}: \`${one.runs}\`, ${standing(one)}\n`);
  return call.ok({
    success: true,
    output: `${all.length === 1 ? '1 session' : `${all.length} sessions`}${all.length === 0 ? '.' : ':'}\n${lines.join('')}`,
    ...sinceStart(started),
    metadata: {
      sessions: all.map((one) => ({
        session: one.name,
        runs: one.runs,
        folder: one.folder,
        running: one.running,
        exit_code: one.exitCode,
        started_at: one.startedAt.toISOString(),
        end_offset: one.endOffset,
      })),
    },
  });
};

const stop: Handler<typeof terminalStop, SessionPorts> = async (input, call, { sessions }) => {
  const started = performance.now();
  const session = sessions.find(call.caller.principal, input.session);
  if (!session) return call.fail('session_not_found', `You have no session '${input.session}'.`);
  const wasRunning = session.running;
  if (wasRunning && input.interrupt) session.press(['ctrl-c']);
  else await session.stop();
  const said =
    input.interrupt && wasRunning ? 'was interrupted' : wasRunning ? 'was stopped' : standing(session);
  const warning = session.takeWarning();
  return call.ok({
    success: true,
    output: `Session '${input.session}' ${said}.\n${warning === undefined ? '' : `Warning: ${warning}\n`}`,
    ...sinceStart(started),
    metadata: {
      session: input.session,
      running: session.running,
      exit_code: session.exitCode,
      ...(warning === undefined ? {} : { warning }),
    },
  });
};

function outputOf(session: Session, offset: number, started: number) {
  const { text, next, missed } = session.read(offset, READ_BYTES);
  const atEnd = next === session.endOffset;
  const unfinished = atEnd ? session.unfinished() : '';
  const warning = session.takeWarning();
  return {
    success: true,
    output: `${headline(session)}\n${warning === undefined ? '' : `Warning: ${warning}\n`}${text}${unfinished}`,
    ...sinceStart(started),
    metadata: {
      session: session.name,
      running: session.running,
      exit_code: session.exitCode,
      next_offset: next,
      missed_bytes: missed,
      ...(warning === undefined ? {} : { warning }),
    },
  };
}

function sinceStart(started: number) {
  return { files_affected: [], execution_time_ms: Math.round(performance.now() - started) };
}

function headline(session: Session): string {
  return `Session '${session.name}' ${standing(session)}.`;
}

function standing({ running, exitCode }: Session): string {
  if (running) return 'is running';
  return exitCode === null ? 'was stopped' : `has ended with exit code ${exitCode}`;
}

/** Handlers of the lasting terminals' tools, by the names of their contracts. */
export const sessionHandlers = {
  terminal_start: start,
  terminal_send: send,
  terminal_read: read,
  terminal_list: list,
  terminal_stop: stop,
} satisfies MachineHandlers;
