import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { shells } from '../../../local-bridge/cli/completions/shells.ts';
import { placesIn, toolWords } from '../../../local-bridge/cli/completions/words.ts';
import { runBowline } from '../../support/command.ts';
import { wholeProgram } from '../../support/whole-program.ts';

const program = await wholeProgram();
const folder = mkdtempSync(join(tmpdir(), 'bowline-completions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every command that can be run, by its words. */
function* runnable(command: Command, path: readonly string[] = []): Generator<[string, Command]> {
  if (command.commands.length === 0) yield [path.join(' '), command];
  for (const one of command.commands) yield* runnable(one, [...path, one.name()]);
}

function helpOf(command: Command): string {
  let text = '';
  const writeOut = (written: string) => {
    text += written;
  };
  command.configureOutput({ writeOut, getOutHasColors: () => false });
  command.outputHelp();
  return text;
}

describe('the help of', () => {
  const commands = [...runnable(program)];

  it('the program is all there', () => {
    expect(commands.length).toBeGreaterThan(30);
    expect(new Set(commands.map(([path]) => path)).size).toBe(commands.length);
  });

  it.each(commands)('%s says what it does, with an example', (path, command) => {
    const help = helpOf(command);
    expect(help).toContain(`Usage: bowline ${path}`);
    expect(command.description()).not.toBe('');
    for (const option of command.options) expect(option.description).not.toBe('');
    expect(help).toMatch(/Examples?[,:]/);
    expect(help).toMatch(
      new RegExp(`(?:bowline|npm start|"args": \\[")[^\\n]*${path.split(' ')[0]}|npm start`),
    );
    expect(help).not.toContain('\u001b');
  });
});

describe('wrong usage', () => {
  const wrong: [string[], string][] = [
    [['approval'], 'Did you mean approvals?'],
    [['memry', 'tail'], 'Did you mean memory?'],
    [['memory', 'tial'], 'Did you mean tail?'],
    [['ledger', '--jsn'], 'Did you mean --json?'],
    [['completions', 'tcsh'], 'bash, zsh, fish'],
    [['call', 'read_fil'], 'Did you mean read_file?'],
  ];
  it.each(wrong)('%j names what is near, exits with 2, and shows no stack', async (words, near) => {
    const { code, stdout, stderr } = await runBowline(words, { env: { BOWLINE_HOME: folder } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(near);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).not.toContain('\u001b');
  });
});

describe('completions', () => {
  const places = placesIn(program);
  const at = (...path: string[]) =>
    places.find((place) => place.path.join(' ') === path.join(' '))?.words.map(({ word }) => word) ?? [];

  it('know every command, its options, and every tool with its fields', () => {
    expect(at()).toEqual(expect.arrayContaining(['up', 'connect', 'call', 'backup', 'completions']));
    expect(at('memory')).toEqual(expect.arrayContaining(['append', 'tail', 'verify']));
    expect(at('ledger')).toEqual(expect.arrayContaining(['--tool', '--json']));
    expect(at('call')).toEqual(expect.arrayContaining(Object.values(catalogue).map((tool) => tool.wireName)));
    expect(at('call', 'read_file')).toEqual(expect.arrayContaining(['--path', '--start_line', '--json']));
    expect(at('completions')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  });

  it('refuse to be made for a shell that is not known', async () => {
    await expect(program.parseAsync(['completions', 'tcsh'], { from: 'user' })).rejects.toThrow(
      CommanderError,
    );
  });

  describe('for bash', () => {
    const script = join(folder, 'bowline.bash');
    beforeAll(() => writeFileSync(script, shells.bash?.(places, toolWords) ?? ''));
    const offered = (...words: string[]): string[] => {
      const ask = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bowline; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const said = execFileSync('bash', ['-uc', ask, script, 'bowline', ...words], { encoding: 'utf8' });
      return said.split('\n').filter(Boolean);
    };

    it.each([
      [['com'], ['completions']],
      [['memory', 't'], ['tail']],
      [['--json', 'memory', 'verif'], ['verify']],
      [['call', 'create_f'], ['create_file']],
      [['call', 'read_file', '--start'], ['--start_line']],
      [['ledger', '--tool', 'run_'], ['run_in_terminal']],
      [['ledger', '--limit', '5', '--j'], ['--json']],
      [['memory', 'import', './no'], []],
    ])('%j is followed by %j', (words, expected) => {
      expect(offered(...words)).toEqual(expected);
    });

    it('a word that tries to be a command is only compared', () => {
      expect(offered('$(touch pwned)', '`id`;', '*', 'memory', 'ta')).toEqual(['tail']);
    });
  });

  it.each(['zsh', 'fish'])('for %s are a script that it reads', (shell) => {
    const path = join(folder, `bowline.${shell}`);
    const text = shells[shell]?.(places, toolWords) ?? '';
    expect(text).toContain('run_in_terminal');
    writeFileSync(path, text);
    const read = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
    // Only where that shell is installed.
    if (read.error === undefined) expect([read.status, read.stderr]).toEqual([0, '']);
  });
});
