import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { SandboxManager, type SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import { rgPath } from '@vscode/ripgrep';
import type { Confinement, Unavailable } from './confine.ts';
import { findProgram } from './environment.ts';
import { INNER_MARK, MARK_NAME } from './process-tree.ts';
import { secretPlaces } from './secret-places.ts';
import type { TerminalPlace } from './settings.ts';

/** The means for opening a sandbox. */
interface SandboxPlace extends TerminalPlace {
  /** The commands' own folder for temporary files. */
  readonly temporary: string;
  /** Gives the mark for helpers of the sandbox, so that they end with the bridge as commands do. */
  adopt(): string;
}

/** Opens a sandbox, or gives the reason why the machine has none. */
export type OpenSandbox = (
  place: SandboxPlace,
  network: readonly string[],
) => Promise<Confinement | Unavailable>;

/**
 * Opens the system's own sandbox: Seatbelt on macOS, bubblewrap on Linux. There is one per process, as its runtime
 * requires.
 */
export const openSystemSandbox: OpenSandbox = async (place, network) => {
  if (process.platform === 'win32' || !SandboxManager.isSupportedPlatform()) {
    return { unavailable: `There is no sandbox for ${process.platform}.` };
  }
  const { errors } = await SandboxManager.checkDependenciesAsync({ command: rgPath });
  if (errors.length > 0)
    return { unavailable: `The sandbox needs something that is missing: ${errors.join('; ')}.` };
  // On Linux, only what exists when a command starts can be hidden from it.
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  // On Linux the runtime also masks names that are missing in this process's own folder (`.bashrc`, `.mcp.json`).
  // They would show up as devices, and `git add -A` fails on them. Bowline guards such names itself, so move this
  // process to another folder.
  if (process.platform === 'linux') process.chdir(place.home);
  // The runtime's helpers inherit this environment.
  process.env[MARK_NAME] = place.adopt();
  try {
    await SandboxManager.initialize(policyFor(place, network));
  } catch (error) {
    return { unavailable: `The sandbox did not start: ${error instanceof Error ? error.message : error}.` };
  } finally {
    delete process.env[MARK_NAME];
  }
  return {
    kind: 'sandbox',
    name: process.platform === 'darwin' ? 'Seatbelt' : 'bubblewrap',
    // Seatbelt limits what a process may touch, not how long it lives.
    leaky: process.platform === 'darwin',
    launch: async (command, shell, hold) => ({
      file: '/bin/sh',
      // On Linux, replace the shell by the sandbox's program, so that a request to stop reaches only that program.
      args: [
        '-c',
        `${process.platform === 'linux' ? 'exec ' : ''}${await wrap(command, shell, place, hold)}`,
      ],
    }),
    after: () => SandboxManager.cleanupAfterCommand(),
    close: () => SandboxManager.reset(),
  };
};

function wrap(command: string, shell: string, place: SandboxPlace, hold: readonly string[]): Promise<string> {
  // Set TMPDIR, because the runtime points it at a folder that every sandbox of this user shares.
  const inner = `export TMPDIR=${quote(place.temporary)} ${INNER_MARK}; exec ${quote(shell)} -c ${quote(command)}`;
  // Programs inside see the id in their proxy settings, so it must say nothing about the command.
  const commandId = randomBytes(16).toString('base64url');
  const policy = { filesystem: filesFor(place, hold) };
  return SandboxManager.wrapWithSandbox(inner, findProgram('bash') ?? '/bin/sh', policy, undefined, {
    commandId,
    commandText: 'run_in_terminal',
  });
}

/** Makes a sandbox's policy: the command writes in the open folders, reads no secrets, and reaches the named hosts. */
export function policyFor(
  place: Omit<SandboxPlace, 'adopt'>,
  network: readonly string[],
): SandboxRuntimeConfig {
  return {
    network: {
      allowedDomains: [...network],
      deniedDomains: [],
      strictAllowlist: true,
      allowLocalBinding: false,
    },
    filesystem: filesFor(place, []),
    ripgrep: { command: rgPath },
  };
}

/**
 * Makes the policy's part about files. Everything in `hold` exists: for a missing name, the runtime would have to
 * create something odd.
 */
export function filesFor(
  { home, alsoClosed = [], roots, temporary }: Omit<SandboxPlace, 'adopt'>,
  hold: readonly string[],
): SandboxRuntimeConfig['filesystem'] {
  // Use names, never patterns: a folder may be called `[a]`.
  const literal = (path: string) => ({ path, literal: true }) as const;
  return {
    denyRead: [...secretPlaces(homedir(), home), ...alsoClosed].map(literal),
    allowWrite: [...roots, temporary].map(literal),
    denyWrite: [home, ...alsoClosed, ...hold].map(literal),
  };
}

/** Quotes a text as one word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
