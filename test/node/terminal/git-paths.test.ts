import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { surveyAutorun } from '../../../local-bridge/tools/terminal/autorun-survey.ts';
import { gitPathsIn } from '../../../local-bridge/tools/terminal/git-settings.ts';
import { tempFolder } from './rig.ts';

describe('what git’s settings lead to is unchangeable for a command', () => {
  const spellings: [string, string][] = [
    ['a setting below its section', '[core]\n\thooksPath = ours\n'],
    ['a setting beside its section', '[core] hooksPath = ours\n'],
    ['no space at all', '[CORE]hookspath=ours\n'],
    ['quotes and a comment', '[core]\n\thooksPath = "ou"rs ; here\n'],
    ['another file of settings', '[include]\n\tpath = ../more.inc\n'],
    ['another file, on a condition', '[includeIf "gitdir:**/[.]git"] path = ../more.inc # here\n'],
    ['a file that another one names', '[include]\n\tpath = ../first.inc\n'],
  ];

  it.each(spellings)('%s', async (_, config) => {
    const root = tempFolder();
    execFileSync('git', ['init', '-q', root]);
    const files = {
      '.git/config': config,
      'ours/pre-commit': 'echo\n',
      'first.inc': '[include]\n\tpath = more.inc\n',
      'more.inc': '[core]\n\thooksPath = ours\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    // Git itself takes it so.
    const said = execFileSync('git', ['-C', root, 'config', 'core.hooksPath'], { encoding: 'utf8' });
    expect(said.trim()).toBe('ours');
    const { hold } = await surveyAutorun([root], []);
    expect(hold).toContain(join(root, 'ours'));
    const names = ['more.inc', 'first.inc'].filter((name) => config.includes(name));
    expect(hold).toEqual(expect.arrayContaining(names.map((name) => join(root, name))));
    if (config.includes('first.inc')) expect(hold).toContain(join(root, 'more.inc'));
  });

  it('settings that only look like these lead nowhere', () => {
    const text =
      '[core]\n\t# hooksPath = a\n[remote "x"]\n\tpath = b\n\thooksPath = c\n[core "y"]\n\tpath = d\n';
    expect(gitPathsIn(text)).toEqual({ hooks: [], included: [] });
  });

  it('files of settings that name each other come to an end', async () => {
    const root = tempFolder();
    execFileSync('git', ['init', '-q', root]);
    writeFileSync(join(root, '.git/config'), '[include]\n\tpath = ../loop.inc\n');
    writeFileSync(join(root, 'loop.inc'), '[include]\n\tpath = loop.inc\n');
    expect((await surveyAutorun([root], [])).hold).toContain(join(root, 'loop.inc'));
  });
});
