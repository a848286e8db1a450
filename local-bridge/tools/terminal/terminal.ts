import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/core/clock.ts';
import { closePlaces, MOVED } from '../workspace/closed-places.ts';
import { type Findings, settleAutorun } from './autorun-settle.ts';
import { surveyAutorun } from './autorun-survey.ts';
import { type CanaryFindings, probe } from './canary.ts';
import { type Confinement, isUnavailable, sessionOnly } from './confine.ts';
import { environmentOf, userShell } from './environment.ts';
import { type History, openHistory } from './history.ts';
import { withoutSandbox } from './namespace.ts';
import { type Order, type Outcome, runCommand } from './run.ts';
import { type OpenSandbox, openSystemSandbox } from './sandbox.ts';
import { type Lasting, type LastingOrder, startLasting } from './sessions/lasting.ts';
import { loadPty } from './sessions/pty.ts';
import { shellCommand } from './sessions/shell-command.ts';
import type { TerminalPlace, TerminalSettings } from './settings.ts';
import { openWarden } from './warden-client.ts';

/** The time between two tests of the sandbox. */
const CANARY_EVERY_MS = 600_000;

/** The state of a terminal, as `doctor` reports it. */
export interface TerminalStatus {
  readonly on: boolean;
  /** The reason why it is off. */
  readonly reason?: string;
  readonly sandboxed: boolean;
  /** The reason why commands run without a sandbox although the settings want one. */
  readonly unsandboxedBecause?: string;
  /** The name of the confinement: `Seatbelt`, `bubblewrap`, `Linux namespaces` or `process session`. */
  readonly confinement: string;
  readonly shell: string;
  /** Hosts that a command may reach; `null` if it can reach any host. */
  readonly network: readonly string[] | null;
  /** The time of the sandbox's last test, and its leaks. */
  readonly canaries?: { readonly at: Date; readonly found: readonly string[] };
}

/** A terminal that is off, with the reason for people. */
interface TerminalOff {
  readonly off: string;
}

/** The end of a command, with the things it left that other programs run or obey by themselves. */
export type WatchedOutcome = Outcome & Findings;

/** The reason why no lasting terminal starts. */
interface NoLasting {
  readonly code: 'terminal_off' | 'no_lasting_terminal';
  readonly why: string;
}

/** A program that lasts. `look` surveys the open folders for what it left that other programs run by themselves. */
type WatchedLasting = Lasting & { look(): Promise<Findings> };

