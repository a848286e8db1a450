import { catalogue } from '../../contracts/index.ts';
import type { LedgerEntry } from '../../src/gate/ledger.ts';
import { REFUSED_ROWS_A_MINUTE } from '../../src/gate/refusals.ts';
import {
  type CallRecord,
  type Evidence,
  isKnownNotRun,
  type Outage,
  standingOf,
  type Told,
  type Violation,
} from './history.ts';

/** The end of a read, or of a refusal, is written down a moment after its answer has left. */
const LATE_MS = 2_000;
/** An end that a full disk did not take is written down so soon after there is room. */
const ROOM_MS = 10_000;
const MINUTE_MS = 60_000;

/** How long each tool may run. */
const TIMES = new Map(
  Object.values(catalogue).map(({ wireName, limits }) => [wireName, limits.timeoutMs] as const),
);

/** Tools that nobody has to approve. */
const FREE = new Set(
  Object.values(catalogue).flatMap(({ wireName, approval }) => (approval === 'never' ? [wireName] : [])),
);

/** The tools' own reasons to fail. A machine that looks at a call before it is let in may find one already. */
const OWN = new Set(Object.values(catalogue).flatMap(({ errors }) => Object.keys(errors)));

/** Holds the ledger against what clients were told. */
export function checkLedger(evidence: Evidence): Violation[] {
  const { ledger } = evidence;
  const byToken = entriesByToken(ledger);
  const isOnlyCounted = countedRefusals(evidence);
  return [
    ...twice(
      ledger,
      ({ id }) => id,
      (id) => `The ledger holds the call ${id}`,
    ),
    ...stuck(evidence),
    ...evidence.calls.flatMap((call) =>
      disagreeing(call, byToken.get(wordOf(call.tool, call.token)) ?? [], evidence, isOnlyCounted),
    ),
    ...tooFew(evidence),
    ...approvals(evidence),
  ];
}

function twice(
  ledger: readonly LedgerEntry[],
  keyOf: (entry: LedgerEntry) => string,
  say: (key: string) => string,
) {
  return [...Map.groupBy(ledger, keyOf)].flatMap(([key, entries]): Violation[] =>
    entries.length === 1
      ? []
      : [{ kind: 'ledger', what: `${say(key)} ${entries.length} times`, at: entries[1]?.at ?? 0 }],
  );
}

/** Only a call that a gateway took along as it ended has no end. */
function stuck({ ledger, outages }: Evidence): Violation[] {
  const ended = outages.filter(({ is }) => is === 'ended');
  return ledger
    .filter(({ outcome, at, tool }) => outcome === null && !wasOut(ended, at, longestOf(tool)))
    .map(({ id, tool, at, args }) => ({
      kind: 'ledger',
      what: `${tool} (${id}) never ended in the ledger: ${args.slice(0, 160)}`,
      at,
    }));
}

/** Whether the gateway could write nothing down then, or could not within some time after. */
function wasOut(outages: readonly Outage[], at: number, within = LATE_MS): boolean {
  return outages.some((outage) => outage.until >= at && outage.at <= at + within);
}

/** How long a call of that tool may run. What it waits for its machine comes on top. */
function longestOf(tool: string): number {
  return (TIMES.get(tool) ?? 0) + MINUTE_MS;
}

/**
 * Whether an outage took the end of a call along that its client heard of: the gateway ended while it ran, so that the
 * sending that met it was not answered with the end, and a later one under the same key was, for the machine knows it. Or
 * its disk was full as it answered, and it ended before it could write down what it had said.
 */
function wasCut({ attempts }: CallRecord, outages: readonly Outage[]): boolean {
  const heard = attempts.findIndex(({ told }) => told.is === 'ok');
  const said = attempts[heard]?.until ?? 0;
  const ended = outages.filter(({ is }) => is === 'ended');
  const full = outages.find((outage) => outage.is === 'full' && wasOut([outage], said, 0));
  if (full && ended.some(({ at }) => at >= said && at <= full.until + ROOM_MS)) return true;
  return attempts
    .slice(0, heard)
    .some(({ at, until, key }) => key === attempts[heard]?.key && wasOut(ended, at, until - at));
}

/** What ran, of one call: a refused call and one that got an earlier outcome again have lines of their own. */
const ran = ({ decision }: LedgerEntry) => decision !== 'refused' && decision !== 'replayed';

