import { join } from 'node:path';
import * as z from 'zod';
import { GENESIS } from '../../../src/core/chain.ts';
import { witnessText } from '../../../src/core/machine-proof.ts';
import { jsonOrNothing, readIfThere, writePrivate } from '../../lib/private-file.ts';

const seenShape = z.object({ gateway: z.string(), seq: z.int(), head: z.string() });
const answerShape = z.object({ seq: z.int(), head: z.string(), before: z.string().nullable() });

interface MemoryWatch {
  readonly gateway: string;
  readonly machine: string;
  /** Signs with the machine's key. */
  sign(text: string): Promise<string>;
  readonly home: string;
  readonly fetch: typeof globalThis.fetch;
  now(): number;
}

const HOUR_MS = 3_600_000;

/**
 * Checks that the gateway's memory still begins as it did when this machine last looked. Gives a problem as a
 * sentence. The last good head is kept, and a bad one never replaces it.
 */
export async function lookAtMemory(watch: MemoryWatch): Promise<string | undefined> {
  const { gateway, machine, home } = watch;
  const { origin } = new URL(gateway);
  const text = readIfThere(fileIn(home));
  const kept = text === undefined ? undefined : seenShape.safeParse(jsonOrNothing(text)).data;
  if (text !== undefined && !kept) {
    return `${fileIn(home)} is damaged, so this machine no longer knows what it saw of the memory. If you accept that, move the file away.`;
  }
  const seen = kept?.gateway === gateway ? kept : { gateway, seq: 0, head: GENESIS };
  const at = watch.now();
  const signature = await watch.sign(witnessText({ origin, machine, at, seq: seen.seq }));
  const response = await watch.fetch(`${gateway}/api/memory/witness`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ machine, at, seq: seen.seq, signature }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
  const { seq, head, before } = answerShape.parse(await response.json());
  if (seq < seen.seq || before === null) {
    return `The memory has ${seq} entries, but this machine has already seen ${seen.seq}. The memory was cut or restored.`;
  }
  if (before !== seen.head) {
    return `Entry ${seen.seq} of the memory has another hash than this machine saw. The log was rewritten.`;
  }
  writePrivate(fileIn(home), `${JSON.stringify({ gateway, seq, head })}\n`);
  return undefined;
}

/** Checks the memory whenever the machine comes online, and every hour while it is. */
export function watchMemory(
  watch: MemoryWatch,
  alarm: (what: string) => void,
  report: (error: unknown) => void,
) {
  const look = () => void lookAtMemory(watch).then((wrong) => wrong && alarm(wrong), report);
  const timer = setInterval(look, HOUR_MS);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}

function fileIn(home: string): string {
  return join(home, 'memory-seen.json');
}
