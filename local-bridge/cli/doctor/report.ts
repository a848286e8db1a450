import { styleText } from 'node:util';
import { visible } from '../../../src/core/visible.ts';
import { firstFailure, type Reported } from './finding.ts';

const MARKS = {
  ok: ['green', '✓'],
  warning: ['yellow', '!'],
  failed: ['red', '✗'],
  skipped: ['dim', '-'],
} as const satisfies Record<Reported['state'], readonly [Parameters<typeof styleText>[0], string]>;

/** Prints findings one by one, under the titles of their sections. */
export function printer(print: (line: string) => void): (finding: Reported) => void {
  let title: string | undefined;
  return ({ section, check, state, found, cure }) => {
    if (section !== title) {
      print(`${title === undefined ? '' : '\n'}${styleText('bold', section)}`);
      title = section;
    }
    const [color, mark] = MARKS[state];
    print(`  ${styleText(color, mark)} ${check}: ${found}`);
    if (cure !== undefined) print(`    ${styleText('dim', '→')} ${cure}`);
  };
}

/** Gives the last line: the first failure, or that there is none. */
export function verdict(findings: readonly Reported[]): string {
  const first = firstFailure(findings);
  if (first) {
    const { section, check, cure } = first;
    return `The first failing hop is ${section} › ${check}. ${cure ?? ''}`.trimEnd();
  }
  const count = (state: Reported['state']) => findings.filter((finding) => finding.state === state).length;
  const warnings = count('warning');
  const left = count('skipped');
  return [
    'Every hop that was checked works.',
    ...(warnings > 0 ? [`${warnings} should be fixed.`] : []),
    ...(left > 0 ? [`${left} could not be checked.`] : []),
  ].join(' ');
}

/** Gives the report for programs. */
export function asJson(url: string | undefined, findings: readonly Reported[]) {
  const first = firstFailure(findings);
  return {
    url: url ?? null,
    ok: first === undefined,
    first_failing_hop: first ? `${first.section} › ${visible(first.check)}` : null,
    findings,
  };
}
