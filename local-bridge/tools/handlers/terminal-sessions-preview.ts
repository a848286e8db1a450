import type { Input } from '../../../contracts/contract.ts';
import type { Fact } from '../../../contracts/preview.ts';
import type { terminalSend, terminalStart } from '../../../contracts/terminal-sessions.ts';
import { plainFact } from '../../../src/core/plain-fact.ts';
import type { Previewer } from '../../../src/core/preview.ts';
import { redact } from '../../../src/core/redact.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { commandFacts } from '../terminal/command-facts.ts';
import { terminalState } from '../terminal/seen-state.ts';
import type { Key } from '../terminal/sessions/typed-line.ts';
import { confinementFacts } from './terminal-preview.ts';
import { folderFor, readyFor, type SessionPorts, typedText } from './terminal-sessions.ts';

/** Describes the session that a call would start. */
const previewStart: Previewer<typeof terminalStart, SessionPorts> = async (input, call, ports) => {
  const { terminal, sessions } = ports;
  const folder = folderFor(input, call, ports);
  if ('failure' in folder) return folder;
  try {
    const why = await sessions.whyNot(call.caller.principal, input.session);
    if (why) return call.fail(why.code, why.why);
    const status = terminal.status();
    const state = folder.use((here) => terminalState(here, status));
    const what = input.command === undefined ? 'A shell' : 'The command';
    const facts = [
      plainFact(
        `${what} runs in the session '${input.session}' until it ends or is stopped, or the bridge ends.`,
      ),
      plainFact(`It starts in the folder ${folder.path}.`),
      ...confinementFacts(status),
      ...(input.command === undefined ? [] : factsAbout(input.command, folder.path, ports)),
      plainFact('The owner cannot undo what it changes with `bowline undo`.'),
    ];
    const lasting = { session: input.session, startedBy: null };
    const { sandboxed } = status;
    return { facts: facts.slice(0, 40), files: null, diff: null, state, sandboxed, lasting };
  } finally {
    folder.close();
  }
};

/** Describes what a call would type, and to whom. */
const previewSend: Previewer<typeof terminalSend, SessionPorts> = (input, call, ports) => {
  const { sessions, terminal } = ports;
  const ready = readyFor(sessions.find(call.caller.principal, input.session), input, call, ports);
  if ('failure' in ready) return ready;
  const { session, state } = ready;
  const { sandboxed } = terminal.status();
  const isLine = !input.program && input.keys === undefined;
  const facts = [
    ...typedFacts(input, session.typed),
    plainFact(
      `The session '${session.name}' runs \`${session.runs}\`, and was started in ${session.folder}.`,
    ),
    plainFact(`The program in front is \`${visibleLine(session.inFront(), 60)}\`.`),
    ...(sandboxed ? [] : [plainFact('It runs without a sandbox, with all rights of your user.')]),
    ...(isLine && !session.isPlain ? [CHANGED] : []),
    ...(isLine ? factsAbout(input.text ?? '', session.folder, ports) : []),
  ];
  const plain = isLine ? { plainShell: session.isPlain } : {};
  const lasting = { session: session.name, startedBy: session.startedBy };
  return { facts: facts.slice(0, 40), files: null, diff: null, state, sandboxed, ...plain, lasting };
};

const CHANGED = plainFact(
  'What was typed before may have changed what commands mean in this shell, for example by an alias. So no rule allows a line here.',
  true,
);

function typedFacts(input: Input<typeof terminalSend>, before: string | undefined): Fact[] {
  const what = input.keys ? input.keys.map(keyName).join(', ') : spelledOut(typedText(input));
  const lines = (input.text ?? '').replace(/\n$/, '').split('\n').length;
  return [
    plainFact(`${input.keys ? 'It presses' : 'It types'}: ${what}`),
    ...(before === undefined
      ? [
          plainFact(
            'What stands on the line already is not known, because keys such as "up" changed it.',
            true,
          ),
        ]
      : before === ''
        ? []
        : [plainFact(`On the line stands already: ${spelledOut(before)}`, true)]),
    ...(lines > 1
      ? [
          plainFact(
            `These are ${lines} lines. A later one may go to a program that an earlier one starts.`,
            true,
          ),
        ]
      : []),
  ];
}

/** Writes what is typed, with each Enter as a sign. */
function spelledOut(text: string): string {
  return visibleLine(redact(text), 900).replaceAll('\\n', '⏎');
}

function keyName(key: Key): string {
  return key
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('-');
}

function factsAbout(command: string, folder: string, { terminal, workspace }: SessionPorts): Fact[] {
  const { PATH = '', TMPDIR = '' } = terminal.environment();
  const open = [...workspace.roots.map(({ path }) => path), TMPDIR];
  return commandFacts(command, { folder, open, path: PATH });
}

/** Previewers by the names of their contracts. */
export const sessionPreviews = { terminal_start: previewStart, terminal_send: previewSend };
