import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type DeployOptions, deploy } from '../../local-bridge/cli/commands/deploy.ts';
import { CliError, EXIT } from '../../local-bridge/lib/exit.ts';
import { readIfThere } from '../../local-bridge/lib/private-file.ts';
import { type Ran, runBowline } from './command.ts';
import { inTerminal } from './terminal.ts';

/** An account at Cloudflare, as the stand-in for wrangler has it. */
export interface StandInState {
  /** Left out: nobody is signed in. */
  readonly accounts?: readonly { readonly id: string; readonly name: string }[];
  readonly deployed: boolean;
  readonly secrets: Readonly<Record<string, string>>;
  readonly address: string;
  /** What does not work, by how the arguments begin, and what is said of it. */
  readonly fails?: readonly { readonly on: string; readonly says: string }[];
  /** Whether it writes its report for programs. */
  readonly reports?: boolean;
}

export interface WranglerCall {
  readonly args: string[];
  readonly stdin: string;
  readonly env: Record<string, string>;
}

export const ACCOUNT = { id: 'a'.repeat(32), name: "Me's Account" };

/** An empty account, a stand-in wrangler, and a home to deploy from. */
export function deployFrom(address: string, start: Partial<StandInState> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-deploy-test-'));
  const stateFile = join(folder, 'account.json');
  const callsFile = join(folder, 'calls.ndjson');
  const home = join(folder, 'home');
  const program = join(folder, 'wrangler');
  const standIn = join(import.meta.dirname, 'stand-in-wrangler.ts');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`);
  chmodSync(program, 0o755);
  const change = (next: Partial<StandInState>) =>
    writeFileSync(stateFile, JSON.stringify({ ...account(), ...next }));
  const account = (): StandInState => JSON.parse(readFileSync(stateFile, 'utf8'));
  writeFileSync(
    stateFile,
    JSON.stringify({ accounts: [ACCOUNT], deployed: false, secrets: {}, address, ...start }),
  );
  const env = {
    BOWLINE_HOME: home,
    BOWLINE_WRANGLER: program,
    BOWLINE_OWNER_KEY: '',
    STAND_IN_STATE: stateFile,
    STAND_IN_CALLS: callsFile,
    CLOUDFLARE_ACCOUNT_ID: '',
  };
  return {
    home,
    account,
    change,
    deploy: (options: Partial<DeployOptions>, more: Record<string, string> = {}) =>
      deployHere({ doctor: true, ...options }, { ...env, ...more }),
    /** The same as a program of its own. */
    deployAsUsersDo: (args: readonly string[], more: Record<string, string> = {}) =>
      runBowline(['deploy', ...args], { env: { ...env, ...more } }),
    /** The same in a real terminal. */
    deployInTerminal: (args: readonly string[]) => inTerminal(['deploy', ...args], env),
    calls: (): WranglerCall[] =>
      (readIfThere(callsFile) ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    forget: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs the command in this process, which is far quicker than starting one. */
async function deployHere(options: DeployOptions, env: Record<string, string>): Promise<Ran> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const out: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void out.push(String(line)));
  const ended = (code: number, stderr = ''): Ran => ({ code, stdout: out.join('\n'), stderr });
  try {
    await deploy(options);
    return ended(Number(process.exitCode ?? EXIT.done));
  } catch (error) {
    if (error instanceof CliError)
      return ended(error.exitCode, `${error.message}\n${error.suggestion ?? ''}`);
    throw error;
  } finally {
    process.exitCode = undefined;
    log.mockRestore();
    vi.unstubAllEnvs();
  }
}
