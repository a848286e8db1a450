import { describe, expect, it } from 'vitest';
import { change, evidence, kindsOf, LOST, lineOf, marked, OK, refused, sent } from '../soak/by-hand.ts';
import { check } from '../soak/checker.ts';
import { type Attempt, standingOf } from '../soak/history.ts';
import { checkMemory, reportOf, violationsOf } from '../soak/report.ts';

const FILE = 'decisions.jsonl';
let notes = 0;
const note = (
  line: number,
  attempts = [sent({ is: 'ok', output: { line_number: line } })],
  body = `n${++notes}`,
) => {
  const call = change({ on: 'memory', file: FILE, body }, attempts);
  return { call, entry: { file: FILE, line, body }, row: lineOf(call) };
};
const made = (to: string, attempts: Attempt[], from?: string) => {
  return change({ on: 'file', path: 'made/a.txt', to, ...(from === undefined ? {} : { from }) }, attempts);
};
const holding = (content: string) => new Map<string, string | null>([['made/a.txt', content]]);
describe('what a client may take for done', () => {
  it.each([
    [[sent(OK)], 'done'],
    [[sent(LOST), sent(OK)], 'done'],
    [[sent(refused('machine_offline')), sent(refused('approval_denied'), 1)], 'not_done'],
    // The key's first outcome came with the second sending.
    [[sent(LOST), sent(refused('machine_offline'))], 'not_done'],
    [[sent(refused('machine_offline')), sent(LOST, 1)], 'unknown'],
    [[sent(LOST), sent(refused('machine_offline'), 1)], 'unknown'],
    [[sent(refused('outcome_unknown'))], 'unknown'],
    [[sent(refused('call_in_progress'))], 'unknown'],
  ] as const)('%o is %s', (attempts, standing) => {
    expect(standingOf({ attempts })).toBe(standing);
  });
});

describe('a history in which all is well', () => {
  it('has no violation, even where nobody knows what came of a call', () => {
    const first = note(1);
    const second = note(2, [sent({ is: 'ok', output: { line_number: 2 } }, 0, 2_000)]);
    const file = made('one', [sent(OK)]);
    const changed = { ...made('two', [sent(LOST)], 'one'), tool: 'replace_string_in_file' };
    const mark = marked([sent(LOST), sent(OK)]);
    const offline = change({ on: 'mark', mark: 'never' }, [sent(refused('machine_offline'))]);
    const folder = change({ on: 'folder', path: 'made/f' }, [sent(OK)]);
    const parts = {
      calls: [first.call, second.call, file, changed, mark, offline, folder],
      memory: [first.entry, second.entry],
      marks: ['m'],
      ledger: [
        ...[first.row, second.row, lineOf(file), lineOf(mark), lineOf(folder)],
        lineOf(offline, { outcome: 'failed', code: 'machine_offline' }),
      ],
    };
    for (const content of ['one', 'two']) {
      const files = new Map([...holding(content), ['made/f', null]]);
      expect(check(evidence({ ...parts, files }))).toEqual([]);
    }
  });
});

describe('the memory', () => {
  it('misses an entry that was acknowledged', () => {
    const { call, row } = note(1);
    expect(kindsOf({ calls: [call], ledger: [row] })).toEqual(['memory']);
  });

  it('has an entry twice, acknowledged or not', () => {
    const { call, entry, row } = note(1);
    expect(kindsOf({ calls: [call], ledger: [row], memory: [entry, { ...entry, line: 2 }] })).toEqual([
      'memory',
    ]);
    const lost = note(1, [sent(LOST)]);
    expect(kindsOf({ calls: [lost.call], memory: [lost.entry] })).toEqual([]);
    expect(kindsOf({ calls: [lost.call], memory: [lost.entry, lost.entry] })).toEqual(['memory']);
  });

  it('has an entry on another line than was said, out of order, or of nobody', () => {
    const { call, entry, row } = note(1);
    expect(kindsOf({ calls: [call], ledger: [row], memory: [{ ...entry, line: 2 }] })).toEqual(['memory']);
    const late = note(1, [sent({ is: 'ok', output: { line_number: 1 } }, 0, 5_000)]);
    const early = note(2, [sent({ is: 'ok', output: { line_number: 2 } }, 0, 1_000)]);
    const both = { calls: [late.call, early.call], ledger: [late.row, early.row] };
    expect(kindsOf({ ...both, memory: [late.entry, early.entry] })).toEqual(['memory']);
    expect(kindsOf({ memory: [entry] })).toEqual(['memory']);
  });

  it('does not verify', () => {
    expect(kindsOf({ chain: ['Entry 4 was changed.'] })).toEqual(['chain']);
  });
});

