import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchIn } from './rig.ts';

const tree = {
  'README.md': 'hello',
  'src/app.py': '',
  'src/utils.py': '',
  'src/models/user.py': '',
  'src/models/user.test.ts': '',
  'docs/a b.md': '',
  'docs/ä.md': '',
  '.github/workflows/ci.yml': '',
};

describe('file_search', () => {
  it('finds what matches, in order, and says how many', async () => {
    const { files } = searchIn(tree);
    const found = await files({ pattern: '**/*.py', base_path: 'src' });
    expect(found).toEqual({
      success: true,
      output: "Found 3 files matching '**/*.py':\n  src/app.py\n  src/models/user.py\n  src/utils.py\n",
      files_affected: [],
      execution_time_ms: expect.any(Number),
      metadata: { matches: 3, pattern: '**/*.py', files_returned: 3, truncated: false },
    });
  });

  it.each([
    ['*.py', ['src/app.py', 'src/models/user.py', 'src/utils.py']],
    ['src/*.py', ['src/app.py', 'src/utils.py']],
    ['src/**', ['src/app.py', 'src/models/user.py', 'src/models/user.test.ts', 'src/utils.py']],
    ['**/user.*', ['src/models/user.py', 'src/models/user.test.ts']],
    ['src/{models,nothing}/*.{ts,js}', ['src/models/user.test.ts']],
    ['docs/[!b-z]*.md', ['docs/a b.md', 'docs/ä.md']],
    ['docs/?.md', ['docs/ä.md']],
    ['./README.md', ['README.md']],
    ['**/ci.yml', ['.github/workflows/ci.yml']],
    ['src', []],
    ['*.PY', []],
    ['nothing', []],
  ])('reads %s as a glob', async (pattern, expected) => {
    const { files, items } = searchIn(tree);
    expect(items(await files({ pattern }))).toEqual(expected);
  });

  it('says so when nothing matches', async () => {
    const { files } = searchIn(tree);
    expect(await files({ pattern: '*.go' })).toMatchObject({
      success: true,
      output: "Found 0 files matching '*.go'\n",
      metadata: { matches: 0, truncated: false },
    });
  });

  it.each([
    ['**/*[.go', "Invalid glob pattern '**/*[.go': a `[` is not closed."],
    ['{a,b', "Invalid glob pattern '{a,b': a `{` is not closed."],
    ['a}', "Invalid glob pattern 'a}': a `}` closes nothing."],
    ['[z-a]', "Invalid glob pattern '[z-a]': the range `z-a` runs backwards."],
    ['a\\', "Invalid glob pattern 'a\\': it ends in a `\\`."],
    ['../*.py', "Invalid glob pattern '../*.py': `..` is no name."],
    ['/etc/*', "Invalid glob pattern '/etc/*': it has an empty name between, before or after its `/`."],
    ['a\nb', "Invalid glob pattern 'a\\nb': it has a line break in it."],
    ['{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}', /more than 64 patterns/],
  ])('refuses the pattern %j', async (pattern, message) => {
    const { refused } = searchIn(tree);
    const failure = await refused('file_search', { pattern });
    expect(failure).toMatchObject({ code: 'invalid_glob', http_status: 400 });
    expect(failure.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(failure.suggestion).not.toBe('');
  });

  it.each([
    [{}, 'invalid_input'],
    [{ pattern: '' }, 'invalid_input'],
    [{ pattern: 5 }, 'invalid_input'],
    [{ pattern: 'a'.repeat(1_025) }, 'invalid_input'],
    [{ pattern: '*', base_path: '..' }, 'path_outside_root'],
    [{ pattern: '*', base_path: '/etc' }, 'path_outside_root'],
    [{ pattern: '*', base_path: 'src\\..\\..' }, 'path_outside_root'],
    [{ pattern: '*', base_path: 'C:\\Windows' }, 'path_outside_root'],
    [{ pattern: '*', base_path: 'nowhere' }, 'directory_not_found'],
    [{ pattern: '*', base_path: 'README.md' }, 'not_a_directory'],
    [{ pattern: '*', base_path: 'src/models/' }, 'invalid_path'],
    [{ pattern: '*', root: 'other' }, 'unknown_root'],
  ])('refuses %j', async (args, code) => {
    const { refused } = searchIn(tree);
    expect(await refused('file_search', args)).toMatchObject({ code });
  });

  it('leaves out what is ignored, git or no git, also when the pattern names it', async () => {
    const { files, items } = searchIn({
      '.gitignore': '*.log\nbuild/\n',
      'a.log': '',
      'b.txt': '',
      'build/c.txt': '',
      'sub/.gitignore': '!keep.log\nd.txt\n',
      'sub/d.txt': '',
      'sub/keep.log': '',
    });
    expect(items(await files({ pattern: '**/*' }))).toEqual([
      '.gitignore',
      'b.txt',
      'sub/.gitignore',
      'sub/keep.log',
    ]);
    expect(items(await files({ pattern: '*.log' }))).toEqual(['sub/keep.log']);
    expect(items(await files({ pattern: 'build/*' }))).toEqual([]);
    // Whoever names the folder itself means it.
    expect(items(await files({ pattern: '*', base_path: 'build' }))).toEqual(['build/c.txt']);
  });

  it('leaves out what is closed, in any case, and counts it nowhere', async () => {
    const { files, items } = searchIn({
      '.env': '',
      '.ENV.local': '',
      'a/secrets/x.txt': '',
      id_rsa: '',
      'b/server.PEM': '',
      '.git/config': '',
      '.git/HEAD': '',
      '.ssh/known_hosts': '',
      'c.txt': '',
    });
    const all = await files({ pattern: '**' });
    expect(items(all)).toEqual(['c.txt']);
    expect(all.metadata).toMatchObject({ matches: 1 });
    for (const pattern of ['.env', '*.PEM', 'a/secrets/*', '.git/*', '.ssh/**']) {
      expect((await files({ pattern })).metadata).toMatchObject({ matches: 0 });
    }
  });

  it('follows no link, to a folder or a file, in or out', async () => {
    const { files, items, refused, root, above } = searchIn({ 'in/a.txt': '' });
    mkdirSync(join(above, 'beside'));
    writeFileSync(join(above, 'beside', 'secret.txt'), '');
    symlinkSync('../beside', join(root, 'out'));
    symlinkSync('in', join(root, 'alias'));
    symlinkSync('../beside/secret.txt', join(root, 'b.txt'));
    symlinkSync('nowhere', join(root, 'dangling.txt'));
    expect(items(await files({ pattern: '**/*.txt' }))).toEqual(['in/a.txt']);
    expect(await refused('file_search', { pattern: '*', base_path: 'out' })).toMatchObject({
      code: 'path_outside_root',
    });
    expect(await refused('file_search', { pattern: '*', base_path: 'alias' })).toMatchObject({
      code: 'path_denied',
    });
  });

  it('shows odd names so that none looks like two, and passes over what is no file', async () => {
    const { files, items, root } = searchIn({
      'one\n  two.txt': '',
      '-rf.txt': '',
      '$(id).txt': '',
      '\u202etxt.exe': '',
    });
    execFileSync('mkfifo', [join(root, 'pipe.txt')]);
    writeFileSync(
      Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x62, 0xff]), Buffer.from('.txt')]),
      '',
    );
    expect(items(await files({ pattern: '*.txt' }))).toEqual(['$(id).txt', '-rf.txt', 'one\\n  two.txt']);
    expect(items(await files({ pattern: '*.exe' }))).toEqual(['\\u{202e}txt.exe']);
  });

  it.each([
    [999, 999, false],
    [1_000, 1_000, false],
    [1_001, 1_000, true],
  ])('of %i files shows %i', async (there, shown, truncated) => {
    const name = (i: number) => `f/${String(i).padStart(5, '0')}.txt`;
    const { files, items } = searchIn(
      Object.fromEntries(Array.from({ length: there }, (_, i) => [name(i), ''])),
    );
    const found = await files({ pattern: '*.txt' });
    expect(items(found)).toEqual(Array.from({ length: shown }, (_, i) => name(i)));
    expect(found.metadata).toMatchObject({ matches: there, files_returned: shown, truncated });
    if (truncated) {
      expect(found.metadata.warning).toBe('Found 1001 matches, showing first 1000');
      expect(found.output).toContain('\nWarning: Found 1001 matches, showing first 1000\n');
    } else expect(found.metadata).not.toHaveProperty('warning');
  });

  it('lets nothing closed take the place of what is open', async () => {
    const open = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f/${i}.txt`, '']));
    const { files } = searchIn({ ...open, '.env': '', 'a/id_rsa': '' });
    expect((await files({ pattern: '**' })).metadata).toMatchObject({
      matches: 1_000,
      files_returned: 1_000,
    });
  });

  it('looks 20 levels deep and no further', async () => {
    const at = (level: number) => `${'d/'.repeat(level - 1)}level-${level}.txt`;
    const { files, items } = searchIn({ [at(19)]: '', [at(20)]: '', [at(21)]: '' });
    expect(items(await files({ pattern: '*.txt' }))).toEqual([at(20), at(19)]);
    expect(items(await files({ pattern: '*.txt', base_path: 'd' }))).toEqual([at(21), at(20), at(19)]);
  });

  it('says that matches lie deeper, and only then', async () => {
    const { files } = searchIn({ [`${'d/'.repeat(20)}deep.txt`]: '', [`${'e/'.repeat(19)}shown.md`]: '' });
    const cut = await files({ pattern: '*.txt' });
    expect(cut.metadata).toMatchObject({ matches: 0, truncated: true });
    expect(cut.output).toContain('Matches more than 20 levels deep are not shown');
    const whole = await files({ pattern: '*.md' });
    expect(whole.metadata).toMatchObject({ matches: 1, truncated: false });
    expect(whole.output).not.toContain('levels deep');
  });
});
