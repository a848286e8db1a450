import { spawn } from 'node:child_process';
import { BOWLINE, PROJECT } from './up.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `bowline` to its end as a program of its own. */
export function runBowline(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly program?: string;
    readonly stdin?: string;
  } = {},
): Promise<Ran> {
  const { env = {}, program = BOWLINE, stdin } = options;
  const child = spawn('node', [program, ...args], {
    cwd: PROJECT,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(stdin);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((done) => child.once('close', (code) => done({ code, stdout, stderr })));
}
