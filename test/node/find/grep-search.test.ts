import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchIn } from './rig.ts';

const tree = {
  'hello.py': "# TODO: greet more than one person\nprint('Hello, World!')\n",
  'src/a.ts': 'const one = 1;\n\n  // TODO later\n',
  'src/b.ts': 'const two = 2;',
  'docs/c.md': 'todo\r\nTODO\r\n',
};

describe('grep_search', () => {
  it('finds text, by path and line, with its indentation', async () => {
    const { text } = searchIn(tree);
    expect(await text({ pattern: 'TODO' })).toEqual({
      success: true,
      output:
        "Found 3 matches for 'TODO':\n  docs/c.md:2: TODO\n  hello.py:1: # TODO: greet more than one person\n  src/a.ts:3:   // TODO later\n",
      files_affected: [],
      execution_time_ms: expect.any(Number),
      metadata: { total_matches: 3, files_searched: 4, pattern: 'TODO', truncated: false, timed_out: false },
    });
  });

  it('says so when nothing matches', async () => {
    const { text } = searchIn(tree);
    expect(await text({ pattern: 'nowhere to be found' })).toMatchObject({
      success: true,
      output: "Found 0 matches for 'nowhere to be found'\n",
      metadata: { total_matches: 0, files_searched: 4 },
    });
  });

  it('shows a line as it is, also if it looks like a secret: what is closed is closed by its name', async () => {
    const key = `AKIA${'IOSFODNN7EXAMPLF'}`;
    const { text, items } = searchIn({ 'a.txt': `key = ${key}\n`, '.env': `key = ${key}\n` });
    expect(items(await text({ pattern: 'key' }))).toEqual([`a.txt:1: key = ${key}`]);
  });

  it('takes a pattern as text unless told otherwise', async () => {
    const { text, items } = searchIn({ 'a.txt': 'a.c\nabc\n(\n' });
    expect(items(await text({ pattern: 'a.c' }))).toEqual(['a.txt:1: a.c']);
    expect(items(await text({ pattern: 'a.c', is_regex: true }))).toEqual(['a.txt:1: a.c', 'a.txt:2: abc']);
    expect(items(await text({ pattern: '(' }))).toEqual(['a.txt:3: (']);
  });

  it('knows the end of a line, whichever it is', async () => {
    const { text, items } = searchIn({
      'dos.txt': 'end\r\nend \r\n',
      'unix.txt': 'end',
      'bom.txt': '\ufeffend\nend',
    });
    expect(items(await text({ pattern: '^end$', is_regex: true }))).toEqual([
      'bom.txt:1: end',
      'bom.txt:2: end',
      'dos.txt:1: end',
      'unix.txt:1: end',
    ]);
  });

  it.each([
    ['a(', 'Invalid regex pattern: unclosed group.'],
    ['[z-a]', /^Invalid regex pattern: invalid character class range/],
    ['a{2', 'Invalid regex pattern: unclosed counted repetition.'],
    ['(?=a)', /^Invalid regex pattern: look-around/],
    ['(a)\\1', /^Invalid regex pattern: backreferences/],
    ['((((((((((a{100}){100}){100}){100}){100}){100}){100}){100}){100}){100})', /^Invalid regex pattern: .+/],
  ])('refuses the regex %s', async (pattern, message) => {
    const { refused } = searchIn(tree);
    const failure = await refused('grep_search', { pattern, is_regex: true });
    expect(failure).toMatchObject({ code: 'invalid_regex', http_status: 400 });
    expect(failure.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(failure.message.length).toBeLessThan(300);
  });

  it.each([
    [{}, 'invalid_input'],
    [{ pattern: '' }, 'invalid_input'],
    [{ pattern: ['a'] }, 'invalid_input'],
    [{ pattern: 'a', is_regex: 'yes' }, 'invalid_input'],
    [{ pattern: 'a', max_results: 0 }, 'invalid_input'],
    [{ pattern: 'a', max_results: 1_001 }, 'invalid_input'],
    [{ pattern: 'a'.repeat(4_097) }, 'invalid_input'],
    [{ pattern: 'a\nb' }, 'invalid_pattern'],
    [{ pattern: 'a\0b', is_regex: true }, 'invalid_pattern'],
    [{ pattern: 'a', file_pattern: '[' }, 'invalid_glob'],
    [{ pattern: 'a', file_pattern: '../*' }, 'invalid_glob'],
    [{ pattern: 'a', root: 'other' }, 'unknown_root'],
  ])('refuses %j', async (args, code) => {
    const { refused } = searchIn(tree);
    expect(await refused('grep_search', args)).toMatchObject({ code });
  });

  it('calls a NUL a NUL, in a text and in a glob', async () => {
    const { refused } = searchIn(tree);
    for (const args of [{ pattern: 'a\0b' }, { pattern: 'a', file_pattern: 'a\0b' }])
      expect(await refused('grep_search', args)).toMatchObject({ message: expect.stringContaining('NUL') });
  });

  it.each([
    ['*.ts', ['src/a.ts:1: const one = 1;', 'src/b.ts:1: const two = 2;']],
    ['src/a.*', ['src/a.ts:1: const one = 1;']],
    ['**/{b,c}.{ts,md}', ['src/b.ts:1: const two = 2;']],
    ['*', ['src/a.ts:1: const one = 1;', 'src/b.ts:1: const two = 2;']],
    ['*.py', []],
  ])('searches only files that match %s', async (file_pattern, expected) => {
    const { text, items } = searchIn(tree);
    expect(items(await text({ pattern: 'const', file_pattern }))).toEqual(expected);
  });

  it.each([
    [99, 99, false],
    [100, 100, false],
    [101, 100, true],
  ])('of %i matches shows %i unless asked for more', async (there, shown, truncated) => {
    const { text, items } = searchIn({ 'a.txt': 'match\n'.repeat(there) });
    const found = await text({ pattern: 'match' });
    expect(items(found)).toHaveLength(shown);
    expect(found.metadata).toMatchObject({ total_matches: shown, truncated, timed_out: false });
    expect(found.metadata.warning).toBe(
      truncated ? 'Found more than 100 matches, showing 100 of them' : undefined,
    );
    expect(items(await text({ pattern: 'match', max_results: 1_000 }))).toHaveLength(there);
    expect(items(await text({ pattern: 'match', max_results: 1 }))).toHaveLength(1);
  });

  it('passes over binary and ignored files, and closed ones in any case', async () => {
    const { text, items } = searchIn({
      '.gitignore': '*.log\n',
      'a.log': 'needle',
      'early.bin': 'nee\0dle\nneedle\n',
      'late.bin': Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(300_000, 'x\n'), Buffer.from('\0')]),
      '.env': 'needle',
      '.Env.prod': 'needle',
      'keys/server.Key': 'needle',
      'secrets/a.txt': 'needle',
      '.git/config': 'needle',
      id_ed25519: 'needle',
      'c.txt': 'needle',
    });
    for (const args of [{}, { file_pattern: '.env*' }, { file_pattern: '**' }, { is_regex: true }]) {
      const found = items(await text({ pattern: 'needle', ...args }));
      expect(found).toEqual(
        'file_pattern' in args && args.file_pattern === '.env*' ? [] : ['c.txt:1: needle'],
      );
    }
  });

  it('reads UTF-16 with a mark, and shows broken UTF-8 as it can', async () => {
    const { text, items } = searchIn({
      'wide.txt': Buffer.from('\ufeffone\nneedle ü\n', 'utf16le'),
      'broken.txt': Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0xff, 0x0a]),
      'emoji.txt': '🪢 needle 🪢\n',
    });
    expect(items(await text({ pattern: 'needle' }))).toEqual([
      'broken.txt:1: needle\ufffd',
      'emoji.txt:1: 🪢 needle 🪢',
      'wide.txt:2: needle ü',
    ]);
  });

  it.each([
    [500, false],
    [501, true],
  ])('of a line of %i bytes shows the beginning', async (length, cut) => {
    const { text, items } = searchIn({ 'a.txt': `needle${'x'.repeat(length - 6)}\n` });
    const [line = ''] = items(await text({ pattern: 'needle' }));
    expect(line.endsWith(' [… cut]')).toBe(cut);
    expect(line.replace('a.txt:1: ', '').replace(' [… cut]', '')).toHaveLength(length);
  });

  it('follows no link and reads no second name of a file', async () => {
    const { text, items, root, above } = searchIn({ 'a.txt': 'needle' });
    const { linkSync } = await import('node:fs');
    mkdirSync(join(above, 'beside'));
    writeFileSync(join(above, 'beside', 'secret.txt'), 'needle');
    symlinkSync('../beside', join(root, 'out'));
    symlinkSync('../beside/secret.txt', join(root, 'b.txt'));
    linkSync(join(above, 'beside', 'secret.txt'), join(root, 'hard.txt'));
    expect(items(await text({ pattern: 'needle' }))).toEqual(['a.txt:1: needle']);
  });
});
