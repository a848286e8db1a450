import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rootIn } from '../../../src/core/root-of.ts';
import { pdfOf } from '../../support/pdf.ts';
import { failureOf, fileRig, outputOf } from '../workspace/rig.ts';
import { type Read, read } from './read-many.ts';

describe('read_files', () => {
  it('reads several files and ranges, each under its own line', async () => {
    const rig = fileRig({ files: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'no end', empty: '' } });
    const { bodies, files, output } = await read(rig, [
      'a.txt',
      { path: 'a.txt', start_line: 2, end_line: 2 },
      'b.txt',
      'empty',
      { path: 'a.txt', start_line: 9 },
    ]);
    expect(bodies).toEqual(['one\ntwo\nthree', 'two', 'no end', '', '']);
    expect(output).toContain(' a.txt (lines 2-2 of 3)\n');
    expect(files[1]).toMatchObject({ start_line: 2, lines_returned: 1, total_lines: 3, truncated: false });
    expect(files[3]).toMatchObject({ total_lines: 0, lines_returned: 0, truncated: false });
    expect(files[4]).toMatchObject({ lines_returned: 0, total_lines: 3 });
  });

  it('lets no file look as if another began in it', async () => {
    const rig = fileRig({ files: { 'a.txt': 'x\n' } });
    const { mark } = await read(rig, ['a.txt']);
    const faked = fileRig({ files: { 'a.txt': `${mark}b.txt (lines 1-1 of 1)\nx\n`, 'b.txt': mark } });
    const answer = await read(faked, ['a.txt', 'b.txt']);
    expect(answer.bodies).toEqual([`${mark}b.txt (lines 1-1 of 1)\nx`, mark]);
    expect(answer.output.split(answer.mark)).toHaveLength(3);
  });

  it.each([
    [999, 'one\n'.repeat(250), 'invalid'],
    [1_000, 'one\n'.repeat(250), { lines_returned: 250, truncated: false }],
    [1_003, 'one\n'.repeat(251), { lines_returned: 250, truncated: true }],
    [1_004, 'one\n'.repeat(251), { lines_returned: 251, truncated: false }],
    [1_000, 'é'.repeat(501), { lines_returned: 1, truncated: true }],
  ])('shows at most `max_bytes`: %i of %j', async (max_bytes, content, shown) => {
    const rig = fileRig({ files: { 'a.txt': content, 'b.txt': 'later\n' } });
    const files = [{ path: 'a.txt' }, { path: 'b.txt' }];
    const result = await rig.call('read_files', { files, max_bytes });
    if (shown === 'invalid') return expect(failureOf(result).code).toBe('invalid_input');
    const [first] = outputOf(result).metadata.files as readonly Read[];
    expect(first).toMatchObject(shown as object);
    expect(outputOf(result).output).not.toContain('\ufffd');
  });

  it.each([
    [20, 'ok'],
    [21, 'failed'],
    [0, 'failed'],
  ])('takes from one to 20 files: %i', async (count, kind) => {
    const rig = fileRig({ files: { a: 'x' } });
    const files = Array.from({ length: count }, () => ({ path: 'a' }));
    expect((await rig.call('read_files', { files })).kind).toBe(kind);
  });

  it('names the nearest path beside what it read, and never a closed one', async () => {
    const rig = fileRig({ files: { 'README.md': 'x\n', 'src/main.ts': 'x\n', '.env': 'SECRET=1' } });
    const { output, files } = await read(rig, ['README.md', 'READMEE.md', 'src/mian.ts', 'env', 'other']);
    expect(output).toContain(" READMEE.md ('READMEE.md' not found. Did you mean 'README.md'?)\n");
    expect(files.slice(2).map(({ error }) => error)).toEqual([
      { code: 'file_not_found', message: "'src/mian.ts' not found. Did you mean 'src/main.ts'?" },
      { code: 'file_not_found', message: "'env' not found" },
      { code: 'file_not_found', message: "'other' not found" },
    ]);
  });

  it('opens no path that `read_file` would refuse, and says so beside what it read', async () => {
    const rig = fileRig({
      files: { 'a.txt': 'fine\n', '.env': 'SECRET=1', '.git/config': 'SECRET', 'sub/': '' },
    });
    writeFileSync(`${rig.base}/outside.txt`, 'SECRET');
    mkdirSync(`${rig.base}/out`);
    writeFileSync(`${rig.base}/out/x`, 'SECRET');
    symlinkSync(`${rig.base}/outside.txt`, rig.at('link'));
    symlinkSync(`${rig.base}/out`, rig.at('folder'));
    linkSync(`${rig.base}/outside.txt`, rig.at('twice'));
    execFileSync('mkfifo', [rig.at('pipe')]);
    const paths = [
      ...[
        '../outside.txt',
        `${rig.base}/outside.txt`,
        'link',
        'folder/x',
        'twice',
        'pipe',
        '.env',
        '.git/config',
      ],
      ...['.GIT/config', 'sub', 'sub/../.env', 'none', 'a.txt/x', 'a\u202eb', './a.txt', 'a\u001b[2Jb', '.'],
    ];
    for (const path of paths) {
      const alone = failureOf(await rig.call('read_files', { files: [{ path }] }));
      const plain = failureOf(await rig.call('read_file', { path }));
      expect([path, alone.code]).toEqual([path, plain.code]);
      const { files, output, bodies } = await read(rig, [path, 'a.txt']);
      expect(files[0]).toMatchObject({ kind: 'unread', error: { code: plain.code } });
      expect(bodies).toEqual(['', 'fine']);
      expect(output).not.toContain('SECRET');
    }
  });

  it.each([
    ['utf-8', Buffer.from('\ufeffgrün\n')],
    ['utf-16le', Buffer.from('\ufeffgrün\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffgrün\n', 'utf16le').swap16()],
    ['utf-16le', Buffer.from('grün and more\n', 'utf16le')],
    ['utf-16be', Buffer.from('grün and more\n', 'utf16le').swap16()],
    ['windows-1252', Buffer.from('grün\n', 'latin1')],
  ])('names the encoding of a text: %s', async (encoding, bytes) => {
    const rig = fileRig({ files: { 'a.txt': bytes } });
    const { files, bodies } = await read(rig, ['a.txt']);
    expect(files[0]).toMatchObject({ kind: 'text', encoding, total_lines: 1 });
    expect(bodies[0]).toMatch(/^grün/);
  });

  it.each([['a\0b'], [Buffer.from([0x80, 0x81, 0x00])], [Buffer.from([1, 2, 0xff, 0xc0])]])(
    'shows bytes that are no text only when asked: %j',
    async (content) => {
      const rig = fileRig({ files: { bin: content } });
      const { files, bodies, output } = await read(rig, ['bin']);
      expect([files[0]?.kind, bodies[0]]).toEqual(['binary', '']);
      expect(output).toContain(`bin (is binary, ${content.length} bytes)`);
      expect((await read(rig, ['bin'], { hex: true })).bodies[0]).toMatch(/^00000000 {2}[0-9a-f]{2} /);
    },
  );

  it('shows a notebook as its cells, with what they put out', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'error', traceback: ['\u001b[31mValueError\u001b[0m', 'line 2'] },
          { output_type: 'display_data', data: { 'image/png': 'AAAA', 'text/plain': ['<Figure>'] } },
        ],
      },
      { cell_type: 'code', source: '', outputs: [{ text: 'x'.repeat(4_001) }] },
    ];
    const rig = fileRig({
      files: {
        'n.ipynb': JSON.stringify({ cells }),
        'broken.ipynb': '{',
        'odd.ipynb': '{"cells":[1,null,{}]}',
      },
    });
    const { files, bodies } = await read(rig, ['n.ipynb', 'broken.ipynb', 'odd.ipynb']);
    expect(files.map(({ kind }) => kind)).toEqual(['notebook', 'text', 'notebook']);
    expect(bodies[0]).toBe(
      `[1] markdown\n# Title\ntext\n\n[2] code\nprint(1)\n[2] output\n1\nValueError\nline 2\n<Figure>\n(image/png, 4 characters)\n\n[3] code\n[3] output\n${'x'.repeat(4_000)}\n(1 more characters)`,
    );
  });

  it('reads the text of a PDF', async () => {
    const rig = fileRig({ files: { 'a.pdf': pdfOf(['Read me aloud']), 'b.pdf': '%PDF-1.7 nothing' } });
    const { files, bodies, output } = await read(rig, ['a.pdf', 'b.pdf']);
    expect(files.map(({ kind }) => kind)).toEqual(['pdf', 'binary']);
    expect(bodies[0]).toContain('Read me aloud');
    expect(output).toContain('b.pdf (is a PDF that is damaged');
  });
});

describe('the place of several files', () => {
  const roots = [
    { name: 'a', path: '/srv/a' },
    { name: 'b', path: '/srv/b' },
  ];
  const place = (input: object) => rootIn({ name: 'mini' }, { online: true, since: null, roots }, input);
  it('is the folder above the first path that is written in full', () => {
    const files = [
      { path: '/srv/b/x', start_line: 2 },
      { path: '/srv/b' },
      { path: 'y' },
      { path: '/srv/a/z' },
    ];
    expect(place({ files })).toEqual({
      root: { name: 'b', isDefault: false },
      paths: { files: [{ path: 'x', start_line: 2 }, { path: '.' }, { path: 'y' }, { path: '/srv/a/z' }] },
    });
    expect(place({ files: [{ path: 'x' }] })).toEqual({ root: { name: 'a', isDefault: true } });
    expect(place({ files: [{ path: '/srv/bb/x' }] })).toEqual({ root: { name: 'a', isDefault: true } });
    expect(place({ root: 'a', files: [{ path: '/srv/b/x' }] })).toEqual({
      root: { name: 'a', isDefault: true },
    });
  });
});
