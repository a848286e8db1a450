import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { jsonOrNothing, readIfThere } from '../../lib/private-file.ts';
import { PROJECT } from '../../lib/project.ts';
import { QUIET, wranglerProgram } from '../../local/up/wrangler.ts';

/** The result of one run of wrangler. */
export interface WranglerRan {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Its report for programs, one object for each thing that it did. */
  readonly events: readonly unknown[];
}

interface WranglerAsk {
  readonly args: readonly string[];
  /** Text for its standard input. Secrets go this way, because every user of the computer can see arguments. */
  readonly stdin?: string;
  /** The account, if there are several. */
  readonly account?: string | undefined;
}

export type Wrangler = (ask: WranglerAsk) => Promise<WranglerRan>;

/** Gives this clone's wrangler, or the program that `BOWLINE_WRANGLER` names. */
export function wranglerCommand(environment: NodeJS.ProcessEnv): Wrangler {
  const { file, before, inherited } = programIn(environment);
  return async ({ args, stdin = '', account }) => {
    const folder = mkdtempSync(join(tmpdir(), 'bowline-deploy-'));
    const outputFile = join(folder, 'output.ndjson');
    const child = spawn(file, [...before, ...args], {
      cwd: PROJECT,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...inherited,
        ...QUIET,
        WRANGLER_OUTPUT_FILE_PATH: outputFile,
        WRANGLER_LOG_PATH: folder,
        ...(account === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: account }),
      },
    });
    try {
      // Ignore this error: a program that ends without reading its input reports why itself.
      child.stdin.on('error', () => undefined);
      child.stdin.end(stdin);
      const [stdout, stderr, code] = await Promise.all([
        outputText(child.stdout),
        outputText(child.stderr),
        new Promise<number | null>((done, failed) => child.once('close', done).once('error', failed)),
      ]);
      const lines = (readIfThere(outputFile) ?? '').split('\n').filter(Boolean);
      return { code, stdout, stderr, events: lines.map(jsonOrNothing) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

/** Lets wrangler sign its user in with the browser, in this terminal. Tells whether it ended well. */
export async function wranglerLogin(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const { file, before, inherited } = programIn(environment);
  // With `CI` it would not ask, whoever set that.
  const { CI: _ci, ...asking } = { ...inherited, ...QUIET };
  const child = spawn(file, [...before, 'login'], {
    cwd: PROJECT,
    stdio: 'inherit',
    env: asking,
  });
  const code = await new Promise<number | null>((done, failed) =>
    child.once('close', done).once('error', failed),
  );
  return code === 0;
}

/** Finds the program, and the environment without Bowline's secrets. */
function programIn(environment: NodeJS.ProcessEnv) {
  const {
    BOWLINE_OWNER_KEY: _key,
    BOWLINE_TOKEN: _token,
    BOWLINE_WRANGLER: other,
    ...inherited
  } = environment;
  return other
    ? { file: other, before: [], inherited }
    : { file: process.execPath, before: [wranglerProgram()], inherited };
}

async function outputText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return stripVTControlCharacters(text);
}
