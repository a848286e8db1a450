import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureOf, fileRig, outputOf, type Rig } from '../workspace/rig.ts';

const tree = async (rig: Rig, depth: number, path = '.') =>
  outputOf(await rig.call('list_dir', { path, depth }));

describe('list_dir with `depth`', () => {
  const files = {
    'a.txt': 'abc',
    'src/b.ts': 'x',
    'src/deep/c.ts': 'xy',
    'src/deep/er/d.ts': '',
    'empty/': '',
  };

  it.each([
    [1, ['  a.txt (3 bytes)', '  empty/', '  src/']],
    [2, ['  a.txt (3 bytes)', '  empty/ (empty)', '  src/ (2 entries)', '    b.ts (1 byte)', '    deep/']],
    [
      4,
      [
        ...['  a.txt (3 bytes)', '  empty/ (empty)', '  src/ (2 entries)', '    b.ts (1 byte)'],
        ...['    deep/ (2 entries)', '      c.ts (2 bytes)', '      er/ (1 entry)', '        d.ts (0 bytes)'],
      ],
    ],
  ])('shows %i levels, with sizes', async (depth, lines) => {
    const { output, metadata } = await tree(fileRig({ files }), depth);
    expect(output.split('\n').slice(1, -1)).toEqual(lines);
    expect(metadata).toMatchObject({ entries_returned: lines.length, next_cursor: null });
  });

  it('says in its first line what there is', async () => {
    const { output, metadata } = await tree(fileRig({ files }), 3, 'src');
    expect(output).toMatch(/^Tree of \.\/src, 3 levels \(3 files, 2 directories, 3 bytes\):\n/);
    expect(metadata).toMatchObject({ files: 3, directories: 2, bytes: 3, total_entries: 5 });
  });

  it('follows no link, enters nothing closed, and tells no size of it', async () => {
    const rig = fileRig({ files: { '.env': 'SECRET', '.ssh/id': 'SECRET', 'ok/x': '' } });
    mkdirSync(`${rig.base}/out/below`, { recursive: true });
    writeFileSync(`${rig.base}/out/outside.txt`, '');
    symlinkSync(`${rig.base}/out`, rig.at('link'));
    symlinkSync('.', rig.at('loop'));
    const { output } = await tree(rig, 8);
    expect(output).not.toContain('outside');
    expect(output).not.toContain('6 bytes');
    expect(output).toContain('  .env\n');
    expect(output).toContain('  .ssh/ (closed)\n');
    expect(output).toContain('  link (link)\n  loop (link)\n');
  });

  it('escapes names that would look like another line', async () => {
    const { output } = await tree(fileRig({ files: { 'a\n  b (1 byte)': 'x', '\u001b[2J/x': '' } }), 2);
    expect(output.split('\n')).toHaveLength(4);
    expect(output).not.toContain('\u001b');
  });

  it.each([
    [999, undefined],
    [1_000, undefined],
    [1_001, expect.stringContaining('There is more')],
  ])('of %i files ends at a thousand lines', async (count, warning) => {
    const files = Object.fromEntries(Array.from({ length: count }, (_, i) => [`d/${i}`, '']));
    const { metadata } = await tree(fileRig({ files }), 2, 'd');
    expect([metadata.entries_returned, metadata.warning]).toEqual([Math.min(count, 1_000), warning]);
  });

  it.each([0, 9, 1.5])('takes one to eight levels: %d', async (depth) => {
    expect(failureOf(await fileRig().call('list_dir', { depth })).code).toBe('invalid_input');
  });

  it('has no pages, and refuses as a list does', async () => {
    const rig = fileRig({ files });
    expect(failureOf(await rig.call('list_dir', { depth: 2, cursor: 'x' })).code).toBe('invalid_cursor');
    for (const path of ['none', 'a.txt', '../x', '.ssh']) {
      const plain = await rig.call('list_dir', { path });
      expect([path, await rig.call('list_dir', { path, depth: 2 })]).toEqual([path, plain]);
    }
  });

  it.skipIf(process.getuid?.() === 0)('names a folder that it may not read', async () => {
    const rig = fileRig({ files: { 'shut/x': '' } });
    chmodSync(rig.at('shut'), 0o000);
    expect((await tree(rig, 2)).output).toContain('  shut/ (closed)\n');
    chmodSync(rig.at('shut'), 0o700);
  });
});
