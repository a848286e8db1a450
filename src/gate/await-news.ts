import { openNewsLine } from '../events/news-line.ts';
import type { GateStub } from './gate-stub.ts';

interface Asked {
  readonly ms: number;
  readonly signal: AbortSignal;
}

/**
 * Asks the gate now, and if it knows nothing new, again when it tells of news or the time is over. The object may sleep
 * meanwhile.
 */
export async function awaitNews<T extends { readonly at: number }>(
  gate: () => GateStub,
  ask: (gate: GateStub) => Promise<T>,
  after: number,
  { ms, signal }: Asked,
): Promise<T> {
  if (ms <= 0) return ask(gate());
  // Listen first and ask then, so that nothing can happen in between.
  const line = await openNewsLine(gate());
  try {
    const now = await ask(gate());
    if (now.at > after) return now;
    const { promise: over, resolve } = Promise.withResolvers<undefined>();
    const end = () => resolve(undefined);
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    await Promise.race([line.next(), over]);
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    // Nobody reads an answer after they left.
    return signal.aborted ? now : await ask(gate());
  } finally {
    line.close();
  }
}
