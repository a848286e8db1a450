import { describe, expect, it } from 'vitest';
import {
  listProcesses,
  membersOf,
  type ProcessEntry,
  parsePs,
} from '../../../local-bridge/tools/terminal/process-tree.ts';

const entry = (pid: number, parent: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  ...{ pid, parent, group: 1, session: 1, started: `t${pid}`, name: 'x', marked: false, inner: false },
  ...more,
});
const ids = (members: readonly ProcessEntry[]) => members.map(({ pid }) => pid).sort((a, b) => a - b);

describe('who belongs to a command', () => {
  const run = { mark: 'm', pid: 100 };

  it('is whoever is marked, in its session, or comes from one of these', () => {
    const all = [
      entry(100, 50, { session: 100 }),
      entry(101, 1, { session: 100 }),
      entry(102, 1, { marked: true }),
      entry(103, 102),
      entry(104, 103),
      entry(200, 50),
      entry(201, 200),
    ];
    expect(ids(membersOf(run, all))).toEqual([100, 101, 102, 103, 104]);
  });

  it('is whoever was known before, unless the number was given to another since', () => {
    const all = [entry(110, 1), entry(111, 1)];
    const known = new Map([
      [110, 't110'],
      [111, 'earlier'],
    ]);
    expect(ids(membersOf(run, all, known))).toEqual([110]);
  });

  it('is never the bridge, its helper, or the first process, nor those that come from these', () => {
    const all = [
      entry(1, 0, { marked: true }),
      entry(50, 1, { marked: true }),
      entry(51, 50),
      entry(process.pid, 1, { session: 100 }),
    ];
    expect(ids(membersOf(run, all, new Map(), new Set([50, process.pid])))).toEqual([]);
  });

  it('ends where a table goes in a circle', () => {
    expect(ids(membersOf(run, [entry(100, 101), entry(101, 100)]))).toEqual([100, 101]);
  });
});

describe('the process table', () => {
  it.skipIf(process.platform !== 'linux')('has this process in it, as it is', () => {
    const own = listProcesses('none').find(({ pid }) => pid === process.pid);
    expect(own).toMatchObject({
      parent: process.ppid,
      marked: false,
      started: expect.stringMatching(/^\d+$/),
    });
  });

  it("is read from macOS's ps, where the environment follows the command", () => {
    const table = [
      '  501     1   501      0 Ss   Wed Nov 18 09:00:00 2026     /bin/zsh -c sleep 5 TERM=dumb TERMINAL_RUN=abc',
      '  502   501   501      0 S    Wed Nov 18 09:00:01 2026     sleep 5 TERMINAL_RUN=abcd TERMINAL_COMMAND=1',
      '  503   501   503      0 Z    Wed Nov  8 09:00:02 2026     (sleep)',
      '',
    ].join('\n');
    expect(parsePs(table, 'abc')).toEqual([
      entry(501, 1, {
        group: 501,
        session: 501,
        started: 'Wed Nov 18 09:00:00 2026',
        name: 'zsh',
        marked: true,
      }),
      entry(502, 501, {
        ...{ group: 501, session: 501, started: 'Wed Nov 18 09:00:01 2026', name: 'sleep', inner: true },
      }),
    ]);
  });
});
