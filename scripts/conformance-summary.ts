/** One of the suite's checks, as the suite writes it. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The suite's run over the scenarios of one revision of the protocol. */
export interface Run {
  readonly revision: string;
  /** The suite's own verdict: 0 if everything scored passed or was expected to fail. */
  readonly code: number | null;
  readonly output: string;
  readonly checks: ReadonlyMap<string, readonly Check[]>;
  /** The scenarios that the revision requires. The others run only for information. */
  readonly scored: ReadonlySet<string>;
  /** Scenarios that are known to fail, as a whole or in one check. */
  readonly expected: ReadonlySet<string>;
}

/** The scenarios that no revision requires, and that Bowline passes all the same. */
const PROMISED = /^tasks-/;

/** Lists what no revision requires and Bowline promises, as far as it failed. */
export function brokenPromises({ checks }: Run): string[] {
  return [...checks].flatMap(([scenario, all]) => {
    const bad = all.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    return PROMISED.test(scenario)
      ? bad.map(({ id, errorMessage = '' }) => `${scenario}, ${id}: ${errorMessage}`)
      : [];
  });
}

type Outcome = 'passed' | 'warned' | 'failed';

/** Sums up some runs for a person: a line per scenario, a column per revision, and what went wrong. */
export function summary(runs: readonly Run[]): string {
  const scenarios = [...new Set(runs.flatMap((run) => [...run.checks.keys()]))].sort();
  const scored = scenarios.filter((scenario) => runs.some((run) => run.scored.has(scenario)));
  const others = scenarios.filter((scenario) => !scored.includes(scenario));
  return [
    row(
      'scenario',
      runs.map(({ revision }) => revision),
    ),
    ...scored.map((scenario) =>
      row(
        scenario,
        runs.map((run) => cell(run, scenario)),
      ),
    ),
    ...(others.length > 0 ? ['', 'run, but not scored'] : []),
    ...others.map((scenario) =>
      row(
        scenario,
        runs.map((run) => cell(run, scenario)),
      ),
    ),
    ...runs.flatMap(complaints),
    '',
    ...runs.map(verdict),
  ].join('\n');
}

/**
 * Gives a scenario's outcome by the suite's own rule: a warning fails nothing, but the list of expected failures must
 * name it like a failure.
 */
function outcomeOf({ checks }: Run, scenario: string): Outcome | undefined {
  const done = checks.get(scenario)?.map(({ status }) => status);
  if (!done) return undefined;
  if (done.includes('FAILURE')) return 'failed';
  return done.includes('WARNING') ? 'warned' : 'passed';
}

function row(name: string, cells: readonly string[]): string {
  return [name.padEnd(46), ...cells.map((text) => text.padEnd(18))].join('  ').trimEnd();
}

function cell(run: Run, scenario: string): string {
  const outcome = outcomeOf(run, scenario);
  if (outcome === undefined) return '-';
  if (outcome !== 'passed') {
    return run.expected.has(scenario) ? `${outcome}, as known` : outcome.toUpperCase();
  }
  const count = run.checks.get(scenario)?.filter(({ status }) => status === 'SUCCESS').length;
  return count ? `passed ${count}` : 'not tried';
}

function complaints(run: Run): string[] {
  const lines = [...run.checks].flatMap(([name, checks]) => {
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    if (bad.length === 0 || run.expected.has(name) || !run.scored.has(name)) return [];
    return [
      '',
      `${name}, ${run.revision}:`,
      ...bad.map((check) => `  ${check.id}: ${check.errorMessage ?? ''}`),
    ];
  });
  if (run.code === 0) return lines;
  const said = run.output.slice(Math.max(0, run.output.lastIndexOf('\nTotal:'))).trim();
  return [...lines, '', `The suite about ${run.revision}:`, said];
}

function verdict(run: Run): string {
  const names = [...run.checks.keys()].filter((scenario) => run.scored.has(scenario));
  if (names.length === 0) return `${run.revision}: nothing it requires was run`;
  const all = (outcome: Outcome) => names.filter((name) => outcomeOf(run, name) === outcome);
  const passed = all('passed').length + all('warned').length;
  const failed = all('failed');
  const known = failed.filter((name) => run.expected.has(name)).length;
  return [
    `${run.revision}: ${passed} of ${names.length} required scenarios passed`,
    ...(all('warned').length > 0 ? [`${all('warned').length} of them with a warning`] : []),
    ...(known > 0 ? [`${known} failed, as known`] : []),
    ...(failed.length > known ? [`${failed.length - known} FAILED`] : []),
  ].join(', ');
}
