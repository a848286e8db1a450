import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { AnyContract } from '../../../contracts/contract.ts';
import { runInTerminal, terminalLastCommand } from '../../../contracts/terminal.ts';
import { undoFolder } from '../../../local-bridge/tools/handlers/files-ports.ts';
import { type TerminalPorts, terminalHandlers } from '../../../local-bridge/tools/handlers/terminal.ts';
import { terminalPreviews } from '../../../local-bridge/tools/handlers/terminal-preview.ts';
import {
  type Confinement,
  isUnavailable,
  sessionOnly,
} from '../../../local-bridge/tools/terminal/confine.ts';
import { findProgram } from '../../../local-bridge/tools/terminal/environment.ts';
import { openNamespace } from '../../../local-bridge/tools/terminal/namespace.ts';
import { listProcesses } from '../../../local-bridge/tools/terminal/process-tree.ts';
import type { OpenSandbox } from '../../../local-bridge/tools/terminal/sandbox.ts';
import type { TerminalSettings } from '../../../local-bridge/tools/terminal/settings.ts';
import {
  openTerminal,
  type Terminal,
  type TerminalParts,
} from '../../../local-bridge/tools/terminal/terminal.ts';
import { openCommandUndo } from '../../../local-bridge/tools/undo/command-undo.ts';
import { openUndoJournal } from '../../../local-bridge/tools/undo/journal.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { openWorkspace, type Workspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { invoke, runPrepared } from '../../../src/core/invoke.ts';
import type { Looked } from '../../../src/core/preview.ts';
import { look as lookAt } from '../../support/look.ts';
import { prepared } from '../../support/prepared.ts';
import { procText } from '../../support/proc.ts';
import { everyone, WatchedDoor } from '../../support/tools.ts';

/** A machine without a sandbox, whatever this one has. */
export const noSandbox: OpenSandbox = async () => ({ unavailable: 'There is none in this test.' });

/** A folder that goes with the test. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-terminal-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface RigOptions {
  readonly settings?: TerminalSettings;
  readonly openSandbox?: OpenSandbox;
  readonly fallback?: Confinement;
  readonly env?: NodeJS.ProcessEnv;
  readonly loadPty?: TerminalParts['loadPty'];
  /** Stands between the tools and the workspace. */
  readonly workspace?: (real: Workspace) => Pick<Workspace, 'root' | 'folder'>;
}

/** A terminal over real folders and processes, with its tools as callers use them. */
export async function openRig(options: RigOptions = {}) {
  const base = tempFolder();
  // A sandbox takes this process to a folder that goes with the test.
  const here = process.cwd();
  onTestFinished(() => process.chdir(here));
  const [home, root, other] = ['home', 'root', 'other'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, root, other]) mkdirSync(folder);
  const clock = { now: () => new Date('2026-03-04T05:06:07.000Z') };
  const terminal = await openTerminal({ home, roots: [root, other] }, options.settings, {
    clock,
    env: { SHELL: '/bin/sh', PATH: process.env.PATH, HOME: base, LANG: 'C.UTF-8', ...options.env },
    openSandbox: options.openSandbox ?? noSandbox,
    openFallback: () => options.fallback ?? bestFallback(home),
    ...(options.loadPty ? { loadPty: options.loadPty } : {}),
  });
  onTestFinished(() => terminal.close());
  const workspace = openWorkspace([{ path: root, name: 'main' }, { path: other }]);
  onTestFinished(() => workspace.close());
  const ports: TerminalPorts = {
    terminal,
    workspace: { ...workspace, ...options.workspace?.(workspace) },
    ...{ clock, disk: nodeDisk, home },
    commandUndo: openCommandUndo({
      ...{ workspace, disk: nodeDisk, home },
      undo: openUndoJournal(undoFolder(home)),
    }),
  };
  const door = new WatchedDoor();
  const use = <C extends AnyContract>(
    contract: C,
    handler: Handler<C, TerminalPorts>,
    args: unknown,
    caller: Partial<Caller> = {},
  ): Promise<Result> => invoke(contract, handler, args, { ...everyone, ...caller }, door, ports);
  return {
    ...{ base, home, root, other, terminal, ports, door },
    run: (args: Record<string, unknown> | string, caller?: Partial<Caller>) =>
      use(
        runInTerminal,
        terminalHandlers.run_in_terminal,
        typeof args === 'string' ? { command: args } : args,
        caller,
      ),
    look: (args: Record<string, unknown> | string): Promise<Looked> =>
      lookAt(
        runInTerminal,
        prepared(runInTerminal, typeof args === 'string' ? { command: args } : args),
        ports,
        terminalPreviews.run_in_terminal,
      ),
    /** Runs a command that the owner approved when they saw `seen`. */
    runSeen: (args: Record<string, unknown> | string, seen: string): Promise<Result> =>
      runPrepared(
        runInTerminal,
        terminalHandlers.run_in_terminal,
        { ...prepared(runInTerminal, typeof args === 'string' ? { command: args } : args), seen },
        door,
        ports,
      ),
    last: (caller?: Partial<Caller>, args: unknown = {}) =>
      use(terminalLastCommand, terminalHandlers.terminal_last_command, args, caller),
  };
}

export type Rig = Awaited<ReturnType<typeof openRig>>;

/** Installed and also allowed: some kernels and containers forbid what bubblewrap needs. */
export const hasSandbox =
  process.platform === 'darwin' ||
  (findProgram('bwrap') !== undefined &&
    findProgram('socat') !== undefined &&
    spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true']).status === 0);

/** Namespaces where the system gives them, as a bridge would choose. */
export function bestFallback(home: string): Confinement {
  const namespace = openNamespace(home);
  return isUnavailable(namespace) ? sessionOnly : namespace;
}

interface RunOutput {
  readonly success: boolean;
  readonly output: string;
  readonly files_affected: string[];
  readonly execution_time_ms: number;
  readonly metadata: Record<string, unknown>;
}

/** The envelope of a result that has to be one. */
export function envelopeIn(result: Result): RunOutput {
  if (result.kind !== 'ok') throw new Error(`expected an envelope, got ${JSON.stringify(result)}`);
  return result.output as RunOutput;
}

/** What a command printed, without the line that says how it ended. */
export function printedIn(result: Result): string {
  return envelopeIn(result).output.split('\n').slice(1).join('\n');
}

/** The processes whose command line says `word`, which the test made up. */
export function processesSaying(word: string): number[] {
  return listProcesses('none')
    .map(({ pid }) => pid)
    .filter((pid) => procText(pid, 'cmdline')?.includes(word));
}

/** Waits for something that has to become true, and fails when it does not. */
export async function until(what: string, isSo: () => boolean, withinMs = 10_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`${what}: not within ${withinMs} ms`);
    await wait(10);
  }
}

export type { Terminal };
