import { evictDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ChainEntry, GENESIS } from '../../../src/core/chain.ts';
import type { MemoryStub } from '../../../src/memory/memory-port.ts';
import { chained, newSigner, saidEntries } from '../../support/memory-log.ts';
import { append, entry, newMemory, wholeLog } from './support.ts';

const log = [...chained(saidEntries(12))];
const whole = { total: log.length, head: log.at(-1)?.hash ?? GENESIS };
const going = (seq: number) => ({ kind: 'going', seq });

/** One answer, as plain as it is compared. */
const step = async (memory: MemoryStub, what: Parameters<MemoryStub['restore']>[0]) => {
  const { due: _due, ...answer } = await memory.restore(what);
  return answer;
};
const begin = (memory: MemoryStub, asked = whole) => step(memory, { do: 'begin', log: asked });
const take = (memory: MemoryStub, entries: readonly ChainEntry[]) => step(memory, { do: 'take', entries });
const end = (memory: MemoryStub, checkpoints = [] as ReturnType<ReturnType<typeof newSigner>['at']>[]) =>
  step(memory, { do: 'end', checkpoints });
const refused = (because: RegExp) => ({ kind: 'refused', because: expect.stringMatching(because) });

describe('a log that is restored', () => {
  it('is entry by entry what it was, opens when it is whole, and goes on from there', async () => {
    const memory = newMemory();
    expect(await begin(memory)).toEqual(going(0));
    expect(await take(memory, log.slice(0, 5))).toEqual(going(5));
    expect(await memory.append(entry(1))).toMatchObject({ kind: 'locked' });
    expect(await memory.appendAll([entry(1)])).toMatchObject({ kind: 'locked' });
    expect(await end(memory)).toEqual(refused(/5 of 12/));
    await evictDurableObject(memory);
    expect(await memory.append(entry(1))).toMatchObject({ kind: 'locked' });
    // Taken up where it broke off.
    expect(await begin(memory)).toEqual(going(5));
    expect(await take(memory, log.slice(5))).toEqual(going(12));
    const signer = newSigner();
    const signed = [signer.at(log, 4), signer.at(log, 12)];
    expect(await end(memory, signed)).toEqual(going(12));
    expect(await wholeLog(memory)).toEqual(log);
    expect(await memory.checkpoints()).toEqual(signed);
    expect((await append(memory, entry(99))).entry).toMatchObject({ seq: 13 });
    expect((await memory.search({ all: '7', some: '7' }, 5)) as unknown).toHaveLength(1);
  });

  it('may be empty', async () => {
    const memory = newMemory();
    expect(await begin(memory, { total: 0, head: GENESIS })).toEqual(going(0));
    expect(await end(memory)).toEqual(going(0));
    expect((await append(memory, entry(1))).entry).toMatchObject({ seq: 1 });
  });
});

describe('a restore is refused', () => {
  let memory: MemoryStub;
  beforeAll(async () => {
    memory = newMemory();
    await begin(memory);
    await take(memory, log.slice(0, 3));
  });

  it('where something was written', async () => {
    const used = newMemory();
    await append(used, entry(1));
    expect(await begin(used)).toEqual(refused(/1 entries already/));
    expect(await take(used, [])).toEqual(refused(/no restore has begun/));
    expect(await end(used)).toEqual(refused(/no restore has begun/));
  });

  it('for another log than the one that was begun', async () => {
    expect(await begin(memory, { ...whole, total: 13 })).toEqual(refused(/another backup/));
    expect(await begin(memory, { ...whole, head: GENESIS })).toEqual(refused(/another backup/));
  });

  const [, , , fourth, fifth] = log as [ChainEntry, ChainEntry, ChainEntry, ChainEntry, ChainEntry];
  const forged = (change: Partial<ChainEntry>): ChainEntry[] => {
    const { hash: _hash, prev: _prev, ...said } = { ...fourth, ...change };
    return [...chained([...log.slice(0, 3), said])].slice(3);
  };
  const attacks: [string, readonly ChainEntry[], RegExp][] = [
    ['one left out', [fifth], /numbered 5/],
    ['one that is there', [log[2] as ChainEntry], /numbered 3/],
    ['another text under the same hash', [{ ...fourth, body: '{"n":9}' }], /does not match its hash/],
    ['another time under the same hash', [{ ...fourth, at: 1 }], /does not match its hash/],
    ['another link', [{ ...fourth, prev: GENESIS }], /not linked/],
    ['another line', forged({ line: 7 }), /line 7/],
    ['a file that is none of the memory’s', forged({ file: 'notes.md', line: 1 }), /no file/],
    ['a line break', forged({ body: 'a\nb' }), /longer than a line/],
    ['a byte too many', forged({ body: 'x'.repeat(10_241) }), /longer than a line/],
    ['the mark of an entry that is there', forged({ idem: log[0]?.idem ?? '' }), /the mark of another/],
    ['one honest entry before a forged one', [fourth, { ...fifth, body: '{}' }], /does not match its hash/],
  ];
  it.each(attacks)('with %s, and nothing of it is kept', async (_, entries, because) => {
    expect(await take(memory, entries)).toEqual(refused(because));
    expect(await wholeLog(memory)).toEqual(log.slice(0, 3));
  });

  it('beyond its length, or with another end than was said', async () => {
    const short = newMemory();
    await begin(short, { total: 2, head: whole.head });
    expect(await take(short, log.slice(0, 3))).toEqual(refused(/beyond the 2/));
    expect(await take(short, log.slice(0, 2))).toEqual(going(2));
    expect(await end(short)).toEqual(refused(/ends differently/));
  });

  it('with checkpoints that do not fit, and stays open for those that do', async () => {
    const other = newMemory();
    await begin(other);
    await take(other, log);
    const signer = newSigner();
    const right = signer.at(log, 4);
    for (const wrong of [[{ ...right, head: GENESIS }], [{ ...right, seq: 13 }], [right, right]]) {
      expect(await end(other, wrong)).toEqual(refused(/does not fit/));
      expect(await other.checkpoints()).toEqual([]);
    }
    expect(await end(other, [right])).toEqual(going(12));
  });

  it('a second time', async () => {
    const done = newMemory();
    await begin(done);
    await take(done, log);
    await end(done);
    expect(await begin(done)).toEqual(refused(/12 entries already/));
  });
});
