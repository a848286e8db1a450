import { checkLedger } from './check-ledger.ts';
import { type CallRecord, type Evidence, standingOf, type Violation } from './history.ts';
import { storyOf } from './story.ts';

/** Holds what is left against what clients were told, and says what should not be so. */
export function check(evidence: Evidence): Violation[] {
  return violationsIn(evidence).map((one) =>
    one.call ? { ...one, story: storyOf(one.call, evidence) } : one,
  );
}

function violationsIn(evidence: Evidence): Violation[] {
  return [
    ...checkMemory(evidence),
    ...evidence.chain.map((what): Violation => ({ kind: 'chain', what })),
    ...checkFiles(evidence),
    ...checkMarks(evidence),
    ...checkLedger(evidence),
    ...evidence.processes.map((what): Violation => ({ kind: 'process', what: `Still there: ${what}` })),
    ...evidence.leftovers.map((what): Violation => ({ kind: 'leftover', what: `Left behind: ${what}` })),
  ];
}

/** The calls with an effect of one kind, with when each was first sent. */
function callsOn<On extends NonNullable<CallRecord['effect']>['on']>({ calls }: Evidence, on: On) {
  return calls.flatMap((call) => {
    const { effect } = call;
    if (effect?.on !== on) return [];
    return [{ call, effect: effect as Extract<typeof effect, { on: On }>, at: firstAt(call) }];
  });
}

const firstAt = ({ attempts }: CallRecord) => attempts[0]?.at ?? 0;
const lastUntil = ({ attempts }: CallRecord) => attempts.at(-1)?.until ?? 0;

/** Says whether something is there as often as it may be: once if it was acknowledged, never if it was refused. */
function countProblem(call: CallRecord, count: number): string | undefined {
  const standing = standingOf(call);
  const told = { done: 'acknowledged', not_done: 'told that it did not run', unknown: 'never told' }[
    standing
  ];
  const isRight = standing === 'unknown' ? count <= 1 : count === (standing === 'done' ? 1 : 0);
  return isRight ? undefined : `is there ${count} times, and its client (${call.way}) was ${told}`;
}

function checkMemory(evidence: Evidence): Violation[] {
  const violations: Violation[] = [];
  const linesOf = Map.groupBy(evidence.memory, ({ file, body }) => `${file}\n${body}`);
  const written = callsOn(evidence, 'memory');
  for (const { call, effect, at } of written) {
    const entries = linesOf.get(`${effect.file}\n${effect.body}`) ?? [];
    const problem = countProblem(call, entries.length);
    if (problem)
      violations.push({ kind: 'memory', what: `${effect.body} of ${effect.file} ${problem}`, at, call });
    const told = lineTold(call);
    if (told !== undefined && entries.length === 1 && entries[0]?.line !== told) {
      const what = `${effect.body} was said to be line ${told} of ${effect.file}, and is line ${entries[0]?.line}`;
      violations.push({ kind: 'memory', what, at, call });
    }
  }
  const known = new Set(written.map(({ effect }) => `${effect.file}\n${effect.body}`));
  for (const { file, body } of evidence.memory)
    if (!known.has(`${file}\n${body}`))
      violations.push({ kind: 'memory', what: `Nobody wrote ${body} to ${file}` });
  return [...violations, ...checkOrder(evidence)];
}

/** What was sent after the answer to another stands below it in the same file. */
function checkOrder(evidence: Evidence): Violation[] {
  const placed = callsOn(evidence, 'memory').flatMap(({ call, effect, at }) => {
    const line = lineTold(call);
    return line === undefined
      ? []
      : [{ file: effect.file, line, at, until: lastUntil(call), body: effect.body }];
  });
  return [...Map.groupBy(placed, ({ file }) => file).values()].flatMap((inFile) => {
    const violations: Violation[] = [];
    const ended = inFile.toSorted((one, other) => one.until - other.until);
    let next = 0;
    let highest: (typeof placed)[number] | undefined;
    for (const one of inFile.toSorted((a, b) => a.at - b.at)) {
      for (let before = ended[next]; before && before.until < one.at; before = ended[++next])
        if (!highest || before.line > highest.line) highest = before;
      if (!highest || highest.line < one.line) continue;
      const what = `${one.body} is line ${one.line} of ${one.file}, above ${highest.body}, which was acknowledged before it was sent`;
      violations.push({ kind: 'memory', what, at: one.at });
    }
    return violations;
  });
}

function lineTold({ attempts }: CallRecord): number | undefined {
  const told = attempts.find((attempt) => attempt.told.is === 'ok')?.told;
  return told?.is === 'ok' && typeof told.output.line_number === 'number'
    ? told.output.line_number
    : undefined;
}

function checkFiles(evidence: Evidence): Violation[] {
  const violations: Violation[] = [];
  for (const [path, changes] of Map.groupBy(callsOn(evidence, 'file'), ({ effect }) => effect.path)) {
    // What it may hold, change by change: all that is known is one thing, and what is unknown may or may not be.
    let may: (string | undefined)[] = [undefined];
    for (const { call, effect } of changes.toSorted((one, other) => one.at - other.at)) {
      const standing = standingOf(call);
      const changed = may.includes(effect.from) ? [effect.to] : [];
      may = standing === 'done' ? changed : standing === 'unknown' ? [...may, ...changed] : may;
    }
    const is = evidence.files.get(path) ?? undefined;
    if (may.includes(is)) continue;
    const what = `${path} holds ${excerpt(is)}, and can only hold ${may.map(excerpt).join(' or ') || 'something else'}`;
    const last = changes.at(-1);
    violations.push({ kind: 'file', what, at: last?.at ?? 0, ...(last ? { call: last.call } : {}) });
  }
  for (const { call, effect, at } of callsOn(evidence, 'folder')) {
    const problem = countProblem(call, evidence.files.get(effect.path) === null ? 1 : 0);
    if (problem) violations.push({ kind: 'file', what: `${effect.path} ${problem}`, at, call });
  }
  return violations;
}

function excerpt(content: string | undefined): string {
  return content === undefined
    ? 'nothing'
    : `${JSON.stringify(content.slice(0, 60))} (${content.length} characters)`;
}

function checkMarks(evidence: Evidence): Violation[] {
  const counts = Map.groupBy(evidence.marks, (mark) => mark);
  const made = callsOn(evidence, 'mark');
  const violations = made.flatMap(({ call, effect, at }): Violation[] => {
    const problem = countProblem(call, counts.get(effect.mark)?.length ?? 0);
    return problem ? [{ kind: 'mark', what: `The mark ${effect.mark} ${problem}`, at, call }] : [];
  });
  const typed = callsOn(evidence, 'typed');
  for (const { call, effect, at } of typed) {
    const count = counts.get(effect.mark)?.length ?? 0;
    const isSeen = evidence.seen.has(effect.mark);
    // What was typed runs only if its terminal goes on for long enough.
    if (count === 1 ? standingOf(call) !== 'not_done' : count === 0 && !isSeen) continue;
    const what = `The line with ${effect.mark} ${countProblem(call, count) ?? `ran ${count} times`}${isSeen ? ', and what it printed was seen' : ''}`;
    violations.push({ kind: 'mark', what, at, call });
  }
  const known = new Set([...made, ...typed].map(({ effect }) => effect.mark));
  const strange = [...counts.keys()].filter((mark) => !known.has(mark));
  return [
    ...violations,
    ...strange.map((mark): Violation => ({ kind: 'mark', what: `Nobody ran ${JSON.stringify(mark)}` })),
  ];
}
