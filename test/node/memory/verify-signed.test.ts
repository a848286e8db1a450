import { describe, expect, it } from 'vitest';
import { verifyMemory, type Witness } from '../../../local-bridge/cli/memory/verify.ts';
import type { ChainEntry } from '../../../src/core/chain.ts';
import { chained, newSigner, saidEntries, witnessOfLog } from '../../support/memory-log.ts';

const signer = newSigner();
const other = newSigner();
const log: readonly ChainEntry[] = [...chained(saidEntries(30))];
const checkpoints = [1, 10, 20].map((seq) => signer.at(log, seq));
const honest = { checkpoints, key: signer.key };
const witness = witnessOfLog(log.slice(0, 25), signer.key, 3);
const alone: Witness | undefined = undefined;

const problemsOf = async (...given: Parameters<typeof verifyMemory>) =>
  (await verifyMemory(...given)).problems;

/** The log as somebody leaves it who changes an entry and computes every hash after it. */
const rechained = (seq: number) => [
  ...chained(log.map((entry) => (entry.seq === seq ? { ...entry, body: '{"n":"forged"}' } : entry))),
];

describe('a log chained anew without the key', () => {
  it.each([
    [1, 1],
    [5, 10],
    [10, 10],
    [11, 20],
    [20, 20],
  ])('from entry %i on is given away by the checkpoint at %i', async (seq, caught) => {
    const [first] = await problemsOf(rechained(seq), honest, alone);
    const { file, line } = log[caught - 1] as ChainEntry;
    expect(first).toBe(
      `Entry ${caught} (${file}, line ${line}) has another hash than its signed checkpoint.`,
    );
  });

  it('and joined to the honest beginning is named where the two meet', async () => {
    const joined = [...log.slice(0, 14), ...rechained(3).slice(14)];
    const [first] = await problemsOf(joined, { checkpoints: [], key: null }, alone);
    expect(first).toBe('Entry 15 (best_practices.md, line 5): it is not linked to the entry before it.');
  });

  it('behind the last checkpoint is given away by what was seen', async () => {
    expect(await problemsOf(rechained(22), honest, alone)).toEqual([]);
    expect((await problemsOf(rechained(22), honest, witness))[0]).toMatch(
      /^Entry 25 \(.*than this computer saw/,
    );
  });

  it('and signed with a key of the forger’s is given away by the key and by what was seen', async () => {
    const forged = rechained(5);
    const theirs = { checkpoints: [1, 10, 20].map((seq) => other.at(forged, seq)), key: other.key };
    const problems = await problemsOf(forged, theirs, witness);
    expect(problems[0]).toMatch(/^Entry 25 \(.*than this computer saw/);
    expect(problems[1]).toBe('The checkpoints are signed with another key than this computer saw before.');
  });

  it('is given away although its checkpoints are gone', async () => {
    const [first] = await problemsOf(rechained(5), { checkpoints: [], key: signer.key }, witness);
    expect(first).toMatch(/^Entry 25 \(/);
  });
});

describe('checkpoints that were tampered with', () => {
  const [, second] = checkpoints;
  if (!second) throw new Error('no second checkpoint');
  const having = (changed: object, key: string | null = signer.key) => ({
    checkpoints: checkpoints.map((one) => (one === second ? { ...one, ...changed } : one)),
    key,
  });
  const UNSIGNED = "The checkpoint at entry 10 is not signed by the gateway's key.";

  it.each<[string, object]>([
    ['an empty signature', { signature: '' }],
    ['no base64', { signature: '!!!' }],
    ['the signature of another', { signature: checkpoints[0]?.signature }],
    [
      'a flipped signature',
      { signature: `${second.signature.startsWith('A') ? 'B' : 'A'}${second.signature.slice(1)}` },
    ],
    ['another time', { at: second.at + 1 }],
    ['another head', { head: log[10]?.hash }],
    ['the signature of another key', other.at(log, 10)],
  ])('with %s are named', async (_, changed) => {
    const verdict = await verifyMemory(log, having(changed), alone);
    expect(verdict).toMatchObject({ problems: [UNSIGNED], signed: 2 });
  });

  it('with another number are named by that number', async () => {
    expect(await problemsOf(log, having({ seq: 11 }), alone)).toEqual([
      "The checkpoint at entry 11 is not signed by the gateway's key.",
    ]);
  });

  it.each([other.key, null, '', 'not a key', `${signer.key}AAAA`])(
    'with the key %j are none, and the key is named by who knows a better one',
    async (key) => {
      const verdict = await verifyMemory(log, { checkpoints, key }, witness);
      expect(verdict.signed).toBe(0);
      expect(verdict.problems).toHaveLength(4);
      expect(verdict.problems[0]).toContain('another key');
    },
  );

  it('that are beyond the end are named', async () => {
    const beyond = signer.at([...chained(saidEntries(40))], 40);
    expect(await problemsOf(log, { checkpoints: [...checkpoints, beyond], key: signer.key }, alone)).toEqual([
      'There is a checkpoint at entry 40, which the log does not reach.',
    ]);
  });

  it.each([
    [[1], 2],
    [[10], 2],
    [[20], 2],
    [[1, 10, 20], 0],
  ])('of which %j were removed are counted by who saw them', async (removed, left) => {
    const kept = checkpoints.filter(({ seq }) => !removed.includes(seq));
    expect(await problemsOf(log, { checkpoints: kept, key: signer.key }, witness)).toEqual([
      `This computer has seen 3 checkpoints, but ${left} are left.`,
    ]);
    // Neither newer ones nor one shown twice stand in for those.
    const padded = [...kept, ...kept.slice(0, 1), signer.at(log, 28)];
    expect(await problemsOf(log, { checkpoints: padded, key: signer.key }, witness)).toHaveLength(1);
  });

  it('never hide the first bad entry, which is named first', async () => {
    const broken = log.map((entry) => (entry.seq === 4 ? { ...entry, body: 'x' } : entry));
    const { file, line } = log[3] as ChainEntry;
    for (const signed of [honest, having({ signature: '' }), { checkpoints: [], key: null }]) {
      const [first] = await problemsOf(broken, signed, witness);
      expect(first).toBe(`Entry 4 (${file}, line ${line}): its content does not match its hash.`);
    }
  });
});

describe('a long log', () => {
  it('is verified as it comes, a megabyte at a time or an entry', async () => {
    const count = 100_000;
    const body = JSON.stringify({ note: 'n'.repeat(1_000) });
    let alive = 0;
    async function* stream() {
      for (const entry of chained(saidEntries(count, (seq) => `${seq} ${body}`))) {
        alive = entry.seq;
        yield entry;
      }
    }
    expect(await verifyMemory(stream(), { checkpoints: [], key: null }, alone)).toMatchObject({
      entries: count,
      problems: [],
    });
    // A break ends it: what follows is not even asked for.
    alive = 0;
    const seen: Witness = { seq: 1, head: 'x', key: null, signed: 0 };
    const cut = chained(saidEntries(count, (seq) => `${seq} ${body}`));
    async function* broken() {
      for (const entry of cut) {
        alive = entry.seq;
        yield entry.seq === 500 ? { ...entry, at: 0 } : entry;
      }
    }
    const { problems } = await verifyMemory(broken(), { checkpoints: [], key: null }, seen);
    expect(problems).toHaveLength(2);
    expect(alive).toBe(500);
  });
});
