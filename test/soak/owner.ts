import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { OwnerSession } from '../../local-bridge/lib/owner-client.ts';
import type { LedgerEntry } from '../../src/gate/ledger.ts';

/** Whatever has this in its arguments is refused. */
export const REFUSED = '-refused-';

const feedShape = z.object({
  at: z.number(),
  pending: z.array(z.object({ code: z.string(), full: z.string() })),
});

/** An owner who decides about whatever waits, and goes on doing so when the gateway comes back. */
export function startOwner(owner: OwnerSession) {
  const approved = new Set<string>();
  const over = new AbortController();
  let quiet: Promise<unknown> = Promise.resolve();
  const decide = async () => {
    for (let after = 0; !over.signal.aborted; ) {
      await quiet;
      try {
        const feed = feedShape.parse(
          await owner.call('GET', `feed?after=${after}&wait=1`, undefined, over.signal),
        );
        // An object that was made anew counts from nothing.
        after = feed.at < after ? 0 : feed.at;
        await Promise.all(feed.pending.map(decideOne));
      } catch {
        // The gateway is away; what waited is asked about again when it is back.
        after = 0;
        await wait(100);
      }
    }
  };
  const decideOne = async ({ code, full }: { code: string; full: string }) => {
    const decision = full.includes(REFUSED) ? 'deny' : 'approve';
    // Before it is said: the answer may be lost on its way.
    if (decision === 'approve') approved.add(code);
    // Somebody may have been quicker, or the call's time may be over.
    await owner.call('POST', `approvals/${code}`, { decision }).catch(() => undefined);
  };
  const deciding = decide();
  return {
    approved,
    /** Looks away, so that the gate can sleep. */
    pause: (until: Promise<unknown>) => {
      quiet = until;
    },
    stop: async () => {
      over.abort();
      await deciding;
    },
  };
}

/**
 * Asks once more if no answer came. The gateway closes a connection that nobody used for five seconds, and a client on a
 * busy computer may notice only as it uses it again.
 */
export async function onceMore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch {
    return ask();
  }
}

/** The owner, whose questions are asked once more. What changes something is not: it may have been done. */
export function patientOwner(owner: OwnerSession): OwnerSession {
  return {
    ...{ createToken: owner.createToken, signOut: owner.signOut },
    get headers() {
      return owner.headers;
    },
    call: (method, ...asked) => {
      const ask = () => owner.call(method, ...asked);
      return method === 'GET' ? onceMore(ask) : ask();
    },
  };
}

/** The whole ledger, oldest first. */
export async function wholeLedger(owner: OwnerSession): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const page: { entries: LedgerEntry[]; next: number | null } = ledgerShape.parse(
      await owner.call('GET', `ledger?limit=200${before === undefined ? '' : `&before=${before}`}`),
    );
    entries.push(...page.entries);
    before = page.next;
  }
  return entries.reverse();
}

const text = z.string();
const number = z.number();
const ledgerShape = z.object({
  entries: z.array(
    z.object({
      ...{ seq: number, at: number, bytes: number.nullable(), durationMs: number.nullable() },
      ...{
        id: text,
        principal: text,
        client: text,
        via: text,
        tool: text,
        machine: text.nullable(),
        digest: text,
      },
      ...{ args: text, decision: text, because: text, outcome: text.nullable(), code: text.nullable() },
    }),
  ),
  next: number.nullable(),
});
