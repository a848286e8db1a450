import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK } from '../../../contracts/link.ts';
import { folderDisk } from '../../../local-bridge/agent/link/disk.ts';
import { Journal } from '../../../local-bridge/agent/link/journal.ts';
import { MachineLink } from '../../../local-bridge/agent/link/machine-link.ts';
import { decodePiece, encodePiece } from '../../../src/core/link-pieces.ts';

const bytes = (length: number) => new TextEncoder().encode('r'.repeat(length));

describe('the journal on a disk', () => {
  let folder: string;
  let ids = 0;
  const open = () => new Journal(folderDisk(folder), () => `j${++ids}`, 'm');
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bowline-journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is the same after a restart', () => {
    const journal = open();
    journal.start('a');
    journal.start('b');
    journal.finish('b', true, bytes(10));
    journal.start('c');
    journal.finish('c', false, bytes(16 * 1024 + 1));
    journal.start('d');
    journal.forget(['d']);
    const again = open();
    expect(again.id).toBe(journal.id);
    expect(again.held()).toEqual(['a', 'b', 'c']);
    expect(again.find('a')).toEqual({ is: 'started' });
    for (const [call, length, ok] of [
      ['b', 10, true],
      ['c', 16 * 1024 + 1, false],
    ] as const) {
      const begun = again.find(call);
      if (begun?.is !== 'done') throw new Error(`${call} is not done`);
      expect(begun.ok).toBe(ok);
      expect(Buffer.from(begun.body.slice(0, length)).equals(Buffer.from(bytes(length)))).toBe(true);
    }
    expect(readdirSync(join(folder, 'results'))).toEqual(['c']);
    again.forget(['c']);
    expect(readdirSync(join(folder, 'results'))).toEqual([]);
  });

  it('keeps no result that a killed process stored or half stored without writing it down', () => {
    const journal = open();
    journal.start('a');
    journal.start('b');
    journal.finish('b', true, bytes(16 * 1024 + 1));
    const results = join(folder, 'results');
    for (const name of ['a', 'a.new']) writeFileSync(join(results, name), 'half');
    const again = open();
    expect(readdirSync(results)).toEqual(['b']);
    expect(again.held()).toEqual(['a', 'b']);
  });

  it('remembers what was acknowledged, and the connection, over restarts', () => {
    const journal = open();
    journal.connected(5);
    journal.start('a');
    journal.forget(['a']);
    for (const one of [journal, open(), open()]) {
      expect(one.find('a')).toEqual({ is: 'started' });
      expect(one.held()).toEqual([]);
      expect([one.epoch, one.isMoved]).toEqual([5, false]);
    }
  });

  it('knows when it lies elsewhere, and is another one for another machine', () => {
    const journal = open();
    journal.connected(5);
    const elsewhere = mkdtempSync(join(tmpdir(), 'bowline-journal-'));
    try {
      cpSync(folder, elsewhere, { recursive: true });
      const copy = new Journal(folderDisk(elsewhere), () => 'new', 'm');
      expect([copy.id, copy.epoch, copy.isMoved]).toEqual([journal.id, 5, true]);
      copy.connected(6);
      expect([copy.epoch, copy.isMoved]).toEqual([6, false]);
      const other = new Journal(folderDisk(elsewhere), () => 'new', 'another machine');
      expect([other.id, other.epoch]).toEqual(['new', 0]);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it('loses a last line that was being written, and nothing else', () => {
    const journal = open();
    journal.start('a');
    const whole = readFileSync(join(folder, 'journal'), 'utf8');
    journal.start('b');
    const longer = readFileSync(join(folder, 'journal'), 'utf8');
    for (let length = whole.length; length < longer.length; length++) {
      writeFileSync(join(folder, 'journal'), longer.slice(0, length));
      const again = open();
      expect(again.id).toBe(journal.id);
      expect(again.held()).toEqual(['a']);
    }
  });

  it('is another one when it was damaged, so that nobody trusts it', () => {
    const journal = open();
    journal.start('a');
    journal.start('b');
    const text = readFileSync(join(folder, 'journal'), 'utf8');
    for (const damaged of [text.replace('"a"', '"x"'), text.slice(5), `${text.slice(0, -20)}\n${text}`, '']) {
      writeFileSync(join(folder, 'journal'), damaged);
      const again = open();
      expect(again.id).not.toBe(journal.id);
      expect(again.held()).toEqual([]);
    }
  });

  it('stays small over thousands of calls', { timeout: 600_000 }, () => {
    const journal = open();
    // More of them by the environment, for a look at days of use.
    const calls = Number(process.env.LINK_CALLS ?? 1_500);
    for (let i = 0; i < calls; i++) {
      journal.start(`c${i}`);
      journal.finish(`c${i}`, true, bytes(i % 50 === 0 ? 40_000 : 1_000));
      journal.forget([`c${i}`]);
    }
    expect(journal.held()).toEqual([]);
    expect(statSync(join(folder, 'journal')).size).toBeLessThan(512 * 1024);
    expect(readdirSync(join(folder, 'results'))).toEqual([]);
  });
});

describe('a machine’s end of the link', () => {
  const journal = () => {
    let text: string | undefined;
    const files = new Map<string, Uint8Array>();
    return new Journal(
      {
        place: 'here',
        load: () => text,
        append: (more) => {
          text = (text ?? '') + more;
        },
        sync: () => undefined,
        replace: (whole) => {
          text = whole;
        },
        keep: (name, kept) => files.set(name, kept),
        slice: (name, from, to) => files.get(name)?.subarray(from, to) ?? new Uint8Array(),
        drop: (name) => files.delete(name),
        dropOthers: () => undefined,
      },
      () => 'j',
      'm',
    );
  };

  function connected(length: number, isEffect = false) {
    const sent: (string | Uint8Array)[] = [];
    const ends: (() => void)[] = [];
    const link = new MachineLink(
      journal(),
      {
        tools: 1,
        isEffect: () => isEffect,
        run: (_job, _progress, ended) => {
          ends.push(() => ended({ ok: true, bytes: bytes(length) }));
          return () => undefined;
        },
      },
      (error) => {
        throw error;
      },
    );
    const socket = { send: (frame: string | Uint8Array) => void sent.push(frame), close: () => undefined };
    link.attach(socket, 1);
    // The first thing that it says.
    sent.length = 0;
    const call = (n: number, more: object = {}) =>
      link.message(
        socket,
        JSON.stringify({
          ...{ type: 'call', n, id: `c${n}`, tool: 't', digest: '0'.repeat(64), effect: false },
          ...{ principal: 'p', client: 'c', text: '{}', ...more },
        }),
      );
    const say = (frame: object) => link.message(socket, JSON.stringify(frame));
    const pieces = () =>
      sent.flatMap((frame) => {
        const piece = typeof frame === 'string' ? undefined : decodePiece(frame, LINK.result);
        return piece ? [piece] : [];
      });
    const told = () => sent.flatMap((frame) => (typeof frame === 'string' ? [JSON.parse(frame)] : []));
    return { link, socket, call, say, ends, pieces, told };
  }

  it('sends no more of a result than its reader allowed', () => {
    const { call, say, ends, pieces } = connected(10 * 1024 * 1024);
    call(1);
    for (const end of ends) end();
    const reach = () => Math.max(...pieces().map(({ at, bytes: part }) => at + part.length));
    expect(reach()).toBe(LINK.callCredit);
    say({ type: 'credit', n: 1, upto: 1_000_000 });
    expect(reach()).toBe(1_000_000);
    say({ type: 'credit', n: 1, upto: 500_000 });
    expect(reach()).toBe(1_000_000);
    expect(pieces().every(({ bytes: part }) => part.length <= LINK.piece)).toBe(true);
  });

  it('sends no more of all results than a socket may carry', () => {
    const { call, ends, pieces } = connected(1024 * 1024);
    for (let n = 1; n <= 8; n++) call(n);
    for (const end of ends) end();
    const sum = pieces().reduce((total, { bytes: part }) => total + part.length, 0);
    expect(sum).toBe(LINK.socketCredit);
  });

  it('runs eight, lets sixty-four wait, and sends the next away', () => {
    const { call, ends, told } = connected(1);
    for (let n = 1; n <= 72; n++) call(n);
    expect(ends).toHaveLength(8);
    expect(told()).toEqual([]);
    call(73);
    expect(told()).toEqual([{ type: 'cancelled', n: 73, why: 'busy' }]);
    for (let i = 0; i < 72; i++) ends[i]?.();
    expect(ends).toHaveLength(72);
  });

  it('takes a call for one that changes something if either side does', () => {
    for (const [own, told] of [
      [true, false],
      [false, true],
    ] as const) {
      const machine = connected(1, own);
      machine.call(1, { effect: told });
      expect(machine.told()).toEqual([{ type: 'accepted', n: 1 }]);
    }
  });

  it('takes a frame that comes twice for one call, and one from an older socket for none', () => {
    const { link, socket, call, ends } = connected(1);
    call(5);
    call(5, { id: 'other' });
    call(4, { id: 'late' });
    expect(ends).toHaveLength(1);
    link.attach({ send: () => undefined, close: () => undefined }, 2);
    link.message(socket, '{"type":"probe","n":1}');
    call(6);
    expect(ends).toHaveLength(1);
  });

  const piece = (more: object) =>
    encodePiece({ n: 1, isOk: true, at: 0, total: 2, bytes: bytes(2), ...more });

  it.each([
    ['an unknown frame', '{"type":"policy","roots":["/"]}'],
    ['a call with neither arguments nor their length', { type: 'call', text: undefined }],
    ['a call whose id is a path', { type: 'call', id: '../../etc/passwd' }],
    ['bytes that are no piece', new Uint8Array(3)],
    ['a frame longer than any may be', `{"type":"probe","n":1}${' '.repeat(LINK.frame)}`],
    ['a piece of more than there may be', piece({ total: LINK.text + 1 })],
    ['a piece that goes on after its end', piece({ total: 1 })],
  ])('hangs up on a gateway that sends %s', (_, said) => {
    const { link, socket, call } = connected(1);
    if (typeof said === 'object' && !(said instanceof Uint8Array)) expect(call(1, said)).toBe(false);
    else expect(link.message(socket, said)).toBe(false);
  });
});
