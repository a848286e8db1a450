import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectOf } from '../test/controls/control.ts';

/** A failed test, and whether the test itself found a wrong result. */
export interface FailedTest {
  readonly title: string;
  readonly why: string;
  readonly isAssertion: boolean;
}

/** The result of running a test file. */
export interface Run {
  readonly passed: number;
  readonly failed: readonly FailedTest[];
  /** The reason why no test ran at all. */
  readonly problem?: string;
  readonly ms: number;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

const running = new Set<ChildProcess>();

/** Ends the runs that are still going on. */
export function endRuns(): void {
  for (const child of running) end(child);
}

/**
 * Runs test files of one project in a copy of everything, one after the other, and gives each result. Runs that take
 * longer than `longestMs` are ended and give `undefined`.
 */
export async function runTests(
  copy: string,
  tests: readonly string[],
  { only, bail, longestMs }: { only?: string | undefined; bail: boolean; longestMs: number },
): Promise<ReadonlyMap<string, Run> | undefined> {
  const output = join(copy, 'controls-report.json');
  rmSync(output, { force: true });
  const how = ['--no-file-parallelism', '--reporter=json', `--outputFile=${output}`];
  if (bail) how.push('--bail=1');
  if (only) how.push('-t', only);
  const child = spawn('vitest', ['run', '--project', projectOf(tests[0] ?? ''), ...how, ...tests], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${join(copy, 'node_modules', '.bin')}:${process.env.PATH}`, CI: '1' },
  });
  running.add(child);
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  let isEndless = false;
  const timer = setTimeout(() => {
    isEndless = true;
    end(child);
  }, longestMs);
  await new Promise((done) => child.once('close', done).once('error', done));
  clearTimeout(timer);
  // Also end what its tests started and forgot.
  end(child);
  running.delete(child);
  if (isEndless) return undefined;
  return new Map(tests.map((test) => [test, runIn(output, join(copy, test), complaint)]));
}

function runIn(output: string, path: string, complaint: string): Run {
  const nothing = { passed: 0, failed: [], ms: 0 };
  let report: Report;
  try {
    report = JSON.parse(readFileSync(output, 'utf8'));
  } catch {
    return { ...nothing, problem: complaint.trim().slice(-300) || 'it left no report' };
  }
  const found = report.testResults.find(({ name }) => name === path);
  if (!found) return { ...nothing, problem: 'it was not run' };
  const { assertionResults: results, message, startTime, endTime } = found;
  const failed = results
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => failedTest(fullName, failureMessages?.[0] ?? ''));
  const passed = results.filter(({ status }) => status === 'passed').length;
  const ran = { passed, failed, ms: endTime - startTime };
  const isBroken = results.length === 0 || (failed.length === 0 && message !== '');
  return isBroken ? { ...ran, problem: message.split('\n')[0] || 'it holds no test' } : ran;
}

// Vitest makes the report of a test that timed out before it knows the reason.
const ASSERTION =
  /\bAssertionError\b|STACK_TRACE_ERROR|Property failed|promise (?:resolved|rejected)|expects to receive|^Error: expected /m;

function failedTest(title: string, message: string): FailedTest {
  const why = message.split('\n')[0] ?? '';
  // Count only errors that the test itself throws. An unexpected error of the product is no finding of the test.
  const thrownAt = /^\s+at .*$/m.exec(message)?.[0] ?? '';
  const isAssertion = ASSERTION.test(message) || thrownAt.includes('/test/');
  return { title, why, isAssertion };
}

function end(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process is already gone, with all that it started.
  }
}
