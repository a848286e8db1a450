import { randomBytes } from 'node:crypto';
import { redact } from '../../../../src/core/redact.ts';
import type { Findings } from '../autorun-settle.ts';
import { plantedText } from '../autorun-text.ts';
import { plainText, safe } from '../clean-text.ts';
import { openLineCleaner } from '../line-cleaner.ts';
import type { Lasting } from './lasting.ts';
import type { Meter } from './meter.ts';
import { leavesShellPlain } from './plain-line.ts';
import type { Ring, Stretch } from './ring.ts';
import { PROMPT } from './shell-command.ts';
import { findShell, folderOf, lookAgain, type ShellProcess } from './shell-process.ts';
import { afterKeys, afterText, BYTES_OF, EMPTY, type Key, type TypedLine } from './typed-line.ts';
import { unfinishedLine } from './unfinished-line.ts';

/** The bytes of raw output that a screen is drawn from. */
const SCREEN_BYTES = 524_288;
const LEFT_OUT = '[… a line of more than 8,192 characters left out here …]\n';
const NOT_KEPT = "Some output is missing, because the machine's disk did not take it.";

/** One session: a program at a terminal, its output, and what was typed. */
export interface Session {
  readonly name: string;
  readonly principal: string;
  /** Its command or shell, without secrets. */
  readonly runs: string;
  /** Where it was started, for people. */
  readonly folder: string;
  readonly startedAt: Date;
  /** Tells it from every other session, also from a later one of the same name. */
  readonly id: string;
  /** The id of the call that started it. */
  readonly startedBy: string;
  readonly running: boolean;
  readonly exitCode: number | null;
  /** The moment of its last use, by `performance.now()`. */
  usedAt: number;
  readonly endOffset: number;
  read(offset: number, most: number): Stretch;
  /** The last line while it has no end yet, as far as it is safe to show. */
  unfinished(): string;
  /** The raw output that the screen shows. */
  raw(): Buffer;
  /** Things that its owner should hear of once. */
  takeWarning(): string | undefined;
  /** What stands on the input line; undefined if only the program knows. */
  readonly typed: TypedLine;
  /** The name of the program in front. */
  inFront(): string;
  /** Gives the identity of its shell's folder if the shell waits for a command at an empty line. */
  atPrompt(): string | undefined;
  /** True if nothing that was typed can have changed what the words of a line mean to its shell. */
  readonly isPlain: boolean;
  /** Types a text: a command line for the shell, or anything for the program in front. */
  type(text: string, to: 'shell' | 'program'): void;
  press(keys: readonly Key[]): void;
  /** Calls `listen` whenever it prints or ends. Gives a function that stops that. */
  onChange(listen: () => void): () => void;
  /** Ends it and all it started. */
  stop(): Promise<void>;
  /** Looks for files that it left and that other programs run by themselves. */
  look(): Promise<void>;
  /** Removes what is kept of it. */
  forget(): void;
}

/** What a session is made of. */
interface SessionParts {
  readonly name: string;
  readonly principal: string;
  readonly command: string | undefined;
  readonly folder: string;
  readonly startedAt: Date;
  readonly startedBy: string;
  readonly ring: Ring;
  readonly meter: Meter;
  /** Starts the program. It may print at once. */
  start(onData: (chunk: Buffer) => void): Promise<Lasting & { look(): Promise<Findings> }>;
}

