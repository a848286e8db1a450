import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Job, Parsed } from './parsers.ts';

/** How many files are read at the same time. Others wait, so that many calls do not fill the memory. */
const MOST_AT_ONCE = 2;
/** The most memory for what a parser makes of a file. Ten megabytes of empty lists need far more. */
const HEAP_MB = 256;
/** The most processor time, which ends the program even if the bridge is gone. */
const CPU_SECONDS = 15;
/** How long after its time the program may still say how far it came. */
const GRACE_MS = 500;
/** The most bytes of an answer. */
const MAX_ANSWER_BYTES = 16_000_000;

/** Until when a call may read, as `Date.now()` gives it, and what ends it before. */
export interface Time {
  readonly until: number;
  readonly signal: AbortSignal;
}

const TOO_LONG = { problem: 'takes too long to read' };

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

let taken = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a file in a process of its own, so that no file can stop the bridge. The process is ended when its time is over,
 * when the call is, and when it needs too much memory. A thread would not do: where it has no memory left, it can take
 * the whole bridge with it.
 */
export async function readAside(
  { until, signal }: Time,
  jobWhenFree: () => Promise<Job>,
  heapMb = HEAP_MB,
): Promise<Parsed | undefined> {
  while (taken >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  taken += 1;
  try {
    if (Date.now() > until) return TOO_LONG;
    const job = await jobWhenFree();
    return signal.aborted ? TOO_LONG : await inProcess(job, signal, heapMb);
  } finally {
    taken -= 1;
    waiting.shift()?.();
  }
}

function inProcess(
  { kind, bytes, until }: Job,
  signal: AbortSignal,
  heapMb: number,
): Promise<Parsed | undefined> {
  const { promise, resolve } = Promise.withResolvers<Parsed | undefined>();
  const child = started(heapMb, [kind, String(until)]);
  running.add(child);
  const chunks: Buffer[] = [];
  let size = 0;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(stop, Math.max(0, until + GRACE_MS - Date.now()));
  signal.addEventListener('abort', stop, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) stop();
  });
  // If the program ends early, this write fails too, and its end says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(bytes);
  child.once('error', () => undefined);
  child.once('close', (code, ending) => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    running.delete(child);
    resolve(code === 0 ? answerIn(Buffer.concat(chunks)) : problemOf(isStopped, ending));
  });
  return promise;
}

/** Starts the program with little memory and time. It may write no file and start no program, whatever a file makes of it. */
function started(heapMb: number, args: readonly string[]) {
  const program = fileURLToPath(new URL('./aside-program.ts', import.meta.url));
  const limits = ['--no-warnings', `--max-old-space-size=${heapMb}`, '--permission', '--allow-fs-read=*'];
  const command = [process.execPath, ...limits, program, ...args];
  const limited = ['/bin/sh', '-c', `ulimit -t ${CPU_SECONDS}; exec "$@"`, 'sh', ...command];
  const [file = '', ...rest] = process.platform === 'win32' ? command : limited;
  return spawn(file, rest, { stdio: ['pipe', 'pipe', 'ignore'], env: {}, windowsHide: true });
}

const answerShape = z.union([
  z.strictObject({
    kind: z.enum(['notebook', 'pdf', 'zip', 'tar']),
    encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']).optional(),
    isCut: z.boolean(),
    title: z.string().nullable().optional(),
    author: z.string().nullable().optional(),
  }),
  z.strictObject({
    kind: z.literal('picture'),
    mime: z.enum(['image/png', 'image/jpeg']),
    width: z.int().min(1),
    height: z.int().min(1),
  }),
  z.strictObject({ problem: z.string().max(200) }),
  z.strictObject({ is: z.literal('other') }),
]);

function answerIn(answer: Buffer): Parsed | undefined {
  const end = answer.indexOf(10);
  const about = answerShape.parse(JSON.parse(answer.toString('utf8', 0, end)));
  if ('problem' in about) return about;
  if ('is' in about) return undefined;
  if (about.kind === 'picture') {
    const { kind, ...sides } = about;
    return { kind, picture: { ...sides, bytes: answer.subarray(end + 1) } };
  }
  const { encoding, ...rest } = about;
  return { ...rest, ...(encoding ? { encoding } : {}), text: answer.toString('utf8', end + 1) };
}

function problemOf(isStopped: boolean, ending: NodeJS.Signals | null): Parsed {
  if (isStopped || ending === 'SIGXCPU' || ending === 'SIGKILL') return TOO_LONG;
  return {
    problem: ending === 'SIGABRT' ? 'takes too much memory to read' : 'is damaged and cannot be read',
  };
}
