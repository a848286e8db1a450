import type { OwnerSession } from '../../local-bridge/lib/owner-client.ts';

type Owner = Pick<OwnerSession, 'call'>;

/** A call that waits for its owner. */
interface WaitingCall {
  readonly code: string;
  /** Everything that the owner is told of it. */
  readonly full: string;
}

async function feed(owner: Owner, after: number, wait: number, signal?: AbortSignal) {
  const news = await owner.call('GET', `feed?after=${after}&wait=${wait}`, undefined, signal);
  return news as { readonly at: number; readonly pending: readonly WaitingCall[] };
}

/**
 * Waits until `find` finds something among the calls that wait, and gives it. The gateway answers when something
 * changes. Asking it again and again would take the processor from whatever is waited for.
 */
export async function untilWaiting<T>(
  owner: Owner,
  find: (waiting: readonly WaitingCall[]) => T | undefined,
): Promise<T> {
  for (let after = 0; ; ) {
    const { at, pending } = await feed(owner, after, 20);
    const found = find(pending);
    if (found !== undefined) return found;
    after = at;
  }
}

/** Decides about every call that waits until something is over. Gives how many decisions that took. */
export async function decideUntil(
  over: Promise<unknown>,
  owner: Owner,
  decision: Readonly<Record<string, string>>,
): Promise<number> {
  const ended = new AbortController();
  const end = () => ended.abort();
  over.then(end, end);
  let decisions = 0;
  for (let after = 0; ; ) {
    const news = await feed(owner, after, 1, ended.signal).catch((error: unknown) => {
      if (!ended.signal.aborted) throw error;
    });
    if (news === undefined || ended.signal.aborted) return decisions;
    after = news.at;
    for (const { code } of news.pending) {
      await owner.call('POST', `approvals/${code}`, decision);
      decisions += 1;
    }
  }
}