describe('a line that was typed into a lasting terminal', () => {
  const typed = (told: Attempt[]) => change({ on: 'typed', mark: 'm' }, told);

  it('runs once or not at all, because its terminal may end', () => {
    const call = typed([sent(OK)]);
    const ledger = [lineOf(call)];
    expect(kindsOf({ calls: [call], ledger, marks: ['m'] })).toEqual([]);
    expect(kindsOf({ calls: [call], ledger })).toEqual([]);
    expect(kindsOf({ calls: [call], ledger, marks: ['m', 'm'] })).toEqual(['mark']);
  });

  it('was typed twice, or typed although it was said that nothing was', () => {
    const lost = typed([sent(LOST)]);
    expect(kindsOf({ calls: [lost], marks: ['m'] })).toEqual([]);
    expect(kindsOf({ calls: [lost], marks: ['m', 'm'] })).toEqual(['mark']);
    const refusedOne = typed([sent(refused('not_at_prompt'))]);
    const refusal = lineOf(refusedOne, { outcome: 'failed', code: 'not_at_prompt' });
    expect(kindsOf({ calls: [refusedOne], ledger: [refusal], marks: ['m'] })).toEqual(['mark']);
  });

  it('printed something, and then what it did is gone', () => {
    const call = typed([sent(OK)]);
    expect(kindsOf({ calls: [call], ledger: [lineOf(call)], seen: new Set(['m']) })).toEqual(['mark']);
  });

  it('needs no approval of its owner to be stopped', () => {
    const stop = { ...typed([sent(OK)]), tool: 'terminal_stop', effect: { on: 'typed', mark: 'm' } as const };
    expect(kindsOf({ calls: [stop], ledger: [lineOf(stop, { because: 'no approval needed' })] })).toEqual([]);
  });
});

describe('files', () => {
  it('are lost, half written, or there although it was said that nothing ran', () => {
    const call = made('whole content', [sent(OK)]);
    const ledger = [lineOf(call)];
    expect(kindsOf({ calls: [call], ledger, files: holding('whole content') })).toEqual([]);
    expect(kindsOf({ calls: [call], ledger })).toEqual(['file']);
    expect(kindsOf({ calls: [call], ledger, files: holding('whole') })).toEqual(['file']);
    const lost = made('whole content', [sent(LOST)]);
    expect(kindsOf({ calls: [lost], files: holding('whole') })).toEqual(['file']);
    const offline = made('whole content', [sent(refused('machine_offline'))]);
    const refusal = lineOf(offline, { outcome: 'failed', code: 'machine_offline' });
    expect(kindsOf({ calls: [offline], ledger: [refusal], files: holding('whole content') })).toEqual([
      'file',
    ]);
  });

  it('hold what was replaced', () => {
    const first = made('one', [sent(OK)]);
    const then = { ...made('two', [sent(OK, 0, 2_000)], 'one'), tool: 'replace_string_in_file' };
    const parts = { calls: [first, then], ledger: [lineOf(first), lineOf(then)] };
    expect(kindsOf({ ...parts, files: holding('two') })).toEqual([]);
    expect(kindsOf({ ...parts, files: holding('one') })).toEqual(['file']);
  });

  it('lack a folder', () => {
    const call = change({ on: 'folder', path: 'made/f' }, [sent(OK)]);
    expect(kindsOf({ calls: [call], ledger: [lineOf(call)] })).toEqual(['file']);
  });
});