/** A machine's terminal. It runs commands, and knows whether it may. */
export interface Terminal {
  readonly history: History;
  run(
    order: Pick<Order, 'command' | 'timeoutMs' | 'signal' | 'inFolder' | 'onOutput'>,
  ): Promise<WatchedOutcome | TerminalOff>;
  /** Starts a program that lasts, at a terminal of its own. */
  start(order: LastingOrder): Promise<WatchedLasting | NoLasting>;
  /** Says why no lasting terminal would start now; undefined if one would. */
  whyNoSession(): Promise<NoLasting | undefined>;
  status(): TerminalStatus;
  /** Says why no command would run now; `undefined` if one would. */
  whyOff(): string | undefined;
  /** Gives a command's whole environment. */
  environment(): Readonly<Record<string, string>>;
  /** Tests the sandbox now. If it fails, the terminal is off until it is opened again. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The parts of a terminal that the owner does not decide. */
export interface TerminalParts {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly openSandbox: OpenSandbox;
  /** Opens the confinement for machines without a sandbox. */
  openFallback(home: string, alsoClosed?: readonly string[]): Confinement;
  readonly loadPty?: () => ReturnType<typeof loadPty>;
}

const systemParts: TerminalParts = {
  clock: { now: () => new Date() },
  env: process.env,
  openSandbox: openSystemSandbox,
  openFallback: (home, alsoClosed) => withoutSandbox(home, sessionOnly, alsoClosed),
};

/** Opens the machine's terminal: finds its confinement and tests it before the first command. */
export async function openTerminal(
  asked: TerminalPlace,
  settings: TerminalSettings = {},
  parts: TerminalParts = systemParts,
): Promise<Terminal> {
  mkdirSync(asked.home, { recursive: true, mode: 0o700 });
  const closed = closePlaces([asked.home, ...(asked.alsoClosed ?? [])]);
  // Resolve links first: otherwise a command that replaces a link would open what it led to.
  const [home = asked.home, ...alsoClosed] = closed.paths;
  const place = { ...asked, home, alsoClosed };
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'terminal-')));
  const shell = settings.shell ?? userShell(parts.env);
  const mode = settings.sandbox ?? 'auto';
  let off = offFromTheStart(settings);
  const warden = openWarden(temporary);
  const helpers = randomBytes(16).toString('hex');
  const adopt = () => {
    warden.register(helpers, false);
    return helpers;
  };
  const sandbox =
    mode === 'off' || off
      ? undefined
      : await parts.openSandbox({ ...place, temporary, adopt }, settings.network ?? []);
  const missing = sandbox && isUnavailable(sandbox) ? sandbox.unavailable : undefined;
  if (missing !== undefined && mode === 'required') off = `The settings require a sandbox. ${missing}`;
  const confinement =
    sandbox && !isUnavailable(sandbox) ? sandbox : parts.openFallback(place.home, place.alsoClosed);
  const sandboxed = confinement.kind === 'sandbox';
  const history = openHistory();
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let canaries: TerminalStatus['canaries'];

  const run = (order: Omit<Order, 'shell' | 'temporary' | 'environment'>, withShell = shell) =>
    runCommand(
      { ...order, shell: withShell, temporary, environment: settings.environment ?? [] },
      { confinement, warden, env: parts.env },
    );
  const probeOnce = () =>
    probe({
      inside: temporary,
      outside: realpathSync(tmpdir()),
      secret: place.home,
      run: (command, withShell, here) =>
        run(
          {
            command,
            hold: [],
            timeoutMs: 20_000,
            signal: closing.signal,
            inFolder: (work) => work(here),
            onOutput: ignore,
          },
          withShell,
        ),
    });
  const check = async () => {
    if (!sandboxed || closing.signal.aborted) return;
    const attempt = () =>
      probeOnce().catch(
        (error: unknown): CanaryFindings => ({ leaks: [], inconclusive: `the probe failed: ${error}` }),
      );
    let { leaks, inconclusive } = await attempt();
    // A test that did not finish, because the machine slept for instance, is no leak. But a sandbox that cannot be
    // tested is not trusted.
    if (leaks.length === 0 && inconclusive) ({ leaks, inconclusive } = await attempt());
    const found = [...(inconclusive ? [inconclusive] : []), ...leaks];
    canaries = { at: parts.clock.now(), found };
    if (found.length > 0) off = `The sandbox does not hold: ${found.join('; ')}.`;
  };
  if (!off) await check();
  const whyOff = () => {
    if (closing.signal.aborted) return 'The bridge is stopping.';
    return off ?? (closed.areMoved() ? MOVED : undefined);
  };
  const pty = parts.loadPty ?? loadPty;
  const whyNoSession = async (): Promise<NoLasting | undefined> => {
    const why = whyOff();
    if (why !== undefined) return { code: 'terminal_off', why };
    const spawn = await pty();
    if (typeof spawn !== 'function') return { code: 'no_lasting_terminal', why: spawn.unavailable };
    const inner = shellCommand({ shell, mark: '' }, confinement);
    return typeof inner === 'string' ? undefined : { code: 'no_lasting_terminal', why: inner.unavailable };
  };
  const timer = setInterval(() => void check(), CANARY_EVERY_MS);
  timer.unref();

  return {
    history,
    check,
    whyOff,
    environment: () => environmentOf(parts.env, settings.environment ?? [], { shell, temporary, mark: '' }),
    run: async (order) => {
      const why = whyOff();
      if (why !== undefined) return { off: why };
      const signal = AbortSignal.any([order.signal, closing.signal]);
      const ended = watched(place, (hold) => run({ ...order, signal, hold }));
      running.add(ended);
      return ended.finally(() => running.delete(ended));
    },
    whyNoSession,
    start: async (order) => {
      const spawn = await pty();
      const refused = await whyNoSession();
      if (refused) return refused;
      if (typeof spawn !== 'function') return { code: 'no_lasting_terminal', why: spawn.unavailable };
      const signal = closing.signal;
      const { hold, look } = await surveyed(place);
      const lasting = await startLasting(
        order,
        { shell, temporary, environment: settings.environment ?? [], hold, signal },
        { confinement, warden, env: parts.env, spawn },
      );
      if ('unavailable' in lasting) return { code: 'no_lasting_terminal', why: lasting.unavailable };
      running.add(lasting.over);
      void lasting.over.finally(() => running.delete(lasting.over));
      return { ...lasting, look };
    },
    status: () => ({
      on: !off && !closing.signal.aborted,
      ...(off ? { reason: off } : {}),
      sandboxed,
      ...(missing === undefined ? {} : { unsandboxedBecause: missing }),
      confinement: confinement.name,
      shell,
      network: sandboxed ? (settings.network ?? []) : null,
      ...(canaries ? { canaries } : {}),
    }),
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await Promise.allSettled(running);
      await confinement.close();
      await warden.close();
      closed.close();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Surveys the open folders before and after a command. */
async function watched(
  place: TerminalPlace,
  run: (hold: readonly string[]) => Promise<Outcome>,
): Promise<WatchedOutcome> {
  const { hold, look } = await surveyed(place);
  return { ...(await run(hold)), ...(await look()) };
}

/** Surveys the open folders now. Gives what to hold, and a function that compares a later survey with this one. */
async function surveyed({ home, roots, alsoClosed = [] }: TerminalPlace) {
  const closed = [home, ...alsoClosed];
  const since = Date.now();
  const before = await surveyAutorun(roots, closed);
  const look = async (): Promise<Findings> =>
    settleAutorun(before, await surveyAutorun(roots, closed), { home, roots, since });
  return { hold: before.hold, look };
}

const ignore = () => undefined;

function offFromTheStart({ enabled = true }: TerminalSettings): string | undefined {
  if (process.platform === 'win32') return 'The terminal does not run on Windows yet.';
  return enabled ? undefined : 'The setting `terminal.enabled` turns it off.';
}
