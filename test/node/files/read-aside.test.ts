import type { ChildProcess } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { readAside } from '../../../local-bridge/tools/reading/aside.ts';
import { QUICK_BYTES } from '../../../local-bridge/tools/reading/contents.ts';
import { MAX_NOTEBOOK_CHARS, notebookText } from '../../../local-bridge/tools/reading/notebook.ts';
import { type Job, parse } from '../../../local-bridge/tools/reading/parsers.ts';
import { pdfOf } from '../../support/pdf.ts';
import { startedPrograms } from '../../support/started-programs.ts';
import { fileRig, outputOf } from '../workspace/rig.ts';
import { tarOf } from './made-files.ts';
import { type Read, read } from './read-many.ts';

/** Lists in lists, or empty cells: a few bytes each in the file, and many times that in memory. */
const deep = (bytes: number) => `{"cells":[${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}]}`;
const many = (cells: number) => `{"cells":[${'{},'.repeat(cells)}{}]}`;
const SLOW_PDF = pdfOf(Array.from({ length: 400 }, (_, i) => `page ${i} of a long book`));

let programs: readonly ChildProcess[];
beforeEach(() => {
  programs = startedPrograms();
});
/** Tells of each program whether it is gone. */
const ended = () => programs.map(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);

const job = (kind: Job['kind'], content: Buffer | string, until: number) => async () => ({
  ...{ kind, until },
  bytes: Buffer.from(content),
});
const never = new AbortController().signal;
const LATER = () => Date.now() + 600_000;

describe('a file that takes long to read', () => {
  it('is read beside the bridge, which answers other calls meanwhile', async () => {
    const rig = fileRig({ files: { 'a.pdf': SLOW_PDF, 'b.txt': 'small\n' } });
    const order: string[] = [];
    const slow = read(rig, ['a.pdf']).then(({ files }) => {
      order.push('pdf');
      return files;
    });
    for (let i = 0; i < 25; i++) {
      outputOf(await rig.call('read_file', { path: 'b.txt' }));
      order.push('text');
    }
    expect((await slow)[0]).toMatchObject({ kind: 'pdf' });
    expect(order).toEqual([...Array(25).fill('text'), 'pdf']);
    expect(ended()).toEqual([true]);
  });

  it('is given up when its time is over, and its program is gone before the answer', async () => {
    const before = { until: Date.now() - 1, signal: never };
    expect(await readAside(before, job('pdf', SLOW_PDF, 0))).toEqual({ problem: 'takes too long to read' });
    expect(programs).toEqual([]);
    const time = { until: LATER(), signal: never };
    const read = await readAside(time, job('notebook', deep(2_000_000), Date.now() - 500));
    expect(read).toEqual({ problem: 'takes too long to read' });
    expect(ended()).toEqual([true]);
  });

  it('is given up with its call', async () => {
    const call = new AbortController();
    const reading = readAside({ until: LATER(), signal: call.signal }, async () => {
      queueMicrotask(() => call.abort());
      return { kind: 'pdf', bytes: SLOW_PDF, until: LATER() };
    });
    expect(await reading).toEqual({ problem: 'takes too long to read' });
    expect(ended().every(Boolean)).toBe(true);
    const gone = readAside({ until: LATER(), signal: AbortSignal.abort() }, job('pdf', SLOW_PDF, LATER()));
    expect(await gone).toEqual({ problem: 'takes too long to read' });
  });

  it('is given up when it needs too much memory, and the bridge lives on', async () => {
    const read = await readAside(
      { until: LATER(), signal: never },
      job('notebook', deep(3_000_000), LATER()),
      32,
    );
    expect(read).toEqual({ problem: 'takes too much memory to read' });
    expect(ended()).toEqual([true]);
  });

  it('waits while two others are read', async () => {
    const time = { until: LATER(), signal: never };
    let most = 0;
    const all = Array.from({ length: 5 }, () =>
      readAside(time, async () => {
        most = Math.max(most, 1 + ended().filter((one) => !one).length);
        return { kind: 'archive' as const, bytes: tarOf([['a', 1]]), until: LATER() };
      }),
    );
    expect((await Promise.all(all)).map((one) => one && 'text' in one && one.kind)).toEqual(
      Array(5).fill('tar'),
    );
    expect([programs.length, most]).toEqual([5, 2]);
  });

  it('is read by a program that has no environment, and may write no file and start none', async () => {
    const rig = fileRig({ files: { 'a.tgz': gzipSync(tarOf([['a', 1]])) } });
    await read(rig, ['a.tgz']);
    const [program] = programs;
    expect(program?.spawnargs).toEqual(expect.arrayContaining(['--permission', '--allow-fs-read=*']));
    expect(program?.spawnargs.join(' ')).not.toMatch(/--allow-(?!fs-read)/);
  });
});