describe('marks of commands', () => {
  it('are lost, doubled, or left by nobody', () => {
    const call = marked([sent(LOST), sent(OK)]);
    const ledger = [lineOf(call)];
    expect(kindsOf({ calls: [call], ledger, marks: ['m'] })).toEqual([]);
    expect(kindsOf({ calls: [call], ledger, marks: [] })).toEqual(['mark']);
    expect(kindsOf({ calls: [call], ledger, marks: ['m', 'm'] })).toEqual(['mark']);
    expect(kindsOf({ calls: [marked([sent(LOST)])], marks: ['m', 'm'] })).toEqual(['mark']);
    expect(kindsOf({ marks: ['half a m'] })).toEqual(['mark']);
  });

  it('are there although it was said that nothing ran', () => {
    const call = marked([sent(refused('machine_offline'))]);
    const ledger = [lineOf(call, { outcome: 'failed', code: 'machine_offline' })];
    expect(kindsOf({ calls: [call], ledger, marks: ['m'] })).toEqual(['mark']);
  });
});

describe('the computer', () => {
  it('still has a process, a half-made file or a lock', () => {
    expect(kindsOf({ processes: ['17 sleep 120'], leftovers: ['home/link/lock'] })).toEqual([
      'process',
      'leftover',
    ]);
  });
});

describe('memory', () => {
  it('may grow, but not without end', () => {
    const [start, end] = [
      { gateway: 600 * 1_048_576, bridge: 160 * 1_048_576 },
      { gateway: 900 * 1_048_576, bridge: 800 * 1_048_576 },
    ];
    const held = { start, end, most: end };
    expect(checkMemory(held, 30)).toMatchObject([{ what: 'The bridge grew from 160 MB to 800 MB' }]);
    expect(checkMemory(held, 29)).toEqual([]);
  });

  it('may be high for a moment, but not that high', () => {
    const small = { gateway: 150 * 1_048_576, bridge: 160 * 1_048_576 };
    const most = { gateway: 1_001 * 1_048_576, bridge: 1_000 * 1_048_576 };
    const held = { start: small, end: small, most };
    expect(checkMemory(held, 5)).toMatchObject([
      { what: 'The gateway once held 1001 MB, and 1000 are the most' },
    ]);
    expect(checkMemory(held, 3)).toEqual([]);
  });
});

describe('the report', () => {
  const run = {
    ...{
      seed: 42,
      began: 0,
      faultKinds: ['gateway killed'],
      faults: [{ kind: 'gateway killed', at: 1_005, until: 1_500 }],
      memory: undefined,
    },
    calls: [marked([sent(LOST), sent(OK)]), marked([sent(refused('machine_offline'))]), marked([sent(LOST)])],
  };

  it('counts calls by what their clients know', () => {
    const report = reportOf({ ...run, violations: [] });
    expect(report).toContain('| run_in_terminal | 3 | 1 | 1 | 1 | 1 |');
    expect(report).toContain('| gateway killed | 1 | 0.5 |');
    expect(report).toContain('3 calls in 4 sendings');
  });

  it('shows a violation with the seed and what was broken around it', () => {
    const found = { kind: 'mark', what: 'It is there twice', at: 2_000 } as const;
    const text = violationsOf({ ...run, violations: [found] }, 'npm run soak --');
    expect(text).toContain('Seed 42');
    expect(text).toContain('✗ mark at 2.0 s: It is there twice\n    1.0 s to 1.5 s: gateway killed');
    expect(text).toContain('npm run soak -- --seed 42');
    const later = violationsOf({ ...run, violations: [{ ...found, at: 60_000 }] }, '');
    expect(later).not.toContain('gateway killed');
  });

  it('shows what the client of a violated call was told, and what the ledger has of it', () => {
    const call = marked([sent(LOST), sent(refused('machine_offline'), 1, 2_000)]);
    const ledger = [lineOf(call, { id: 'call_x', at: 1_500, outcome: null })];
    const violations = check(evidence({ calls: [call], marks: ['m', 'm'], ledger })).filter(
      ({ kind }) => kind === 'mark',
    );
    const text = violationsOf({ ...run, violations }, '');
    expect(text).toContain('1.0 s: sent under k.0, and after 0.0 s told: nothing (the socket closed)');
    expect(text).toContain('2.0 s: sent under k.1, and after 0.0 s told: machine_offline');
    expect(text).toMatch(/1\.5 s: ledger \d+ \(call_x, rest\): approved, approval A-\d+; ended never/);
  });
});
