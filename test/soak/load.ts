import { setTimeout as wait } from 'node:timers/promises';
import { openWays } from './clients.ts';
import type { CallRecord, Violation } from './history.ts';
import { dealJobs } from './jobs.ts';
import { isOk, type Lane } from './lane.ts';
import { REFUSED } from './owner.ts';
import type { Product } from './product.ts';
import { randomFrom } from './random.ts';
import { send } from './send.ts';

/** How many calls each client has under way at once. */
const LANES = 3;
const LONGEST_THOUGHT_MS = 150;

export interface Load {
  readonly calls: CallRecord[];
  /** Reads that were answered with something else than what was there. */
  readonly wrong: Violation[];
  /** Marks of lines whose output a lasting terminal gave. */
  readonly seen: Set<string>;
  /** Lets clients think until it is over; then all go on. */
  pause(until: Promise<unknown>): Promise<void>;
  /** No new calls; resolves when every call has its last answer. */
  stop(): Promise<void>;
}

/** Several clients that use every tool at once, each in its own way. */
export function startLoad(product: Product, seed: number): Load {
  const calls: CallRecord[] = [];
  const wrong: Violation[] = [];
  const seen = new Set<string>();
  const deck = dealJobs(randomFrom(seed, 'jobs'));
  const ways = openWays(product);
  let isOver = false;
  let quiet: Promise<unknown> = Promise.resolve();
  let underWay = 0;

  const live = async (lane: Lane) => {
    while (!isOver) {
      await quiet;
      if (isOver) return;
      underWay += 1;
      await deck.next().value(lane);
      underWay -= 1;
      await wait(lane.random.whole(LONGEST_THOUGHT_MS));
    }
  };
  const lanes = ways.flatMap((way, w) =>
    Array.from({ length: LANES }, (_, l): Lane => {
      const name = `${w}${l}`;
      const random = randomFrom(seed, name);
      let made = 0;
      return {
        ...{
          name,
          random,
          origin: product.origin,
          modelPorts: product.modelPorts,
          changing: undefined,
          known: undefined,
          remembered: undefined,
          left: undefined,
        },
        ...{ run: product.mark, seen, soFar: product.soFar, isOver: () => isOver },
        note: (violation) => void wrong.push(violation),
        newToken: (isRefused = false) => `soak${seed}-${name}${isRefused ? REFUSED : '-'}${++made}-`,
        send: async (wanted) => {
          const record = await send(way, wanted, () => isOver);
          calls.push(record);
          return record;
        },
        callIdOf: (tool, token) => callIdOf(product, tool, token),
        someCallId: () => someCallId(product, random.whole(20)),
        expect: (record, text) => {
          const [told, at] = [record.attempts.at(-1)?.told, record.attempts.at(-1)?.at];
          if (!isOk(record) || told?.is !== 'ok' || at === undefined) return;
          if (holds(told.output, text)) return;
          const what = `${record.tool} over ${record.way} did not give ${JSON.stringify(text.slice(0, 80))}, which was acknowledged before`;
          wrong.push({ kind: 'answer', what, at });
        },
      };
    }),
  );
  const living = Promise.all(lanes.map(live));
  return {
    calls,
    wrong,
    seen,
    pause: async (until) => {
      quiet = until;
      while (underWay > 0) await wait(20);
    },
    stop: async () => {
      isOver = true;
      await living;
      for (const way of ways) await way.close();
    },
  };
}

/** Whether a text is anywhere in an answer. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, text));
}

async function callIdOf({ owner }: Product, tool: string, token: string): Promise<string | undefined> {
  const page = await owner.call('GET', `ledger?tool=${tool}&outcome=ok&limit=200`).catch(() => undefined);
  const { entries } = (page ?? { entries: [] }) as {
    entries: { id: string; args: string; decision: string }[];
  };
  return entries.find(({ args, decision }) => args.includes(token) && decision !== 'replayed')?.id;
}

async function someCallId({ owner }: Product, nth: number): Promise<string | undefined> {
  const page = await owner
    .call('GET', 'ledger?tool=run_in_terminal&outcome=ok&limit=20')
    .catch(() => undefined);
  return (page as { entries: { id: string }[] } | undefined)?.entries[nth]?.id;
}
