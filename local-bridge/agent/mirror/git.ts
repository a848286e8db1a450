import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { errorText } from '../../../src/core/error-text.ts';
import { CliError } from '../../lib/exit.ts';
import { FETCHES_NOTHING, RUNS_NOTHING } from '../../tools/git/run-git.ts';

/** Git failed. The message is git's own. */
export class GitFailed extends CliError {
  override name = 'GitFailed';
}

/** There is no git on this computer. */
export class GitMissing extends CliError {
  override name = 'GitMissing';
}

/** Options for reading a commit, so that a repo's own settings cannot change what git prints, or run a program. */
const PLAIN = [
  ...['--no-pager', '--no-replace-objects', '--literal-pathspecs', '-c', 'core.quotePath=false'],
  ...RUNS_NOTHING,
];

function start(root: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const env: NodeJS.ProcessEnv = { ...process.env, ...FETCHES_NOTHING };
  // A git hook sets these. With them git would read the hook's repo instead of the given folder's.
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE'])
    delete env[name];
  return spawn('git', [...PLAIN, ...args], { cwd: root, env });
}

/** Runs git and gives its output. */
export async function git(root: string, args: readonly string[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of gitStream(root, args)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Streams git's output. Ends git when the reader stops. */
export async function* gitStream(root: string, args: readonly string[]): AsyncGenerator<Buffer> {
  const child = start(root, args);
  child.stdin.end();
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const ended = endOf(child);
  // The failure is handled below. Until then it must not count as unhandled.
  ended.catch(() => undefined);
  let isWhole = false;
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    isWhole = true;
  } finally {
    if (!isWhole) child.kill();
  }
  const code = await ended;
  if (code !== 0)
    throw new GitFailed(`git ${args[0]} failed: ${complaint.trim() || `it ended with ${code}`}`);
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  try {
    const [code] = await once(child, 'close');
    return code;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new GitMissing(
        'git is not installed here.',
        'Install it to mirror a repo. Everything else works without it.',
      );
    throw new CliError(`git cannot be started: ${errorText(error)}`, 'Install git, or add it to your PATH.');
  }
}

/** Splits what git printed with `-z`. */
export async function* records(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let at = all.indexOf(0); at >= 0; at = all.indexOf(0, from)) {
      yield all.subarray(from, at);
      from = at + 1;
    }
    rest = all.subarray(from);
  }
  if (rest.length > 0) yield rest;
}

/** Reads objects of a repo one after the other, through one git process that stays. */
export class Objects {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #last: Promise<unknown> = Promise.resolve();

  constructor(root: string) {
    this.#child = start(root, ['cat-file', '--batch']);
    // If git ends early, this write fails too. The read reports the failure.
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', () => undefined);
    this.#chunks = (this.#child.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  read(sha: string): Promise<Buffer> {
    const read = this.#last.then(() => this.#read(sha));
    this.#last = read.catch(() => undefined);
    return read;
  }

  close(): void {
    this.#child.stdin.end();
    this.#child.kill();
  }

  async #read(sha: string): Promise<Buffer> {
    this.#child.stdin.write(`${sha}\n`);
    while (!this.#held.includes(0x0a)) await this.#more(sha);
    const end = this.#held.indexOf(0x0a);
    const line = this.#held.toString('latin1', 0, end);
    this.#held = this.#held.subarray(end + 1);
    const size = / (\d+)$/.exec(line)?.[1];
    if (size === undefined) {
      throw new GitFailed(
        `git has no object ${sha}.`,
        'If this is a partial clone, fetch everything with `git fetch --refetch --no-filter`.',
      );
    }
    return (await this.#take(Number(size) + 1, sha)).subarray(0, -1);
  }

  async #take(bytes: number, sha: string): Promise<Buffer> {
    const taken: Buffer[] = [];
    let left = bytes;
    for (;;) {
      const chunk = this.#held.subarray(0, left);
      taken.push(chunk);
      this.#held = this.#held.subarray(chunk.length);
      left -= chunk.length;
      if (left === 0) return taken.length === 1 ? chunk : Buffer.concat(taken);
      await this.#more(sha);
    }
  }

  async #more(sha: string): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new GitFailed(`git ended while it read the object ${sha}.`);
    this.#held = this.#held.length > 0 ? Buffer.concat([this.#held, value]) : value;
  }
}
