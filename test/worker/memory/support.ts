import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type ChainEntry, ChainVerifier } from '../../../src/core/chain.ts';
import type { NewEntry } from '../../../src/memory/log.ts';
import type { MemoryStub } from '../../../src/memory/memory-port.ts';

let made = 0;

/** A memory nobody wrote to yet. */
export function newMemory(): MemoryStub {
  made += 1;
  return env.MEMORY.get(env.MEMORY.idFromName(`memory ${made}`));
}

/** Works on a memory's own database, as somebody with hold of the object's code would. */
export function inMemory<T>(memory: MemoryStub, act: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(memory, (_, state) => act(state.storage.sql));
}

export const PROGRESS = 'progress_log.jsonl';
export const DECISIONS = 'decisions.jsonl';

/** The nth entry of a file. */
export function entry(n: number, file = PROGRESS): NewEntry {
  return { file, body: `{"n":${n}}`, idem: `${file} ${n}` };
}

/** Appends, and expects it to be taken. */
export async function append(memory: MemoryStub, what: NewEntry) {
  const answer = await memory.append(what);
  if (answer.kind === 'locked') throw new Error(`locked: ${answer.because}`);
  return answer;
}

/** The whole log, page by page, every link of it checked. */
export async function wholeLog(memory: MemoryStub, pageChars = 1_000_000): Promise<ChainEntry[]> {
  const all: ChainEntry[] = [];
  for (;;) {
    const { entries } = await memory.export(all.length, pageChars);
    if (entries.length === 0) break;
    all.push(...entries.map((one) => ({ ...one })));
  }
  const verifier = new ChainVerifier();
  for (const one of all) {
    const broken = verifier.next(one);
    if (broken) throw new Error(`Entry ${broken.seq}: ${broken.problem}`);
  }
  return all;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