function disagreeing(
  call: CallRecord,
  entries: readonly LedgerEntry[],
  { outages }: Evidence,
  isOnlyCounted: (told: Told, until: number) => boolean,
): Violation[] {
  if (call.token === undefined) return [];
  const violations: Violation[] = [];
  const say = (what: string, at: number) =>
    violations.push({
      kind: 'ledger',
      what: `${call.tool} ${call.token} over ${call.way} ${what}`,
      at,
      call,
    });
  const at = call.attempts[0]?.at ?? 0;
  const standing = standingOf(call);
  const isEffect = call.attempts.some(({ key }) => key !== undefined);
  const well = entries.filter((entry) => ran(entry) && entry.outcome === 'ok');
  const isCut = well.length === 0 && entries.some(ran) && wasCut(call, outages);
  if (isEffect && standing === 'done' && well.length !== 1 && !isCut)
    say(`was acknowledged, and the ledger has it as done ${well.length} times`, at);
  if (standing === 'not_done' && well.length > 0)
    say('was told that it did not run, and the ledger has it as done', at);
  for (const { told, at: sent, until } of call.attempts) {
    if (isWritten(told, entries) || isOnlyCounted(told, until)) continue;
    // It was decided at some time between, when its row may not have been written although the answer came later.
    if (wasOut(outages, sent, until - sent + LATE_MS)) continue;
    say(`was told ${told.is === 'failed' ? told.code : told.is}, of which the ledger has nothing`, until);
  }
  if (call.isRefused && (entries.some(ran) || standing === 'done'))
    say('ran although the owner refused it', at);
  return violations;
}

/** Of a caller who is refused too often, the gate only counts further refusals. All clients here are one caller. */
function countedRefusals({ calls }: Evidence): (told: Told, until: number) => boolean {
  const refusedAt = calls
    .flatMap(({ attempts }) => attempts)
    .filter(({ told }) => told.is === 'failed')
    .map(({ until }) => until);
  return (told, until) =>
    (isKnownNotRun(told) || (told.is === 'failed' && OWN.has(told.code))) &&
    refusedAt.filter((at) => at <= until && at > until - MINUTE_MS).length > REFUSED_ROWS_A_MINUTE;
}

function isWritten(told: Told, entries: readonly LedgerEntry[]): boolean {
  if (told.is === 'lost') return true;
  return entries.some(({ outcome, code }) => (told.is === 'ok' ? outcome === 'ok' : code === told.code));
}

/** Calls without a word of their own are counted: each that was answered has a line. */
function tooFew({ calls, ledger, outages }: Evidence): Violation[] {
  const plain = calls.filter(({ token }) => token === undefined);
  return [...Map.groupBy(plain, ({ tool }) => tool)].flatMap(([tool, made]): Violation[] => {
    const answers = made
      .flatMap(({ attempts }) => attempts)
      .filter(({ told, until }) => told.is === 'ok' && !wasOut(outages, until));
    const written = ledger.filter((entry) => entry.tool === tool && entry.outcome === 'ok').length;
    if (written >= answers.length) return [];
    return [
      {
        kind: 'ledger',
        what: `${tool} was answered ${answers.length} times, and written down ${written} times`,
      },
    ];
  });
}

function approvals({ ledger, approved, calls }: Evidence): Violation[] {
  const asks = new Set(
    calls
      .filter(({ tool, attempts }) => !FREE.has(tool) && attempts.some(({ key }) => key !== undefined))
      .map(({ tool }) => tool),
  );
  const used = ledger.filter((entry) => ran(entry) && asks.has(entry.tool));
  const codeOf = ({ because }: LedgerEntry) => /^approval (\S+)$/.exec(because)?.[1];
  const violations = used.flatMap((entry): Violation[] => {
    const code = codeOf(entry);
    if (code !== undefined && approved.has(code)) return [];
    const what = `${entry.tool} (${entry.id}) ran because of “${entry.because}”, which the owner never gave`;
    return [{ kind: 'approval', what, at: entry.at }];
  });
  const oneUse = twice(
    used.filter(codeOf),
    ({ because }) => because,
    (because) => `The ${because} was used`,
  );
  return [...violations, ...oneUse.map((one): Violation => ({ ...one, kind: 'approval' }))];
}

/** The ledger's lines of each call that has a word of its own in its arguments. */
function entriesByToken(ledger: readonly LedgerEntry[]): Map<string, LedgerEntry[]> {
  return Map.groupBy(ledger, ({ tool, args }) => wordOf(tool, TOKEN.exec(args)?.[0]));
}

/** As the load makes them. */
const TOKEN = /soak\d+-\w+-(?:refused-)?\d+-/;

function wordOf(tool: string, token: string | undefined): string {
  return `${tool} ${token ?? ''}`;
}
