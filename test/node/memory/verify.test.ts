import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyMemory, type Witness } from '../../../local-bridge/cli/memory/verify.ts';
import { type ChainEntry, type Checkpoint, hashEntry } from '../../../src/core/chain.ts';
import { chained, newSigner, saidEntries, witnessOfLog } from '../../support/memory-log.ts';

const signer = newSigner();
const log: readonly ChainEntry[] = [...chained(saidEntries(30))];
const checkpoints = [1, 10, 20].map((seq) => signer.at(log, seq));
const signedBy = (all: readonly Checkpoint[] = checkpoints, key: string | null = signer.key) => ({
  checkpoints: all,
  key,
});
/** It looked when the log had 25 entries. */
const witness = witnessOfLog(log.slice(0, 25), signer.key, 3);
const alone = null;

const verify = (entries: Iterable<ChainEntry>, signed = signedBy(), seen: Witness | null = witness) =>
  verifyMemory(entries, signed, seen ?? undefined);
const problemsOf = async (...given: Parameters<typeof verify>) => (await verify(...given)).problems;
/** What it says with nothing but the chain to go by. */
const chainProblems = async (entries: Iterable<ChainEntry>) =>
  (await verify(entries, signedBy([], null), alone)).problems;

/** The log with one entry replaced, by its number. */
const withEntry = (seq: number, changed: Partial<ChainEntry>) =>
  log.map((entry) => (entry.seq === seq ? { ...entry, ...changed } : entry));
const at = (seq: number) => {
  const entry = log[seq - 1];
  if (!entry) throw new Error(`no entry ${seq}`);
  return entry;
};
const nameOf = (seq: number) => `Entry ${seq} (${at(seq).file}, line ${at(seq).line}): `;

describe('a log that nobody changed', () => {
  it('is found whole, whether a computer saw it before or not, and however long ago', async () => {
    const whole = { entries: 30, head: at(30).hash, signed: 3, problems: [] };
    expect(await verify(log)).toEqual(whole);
    expect(await verify(log, signedBy(), alone)).toEqual(whole);
    expect(await verify(log, signedBy(), witnessOfLog([], signer.key, 0))).toEqual(whole);
    expect(await verify(log, signedBy(), witnessOfLog(log, signer.key, 3))).toEqual(whole);
  });

  it('may be empty, and may be signed by nobody', async () => {
    expect(await problemsOf([], signedBy([], null), alone)).toEqual([]);
    expect(await chainProblems(log)).toEqual([]);
  });
});

const flipped = (hex: string) => (hex.startsWith('0') ? '1' : '0') + hex.slice(1);

describe('one entry changed', () => {
  const changes: [string, (entry: ChainEntry) => Partial<ChainEntry>][] = [
    ['seq', ({ seq }) => ({ seq: seq + 1 })],
    ['file', ({ file }) => ({ file: `${file}x` })],
    ['line', ({ line }) => ({ line: line + 1 })],
    ['idem', ({ idem }) => ({ idem: flipped(idem) })],
    ['body', ({ body }) => ({ body: `${body} ` })],
    ['at', ({ at: time }) => ({ at: time + 1 })],
    ['prev', ({ prev }) => ({ prev: flipped(prev) })],
    ['hash', ({ hash }) => ({ hash: flipped(hash) })],
  ];
  for (const seq of [1, 2, 15, 20, 30]) {
    it.each(changes)(`is named: its %s, at entry ${seq}`, async (field, change) => {
      const [first] = await chainProblems(withEntry(seq, change(at(seq))));
      // Only the file and line that it should have can be named where just these were changed.
      const isPlace = field === 'file' || field === 'line';
      expect(first).toMatch(isPlace ? `Entry ${seq} (` : nameOf(seq));
    });
  }

  it.each([1, 15, 29])('and its hash with it is given away by the entry after it: %i', async (seq) => {
    const body = `${at(seq).body} `;
    const forged = withEntry(seq, { body, hash: hashEntry({ ...at(seq), body }) });
    expect(await chainProblems(forged)).toEqual([
      `${nameOf(seq + 1)}it is not linked to the entry before it.`,
    ]);
  });

  it('by any means is detected, whatever else stays as it was', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ unit: 'grapheme' }));
    const change = fc.oneof(
      fc.record({ field: fc.constantFrom('file', 'idem', 'body', 'prev', 'hash'), value: text }),
      fc.record({ field: fc.constantFrom('seq', 'line', 'at'), value: fc.integer() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), change, async (seq, { field, value }) => {
        fc.pre(at(seq)[field as keyof ChainEntry] !== value);
        const [first] = await chainProblems(withEntry(seq, { [field]: value }));
        expect(first).toMatch(new RegExp(`^Entry ${seq} \\(`));
      }),
      { seed: Number(process.env.FC_SEED ?? 20_260_109), numRuns: Number(process.env.FC_RUNS ?? 1_000) },
    );
  });

  it('is detected where it hides behind the one character that stands for all that are broken', async () => {
    const odd = [...chained(saidEntries(3, () => 'a \ufffd'))];
    const halved = odd.map((entry) => ({ ...entry, body: 'a \ud83d' }));
    expect(await chainProblems(odd)).toEqual([]);
    expect((await chainProblems(halved))[0]).toContain('Entry 1 (progress_log.jsonl, line 1): ');
  });

  it('is detected where words move from one field to the next', async () => {
    const { idem, body } = at(5);
    const moved = withEntry(5, { idem: idem.slice(0, -1), body: `${idem.at(-1)}${body}` });
    expect((await chainProblems(moved))[0]).toContain(nameOf(5));
    const swallowed = withEntry(5, { idem: `${idem}\n${body}`, body: '' });
    expect((await chainProblems(swallowed))[0]).toContain(nameOf(5));
  });
});

