import type { Sql } from '../storage/sql.ts';
import { type CallFacts, KeptCalls } from './kept-calls.ts';
import { nextSeq } from './ledger-place.ts';

/** The calls of one slot of time. Times are of calls that ran, in milliseconds. */
interface Slot {
  readonly slot: number;
  readonly calls: number;
  readonly failed: number;
  readonly asked: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface Overview {
  /** The slots in which something happened, oldest first. */
  readonly slots: Slot[];
  /** The sum of all slots. */
  readonly whole: Slot;
  /** The most used tools. */
  readonly tools: { readonly tool: string; readonly calls: number }[];
  /** True if there were too many calls, so that only the newest are counted. */
  readonly cut: boolean;
}

/** Sums up the calls since a time in slots of equal length. With `kept`, it reads only calls that are new since last time. */
export function readOverview(sql: Sql, since: number, slotMs: number, kept = new KeptCalls()): Overview {
  const { calls, cut } = kept.since(sql, since);
  const slots = new Map<number, Tally>();
  const whole = newTally();
  const tools = new Map<string, number>();
  for (const call of calls) {
    const slot = Math.floor((call.at - since) / slotMs);
    const tally = slots.get(slot) ?? newTally();
    slots.set(slot, tally);
    for (const each of [tally, whole]) add(each, call);
    tools.set(call.tool, (tools.get(call.tool) ?? 0) + 1);
  }
  return {
    slots: [...slots].sort(([a], [b]) => a - b).map(([slot, tally]) => slotOf(slot, tally)),
    whole: slotOf(-1, whole),
    tools: mostUsed(tools),
    cut,
  };
}

interface Tally {
  calls: number;
  failed: number;
  asked: number;
  readonly times: number[];
}

function newTally(): Tally {
  return { calls: 0, failed: 0, asked: 0, times: [] };
}

function add(tally: Tally, { outcome, failed, ms }: CallFacts): void {
  tally.calls += 1;
  tally.failed += failed;
  if (outcome === 'asked') tally.asked += 1;
  if (ms !== null) tally.times.push(ms);
}

function slotOf(slot: number, { calls, failed, asked, times }: Tally): Slot {
  times.sort((a, b) => a - b);
  const share = (hundredths: number) => times[Math.ceil((times.length * hundredths) / 100) - 1] ?? null;
  return { slot, calls, failed, asked, p50: share(50), p95: share(95) };
}

function mostUsed(tools: ReadonlyMap<string, number>): Overview['tools'] {
  return [...tools]
    .map(([tool, calls]) => ({ tool, calls }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1))
    .slice(0, 5);
}

const LATELY = 2_000;
const MAX_NAMES = 50;

/** Lists who called lately and where, as suggestions for somebody who looks for a call. */
export function latelySeen(sql: Sql, kept = new KeptCalls()): { clients: string[]; machines: string[] } {
  const calls = kept.from(sql, Math.max(1, nextSeq(sql) - LATELY));
  const names = (all: (string | null)[]) =>
    [...new Set(all.filter((name) => name !== null))].sort().slice(0, MAX_NAMES);
  return {
    clients: names(calls.map(({ client }) => client)),
    machines: names(calls.map(({ machine }) => machine)),
  };
}