describe('what the program does', () => {
  it.each<[Job['kind'], Buffer, object | undefined]>([
    [
      'pdf',
      pdfOf(['some words']),
      { kind: 'pdf', text: expect.stringContaining('some words'), isCut: false, title: null, author: null },
    ],
    ['pdf', Buffer.from('%PDF-1.7 nothing'), { problem: expect.stringMatching(/^is damaged/) }],
    ['archive', gzipSync(tarOf([['a', 3]])), { kind: 'tar', text: `${' '.repeat(11)}3  a\n`, isCut: false }],
    ['archive', Buffer.from('PK\u0003\u0004'), { problem: 'has a damaged list of files' }],
    ['archive', gzipSync('no archive'), undefined],
    [
      'notebook',
      Buffer.from('{"cells":[]}'),
      { kind: 'notebook', text: '', isCut: false, encoding: 'utf-8' },
    ],
    ['notebook', Buffer.from([0, 1, 2]), undefined],
  ])('reads a %s: %#', async (kind, bytes, expected) => {
    expect(await parse({ kind, bytes, until: LATER() })).toEqual(expected);
  });
});

describe('a notebook', () => {
  it.each([
    [QUICK_BYTES - 1, 0],
    [QUICK_BYTES, 0],
    [QUICK_BYTES + 1, 1],
  ])('of %i bytes is read with %i programs', async (bytes, count) => {
    const cells = '{"cells":[{"source":"x"}]}';
    const rig = fileRig({ files: { 'n.ipynb': cells.padEnd(bytes, ' ') } });
    const { files } = await read(rig, ['n.ipynb']);
    expect([files[0]?.kind, programs.length]).toEqual(['notebook', count]);
  });

  it('of millions of cells is cut, and one of lists in lists is text', async () => {
    const rig = fileRig({ files: { 'm.ipynb': many(320_000), 'd.ipynb': deep(200_000) } });
    const { files } = await read(rig, ['m.ipynb', 'd.ipynb']);
    expect(files).toMatchObject([
      { kind: 'notebook', truncated: true },
      { kind: 'notebook', truncated: false },
    ]);
    expect((files as (Read & { total_lines?: number })[])[0]?.total_lines).toBeLessThan(600_000);
  });

  it.each([
    [MAX_NOTEBOOK_CHARS - 1, false],
    [MAX_NOTEBOOK_CHARS, false],
    [MAX_NOTEBOOK_CHARS + 1, true],
  ])('of %i characters is cut: %s', (chars, isCut) => {
    const source = 'x'.repeat(chars - '[1] cell\n\n\n'.length);
    const written = notebookText(JSON.stringify({ cells: [{ source }] }));
    expect([written?.isCut, written?.text.length]).toEqual([isCut, isCut ? 0 : chars]);
  });

  it('with texts in halves, huge outputs and hundreds of kinds stays short and whole', async () => {
    const data = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`image/x${i}`, 'A']));
    const cell = {
      cell_type: 'c\ud800',
      source: ['a\ud83d', '\ude00b', '\udc00'],
      outputs: [{ data: { 'text/plain': 'y'.repeat(1_000_000), ...data } }, { text: 'x'.repeat(1_000_000) }],
    };
    const rig = fileRig({ files: { 'n.ipynb': JSON.stringify({ cells: [cell] }) } });
    const { bodies, output } = await read(rig, ['n.ipynb']);
    expect(output.isWellFormed()).toBe(true);
    expect(bodies[0]).toMatch(/^\[1\] c\ufffd\na😀b\ufffd\n/);
    expect(bodies[0]?.length).toBeLessThan(10_000);
    expect(bodies[0]?.match(/image\/x/g)).toHaveLength(20);
  });
});
