import { catalogue } from '../../contracts/index.ts';
import { type CallRecord, type Fault, isKnownNotRun, standingOf, type Violation } from './history.ts';

/** What is shown of the time around a violation. */
const AROUND_MS = 6_000;
const MAX_SHOWN = 40;

export interface Memory {
  readonly gateway: number;
  readonly bridge: number;
}

export interface Run {
  readonly seed: number;
  readonly began: number;
  readonly calls: readonly CallRecord[];
  readonly faults: readonly Fault[];
  readonly faultKinds: readonly string[];
  readonly violations: readonly Violation[];
  readonly memory: { readonly start: Memory; readonly end: Memory } | undefined;
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
    const { start, end } = memory;
    lines.push(
      `Memory: gateway ${megabytes(start.gateway)} MB, then ${megabytes(end.gateway)}; bridge ${megabytes(start.bridge)} MB, then ${megabytes(end.bridge)}.`,
    );
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
    const { kind, what, at } = violation;
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

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}

/** After so long a process holds what it will ever need; a leak would be several times that. */
const LONG_MINUTES = 30;
const GROWN_BYTES = 300 * 1_048_576;

/** What grew beyond reason, after a run that is long enough to tell. */
export function checkMemory(start: Memory, end: Memory, minutes: number): Violation[] {
  if (minutes < LONG_MINUTES) return [];
  return (['gateway', 'bridge'] as const)
    .filter((side) => end[side] > 2 * start[side] + GROWN_BYTES)
    .map((side) => ({
      kind: 'process',
      what: `The ${side} grew from ${megabytes(start[side])} MB to ${megabytes(end[side])} MB`,
    }));
}
