import { mkdtempSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMeter } from '../../../../local-bridge/tools/terminal/sessions/meter.ts';
import { openRing, type Ring } from '../../../../local-bridge/tools/terminal/sessions/ring.ts';
import { openSession } from '../../../../local-bridge/tools/terminal/sessions/session.ts';

/** A ring of small pieces on a disk that takes `room` bytes. */
function openRig(room = Number.POSITIVE_INFINITY) {
  const disk = { room };
  const folder = mkdtempSync(join(tmpdir(), 'bowline-ring-'));
  const write = (fd: number, bytes: Buffer, at: number) => {
    // A full disk takes a part of a write, and refuses the next one.
    const taken = Math.min(bytes.length, disk.room);
    if (taken === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    disk.room -= taken;
    return writeSync(fd, bytes, 0, taken, at);
  };
  const ring = openRing(folder, { pieceBytes: 10, write });
  onTestFinished(() => {
    ring.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { ring, disk, files: () => readdirSync(folder).length };
}

/** Everything that can be read, by reads of so many bytes. */
function readAll(ring: Ring, most: number) {
  let [text, missed] = ['', 0];
  for (let at = 0; at < ring.end; ) {
    const stretch = ring.read(at, most);
    expect(stretch.next, 'a read goes on').toBeGreaterThan(at);
    [text, missed, at] = [text + stretch.text, missed + stretch.missed, stretch.next];
  }
  return { text, missed };
}

describe('a ring', () => {
  it('gives what was added, whatever the size of the reads', () => {
    const { ring } = openRig();
    const text = 'über alle Grenzen 🎈 der Teile hinweg';
    expect(ring.append(text)).toBe(true);
    for (const most of [5, 9, 10, 11, 1_000]) expect(readAll(ring, most)).toEqual({ text, missed: 0 });
  });

  it('drops the oldest piece, and says how much is missing', () => {
    const { ring, files } = openRig();
    for (let i = 0; i < 20; i++) ring.append(`${i}`.padStart(10, '.'));
    expect(files()).toBe(16);
    expect(ring.read(0, 10)).toEqual({ text: '.........4', next: 50, missed: 40 });
  });

  it('goes on after the disk was full, and says how much is missing', () => {
    const { ring, disk } = openRig();
    expect(ring.append('kept before ')).toBe(true);
    disk.room = 4;
    expect(ring.append('half is lost ')).toBe(false);
    for (let i = 0; i < 100; i++) expect(ring.append('lost ')).toBe(false);
    expect(ring.end).toBe(12 + 13 + 500);
    expect(ring.read(16, 100)).toEqual({ text: '', next: 525, missed: 509 });
    disk.room = Number.POSITIVE_INFINITY;
    expect(ring.append('kept after it')).toBe(true);
    for (const most of [5, 9, 10, 1_000])
      expect(readAll(ring, most)).toEqual({ text: 'kept before halfkept after it', missed: 509 });
    expect(ring.read(ring.end, 100)).toEqual({ text: '', next: ring.end, missed: 0 });
  });

  it('gives no half character on either side of what is missing', () => {
    const { ring, disk } = openRig();
    disk.room = 2;
    ring.append('a🎈');
    disk.room = Number.POSITIVE_INFINITY;
    ring.append('b');
    expect(readAll(ring, 100)).toEqual({ text: expect.stringMatching(/^a\uFFFD?b$/), missed: 3 });
  });
});

describe('a session on a full disk', () => {
  it('goes on, and says once that output is missing', async () => {
    const { ring, disk } = openRig();
    let print: (chunk: Buffer) => void = () => undefined;
    const [pty, nothing] = [{ pid: 1, process: 'sh' }, () => undefined];
    const session = await openSession({
      ...{ name: 'work', principal: 'owner', command: 'make', folder: '/' },
      ...{ startedAt: new Date(0), startedBy: 'call_1' },
      ...{ ring, meter: openMeter() },
      start: async (onData) => {
        print = onData;
        const parts = {
          ...{ mark: '', shell: 'sh', path: '', stop: nothing },
          over: new Promise<never>(nothing),
        };
        const look = async () => ({ planted: [], unseen: [] });
        return {
          ...parts,
          look,
          pty: { ...pty, write: nothing, pause: nothing, resume: nothing, resize: nothing },
        };
      },
    });
    disk.room = 0;
    print(Buffer.from('lost\nlost\n'));
    expect(session.takeWarning()).toContain('Some output is missing');
    print(Buffer.from('lost\n'));
    expect(session.takeWarning()).toBe(undefined);
    disk.room = 100;
    print(Buffer.from('kept\n'));
    expect(session.read(0, 100)).toEqual({ text: 'kept\n', next: 20, missed: 15 });
  });
});