describe('entries missing, added or moved', () => {
  const without = (seq: number) => log.filter((entry) => entry.seq !== seq);
  it.each([1, 2, 15, 29])('a deleted entry is named by the place it left: %i', async (seq) => {
    const [first] = await chainProblems(without(seq));
    expect(first).toContain(`Entry ${seq} (`);
    expect(first).toContain(`it is numbered ${seq + 1} instead of ${seq}`);
  });

  it('a deleted one is detected when the rest is numbered anew', async () => {
    const closed = without(15).map((entry, i) => ({ ...entry, seq: i + 1 }));
    expect((await chainProblems(closed))[0]).toContain('Entry 15 (');
  });

  it.each([
    [1, 2],
    [14, 15],
    [29, 30],
    [3, 28],
  ])('two that changed places are named by the first: %i and %i', async (a, b) => {
    const swapped = log.map((entry) => (entry.seq === a ? at(b) : entry.seq === b ? at(a) : entry));
    expect((await chainProblems(swapped))[0]).toContain(`Entry ${a} (`);
  });

  it('an entry put in or written twice is named', async () => {
    const forged = { ...at(15), body: '{"n":0}' };
    expect((await chainProblems(log.toSpliced(14, 0, forged)))[0]).toContain('Entry 15 (');
    expect((await chainProblems(log.toSpliced(15, 0, at(15))))[0]).toContain('Entry 16 (');
    expect((await chainProblems([...log, at(30)]))[0]).toContain('Entry 31 (');
    expect((await chainProblems([...log, ...log]))[0]).toContain('Entry 31 (');
  });

  it.each([29, 24, 0])(
    'a log cut to %i entries holds together, and is given away by what was seen',
    async (n) => {
      expect(await chainProblems(log.slice(0, n))).toEqual([]);
      const seen = witnessOfLog(log, signer.key, 3);
      expect((await problemsOf(log.slice(0, n), signedBy(), seen))[0]).toBe(
        `The log has ${n} entries, but this computer has already seen 30. The log was cut or restored.`,
      );
    },
  );

  it('a log rewound together with its checkpoints is given away by what was seen', async () => {
    const rewound = log.slice(0, 12);
    const old = signedBy(checkpoints.slice(0, 2));
    expect(await problemsOf(rewound, old, alone)).toEqual([]);
    expect(await problemsOf(rewound, old)).toEqual([
      'The log has 12 entries, but this computer has already seen 25. The log was cut or restored.',
      'This computer has seen 3 checkpoints, but 2 are left.',
    ]);
    // And when it has grown another way since.
    const regrown = [...chained([...rewound, ...[...saidEntries(30, (n) => `${n}!`)].slice(12)])];
    expect((await problemsOf(regrown, old))[0]).toBe(
      `Entry 25 (${at(25).file}, line ${at(25).line}) has another hash than this computer saw. The log was rewritten.`,
    );
  });

  it('a log cut below a checkpoint is given away by the checkpoint alone', async () => {
    expect(await problemsOf(log.slice(0, 12), signedBy(), alone)).toEqual([
      'There is a checkpoint at entry 20, which the log does not reach.',
    ]);
  });
});