/** Opens a session and starts its program. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { ring, meter, command } = parts;
  const lines = openLineCleaner(LEFT_OUT);
  const listeners = new Set<() => void>();
  const raw: Buffer[] = [];
  let rawBytes = 0;
  let running = true;
  let exitCode: number | null = null;
  let typed: TypedLine = EMPTY;
  let shell: ShellProcess | undefined;
  let lasting: Awaited<ReturnType<SessionParts['start']>> | undefined;
  let printed = false;
  let isPlain = true;
  /** The line ends that what was typed still has to print. Until then, the prompt is that of the line before. */
  let due = 0;
  const warnings = new Set<string>();
  const told = new Set<string>();

  const keep = (text: string) => {
    if (!ring.append(text) && !told.has(NOT_KEPT)) warnings.add(NOT_KEPT);
  };
  const changed = () => {
    for (const listen of listeners) listen();
  };
  const takeRaw = (chunk: Buffer) => {
    raw.push(chunk);
    rawBytes += chunk.length;
    for (let [first] = raw; first && rawBytes - first.length >= SCREEN_BYTES; [first] = raw) {
      raw.shift();
      rawBytes -= first.length;
    }
  };
  const onData = (chunk: Buffer) => {
    const began = performance.now();
    printed = true;
    if (due !== 0) due = Math.max(0, due - lineEnds(chunk.toString('latin1')));
    takeRaw(chunk);
    keep(safe(lines.take(chunk)));
    changed();
    const wait = meter.spend(chunk.length, performance.now() - began);
    if (wait > 0 && lasting) {
      lasting.pty.pause();
      setTimeout(() => lasting?.pty.resume(), wait);
    }
  };
  const look = async () => {
    if (!printed || !lasting) return;
    printed = false;
    const text = plantedText(await lasting.look());
    if (text !== undefined && !told.has(text)) warnings.add(text);
  };

  lasting = await parts.start(onData);
  const { pty, mark, over } = lasting;
  const ended = over.then(async ({ exitCode: code, left }) => {
    exitCode = code;
    running = false;
    const rest = unfinishedLine(`${lines.unfinished()}\n`).replace(/\n$/, '');
    if (rest !== '') keep(`${rest}\n`);
    if (left.length > 0) warnings.add(`These processes of it could not be ended: ${left.join(', ')}.`);
    printed = true;
    await look().catch(() => undefined);
    changed();
  });
  const lookAtShell = () => {
    shell = shell === undefined ? findShell(mark, pty.pid, lasting.shell) : lookAgain(shell);
    return shell;
  };

  return {
    ...{ name: parts.name, principal: parts.principal, folder: parts.folder, startedAt: parts.startedAt },
    runs: redact(command ?? lasting.shell),
    id: randomBytes(16).toString('hex'),
    startedBy: parts.startedBy,
    usedAt: performance.now(),
    get running() {
      return running;
    },
    get exitCode() {
      return exitCode;
    },
    get endOffset() {
      return ring.end;
    },
    get typed() {
      return typed;
    },
    read: (offset, most) => ring.read(offset, most),
    unfinished: () => (running ? unfinishedLine(lines.unfinished()) : ''),
    raw: () => Buffer.concat(raw),
    takeWarning: () => {
      const text = [...warnings].join(' ');
      for (const one of warnings) told.add(one);
      warnings.clear();
      return text === '' ? undefined : text;
    },
    inFront: () => (running ? pty.process : ''),
    atPrompt: () => {
      if (!running || command !== undefined || typed !== EMPTY || due > 0) return undefined;
      if (!plainText(lines.unfinished()).endsWith(PROMPT)) return undefined;
      const now = lookAtShell();
      return now?.inFront ? folderOf(now.pid) : undefined;
    },
    get isPlain() {
      return isPlain;
    },
    type: (text, to) => {
      if (to === 'program' || !leavesShellPlain(text.replace(/\n$/, ''), lasting)) isPlain = false;
      due = lineEnds(text) || due;
      typed = afterText(typed, text);
      pty.write(text.replaceAll('\n', BYTES_OF.enter));
    },
    press: (keys) => {
      if (keys.some((key) => !PLAIN_KEYS.has(key))) isPlain = false;
      due = keys.filter((key) => key === 'enter').length || due;
      typed = afterKeys(typed, keys);
      pty.write(keys.map((key) => BYTES_OF[key]).join(''));
    },
    onChange: (listen) => {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    stop: () => {
      lasting.stop();
      return ended;
    },
    look,
    forget: () => ring.close(),
  };
}

/** Keys that type nothing. All others may bring a line to the shell that nobody judged. */
const PLAIN_KEYS: ReadonlySet<Key> = new Set(['enter', 'ctrl-c', 'ctrl-d', 'ctrl-z']);

function lineEnds(text: string): number {
  return text.split('\n').length - 1;
}
