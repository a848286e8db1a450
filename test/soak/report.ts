import { catalogue } from '../../contracts/index.ts';
import { type CallRecord, type Fault, isKnownNotRun, standingOf, type Violation } from './history.ts';
import { inWords, type Memory, megabytes } from './watch-memory.ts';

/** What is shown of the time around a violation. */
const AROUND_MS = 6_000;
const MAX_SHOWN = 40;

/** What both sides held at the start, at the end, and at most. */
export interface Held {
  readonly start: Memory;
  readonly end: Memory;
  readonly most: Memory;
}

export interface Run {
  readonly seed: number;
  readonly began: number;
  readonly calls: readonly CallRecord[];
  readonly faults: readonly Fault[];
  readonly faultKinds: readonly string[];
  readonly violations: readonly Violation[];
  readonly memory: Held | undefined;
}

/** All of a run on one screen: calls by tool, faults by kind, memory. */
export function reportOf({ began, calls, faults, faultKinds, violations, memory }: Run): string {
  const tools = [...Map.groupBy(calls, ({ tool }) => tool)].sort(([one], [other]) => (one < other ? -1 : 1));
  const attempts = calls.reduce((sum, call) => sum + call.attempts.length, 0);
  const lines = [
    '| tool | calls | done | refused | unknown | sent again |',
    '|---|---|---|---|---|---|',
    ...tools.map(([tool, made]) => toolLine(tool, made)),
    toolLine('**all**', calls),
    '',
    '| fault | times | seconds |',
    '|---|---|---|',
    ...faultKinds.map((kind) => faultLine(kind, faults)),
    '',
    `${calls.length} calls in ${attempts} sendings, ${((Date.now() - began) / 1_000).toFixed(0)} s, ${violations.length} violations.`,
  ];
  const called = new Set(calls.map(({ tool }) => tool));
  const never = Object.values(catalogue).flatMap(({ wireName }) => (called.has(wireName) ? [] : [wireName]));
  if (never.length > 0) lines.push(`Never called: ${never.join(', ')}.`);
  if (memory) {
    const { start, end, most } = memory;
    lines.push(`Memory: at first ${inWords(start)}, at last ${inWords(end)}, at most ${inWords(most)}.`);
  }
  return lines.join('\n');
}

function toolLine(tool: string, made: readonly CallRecord[]): string {
  const refusedOf = (call: CallRecord) => {
    const last = call.attempts.at(-1)?.told;
    return (
      last !== undefined &&
      last.is === 'failed' &&
      (isKnownNotRun(last) || call.attempts.every(({ key }) => !key))
    );
  };
  const done = made.filter((call) => standingOf(call) === 'done').length;
  const refused = made.filter(refusedOf).length;
  const again = made.reduce((sum, { attempts }) => sum + attempts.length - 1, 0);
  return `| ${tool} | ${made.length} | ${done} | ${refused} | ${made.length - done - refused} | ${again} |`;
}

function faultLine(kind: string, faults: readonly Fault[]): string {
  const own = faults.filter((fault) => fault.kind === kind);
  const seconds = own.reduce((sum, { at, until }) => sum + until - at, 0) / 1_000;
  return `| ${kind} | ${own.length} | ${seconds.toFixed(1)} |`;
}

/** Each violation with what was broken around it. */
export function violationsOf({ seed, began, faults, violations }: Run, command: string): string {
  const shown = violations.slice(0, MAX_SHOWN).map((violation) => {
    const { kind, what, at, story = [] } = violation;
    const around =
      at === undefined
        ? []
        : faults.filter((fault) => fault.until >= at - AROUND_MS && fault.at <= at + AROUND_MS);
    const when = at === undefined ? '' : ` at ${seconds(at - began)}`;
    return [
      `✗ ${kind}${when}: ${what}`,
      ...around.map(
        (fault) => `    ${seconds(fault.at - began)} to ${seconds(fault.until - began)}: ${fault.kind}`,
      ),
      ...story.map((event) => `    ${seconds(event.at - began)}: ${event.what}`),
    ].join('\n');
  });
  const more = violations.length - shown.length;
  return [
    `Seed ${seed}: ${violations.length} violations.`,
    ...shown,
    ...(more > 0 ? [`… and ${more} more.`] : []),
    `To send the same again: ${command} --seed ${seed}`,
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Neither side may ever hold more, once it ran for so long that it met everything. */
const MOST_BYTES = 1_000 * 1_048_576;
const MOST_MINUTES = 5;
/** After so long a process holds what it will ever need; a leak would be several times that. */
export const LONG_MINUTES = 30;
const GROWN_BYTES = 300 * 1_048_576;

/** What grew beyond reason, after a run that is long enough to tell. */
export function checkMemory({ start, end, most }: Held, minutes: number): Violation[] {
  return (['gateway', 'bridge'] as const).flatMap((side): Violation[] => {
    const grown = `The ${side} grew from ${megabytes(start[side])} MB to ${megabytes(end[side])} MB`;
    const held = `The ${side} once held ${megabytes(most[side])} MB, and ${megabytes(MOST_BYTES)} are the most`;
    return [
      ...(minutes >= LONG_MINUTES && end[side] > 2 * start[side] + GROWN_BYTES ? [grown] : []),
      ...(minutes >= MOST_MINUTES && most[side] > MOST_BYTES ? [held] : []),
    ].map((what) => ({ kind: 'process', what }));
  });
}
