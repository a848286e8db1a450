import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_COMMAND_CHARS, parseCommand } from '../../../src/gate/rules/argv.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { holdsFor } from '../../support/property.ts';

const wordsOf = (command: string) => {
  const parsed = parseCommand(command);
  return 'argv' in parsed ? parsed.argv : parsed.problem;
};

const SYNTAX = 'The command has shell syntax, such as operators, expansions or an open quote.';
const MISREAD = 'The command has a character that shells or people read differently.';
const NOTHING = 'The command names no program.';

describe('parseCommand', () => {
  describe('splits what every shell splits alike', () => {
    it.each([
      ['git status', ['git', 'status']],
      ['  git   status  ', ['git', 'status']],
      ['npm test -- --run', ['npm', 'test', '--', '--run']],
      ["git commit -m 'two words'", ['git', 'commit', '-m', 'two words']],
      ['git commit -m "it\'s done"', ['git', 'commit', '-m', "it's done"]],
      [`echo 'say "hi"'`, ['echo', 'say "hi"']],
      [`echo a'b c'"d e"f`, ['echo', 'ab cd ef']],
      ['echo \'\' "" x', ['echo', '', '', 'x']],
      ["echo '$HOME `id` * ; | & > < ( ) { } # ~ %'", ['echo', '$HOME `id` * ; | & > < ( ) { } # ~ %']],
      ['echo "* ; | & > < ( ) { } # ~ %"', ['echo', '* ; | & > < ( ) { } # ~ %']],
      ['grep -n --max-count=3 x src/a.ts', ['grep', '-n', '--max-count=3', 'x', 'src/a.ts']],
      ['ls ../a_b-c.d,e:f@g+h=i', ['ls', '../a_b-c.d,e:f@g+h=i']],
      ["cat 'ä €😀'", ['cat', 'ä €😀']],
      ["echo '=ls'", ['echo', '=ls']],
      ['echo a=b', ['echo', 'a=b']],
      ['./run', ['./run']],
    ])('%s', (command, argv) => {
      expect(parseCommand(command)).toEqual({ argv });
    });
  });

  describe('refuses what a shell acts on', () => {
    it.each([
      ['an end of command', 'git status; id'],
      ['a pipe', 'git log | sh'],
      ['a list', 'true && id'],
      ['a job', 'sleep 1 & id'],
      ['output to a file', 'git log > x'],
      ['input from a file', 'cat <x'],
      ['a subshell', '(id)'],
      ['a block', '{ id; }'],
      ['a variable', 'echo $HOME'],
      ['a command in place of a word', 'echo $(id)'],
      ['the same with back quotes', 'echo `id`'],
      ['a variable in double quotes', 'echo "$HOME"'],
      ['a command in double quotes', 'echo "$(id)"'],
      ['back quotes in double quotes', 'echo "`id`"'],
      ['a star', 'ls *'],
      ['a question mark', 'ls ?'],
      ['a class', 'ls [a]'],
      ['a brace', 'echo {a,b}'],
      ['a home folder', 'ls ~'],
      ['a home folder in a value', 'ls --to=~/x'],
      ['a comment', 'ls # x'],
      ['a process of fish', 'kill %1'],
      ['a redirection of old fish', 'ls ^x'],
      ['a path lookup of zsh', 'cat =ls'],
      ['the same behind empty quotes', `cat ''""=ls`],
      ['a quote that stays open', "echo 'a"],
      ['a double quote that stays open', 'echo "a'],
      ['a quote that opens inside a word', 'echo a"b'],
      ['letters that are not ASCII and not quoted', 'cat ä'],
      ['a space that is none', 'git\u00a0status'],
      ['the same in front', '\u00a0git status'],
    ])('%s', (_, command) => {
      expect(parseCommand(command)).toEqual({ problem: SYNTAX });
    });
  });

  describe('refuses what shells or people read differently, wherever it stands', () => {
    it.each([
      ['a line end', 'git status\nid'],
      ['a line end in quotes', "echo 'a\nb'"],
      ['a carriage return', 'git status\rid'],
      ['a tab', 'git\tstatus'],
      ['a NUL', 'git status\0'],
      ['an escape', "echo '\u001b[2J'"],
      ['a reading direction', "echo '\u202etxt'"],
      ['a space of no width', "echo 'a\u200bb'"],
      ['a line separator', "echo 'a\u2028b'"],
      ['a paragraph separator', "echo 'a\u2029b'"],
      ['a private character', "echo '\ue000'"],
      ['half of a pair', "echo '\ud800'"],
      ['a backslash', 'echo a\\ b'],
      // In fish the backslash escapes the quote, and what follows is a command.
      ['a backslash before a closing quote', "echo 'a\\' 'b; id '"],
      ['a backslash in double quotes', 'echo "\\\\"'],
      ['an exclamation mark', 'echo hi!'],
      ['one in quotes, which csh expands', "echo '!!'"],
      ['a typographic quote, which PowerShell takes for one', "echo 'a\u2019; id; \u2018b'"],
      ['a typographic double quote', "echo 'a\u201d; id; \u201cb'"],
    ])('%s', (_, command) => {
      expect(parseCommand(command)).toEqual({ problem: MISREAD });
    });
  });

  it.each(['', ' ', '    ', "''", '"" git', "'' git status"])('finds no program in `%s`', (command) => {
    expect(parseCommand(command)).toEqual({ problem: NOTHING });
  });

  describe('refuses what is no program though it stands in its place', () => {
    const beginnings = [
      'A=1',
      'A=1 git',
      "A='1' git",
      '-x',
      '- git status',
      'if',
      'if true',
      'then x',
      'else x',
    ];
    const words =
      'elif fi case esac for foreach while until do done in select function coproc time repeat end begin switch and or not nocorrect noglob';
    it.each([...beginnings, ...words.split(' ').map((word) => `${word} ls`)])('%s', (command) => {
      const first = command.replaceAll("'", '').split(' ')[0];
      expect(parseCommand(command)).toEqual({
        problem: `The command begins with \`${first}\`, which a shell does not take for a program.`,
      });
    });

    it('but takes the same words further on', () => {
      expect(parseCommand('echo if A=1 time -')).toEqual({ argv: ['echo', 'if', 'A=1', 'time', '-'] });
    });
  });

  it(`takes ${MAX_COMMAND_CHARS} characters and not one more`, () => {
    const long = `echo ${'a'.repeat(4_091)}`;
    expect(MAX_COMMAND_CHARS).toBe(4_096);
    expect(wordsOf(long)).toHaveLength(2);
    expect(wordsOf(`${long}a`)).toBe('The command is longer than 4096 characters.');
  });

  it('gives back any words that were quoted', () => {
    const word = fc
      .string({ unit: 'grapheme', maxLength: 8 })
      .filter((text) => !/['\\!\u2018-\u201f\u2028\u2029\p{C}]/u.test(text));
    holdsFor(fc.array(word, { maxLength: 5 }), (words) => {
      const command = ['echo', ...words.map((text) => `'${text}'`)].join(' ');
      expect(parseCommand(command)).toEqual({ argv: ['echo', ...words] });
    });
  });

  it('takes a long hostile text in no time', () => {
    const parse = () => {
      for (const unit of ["'", '"', 'a', "a'", '" "', ' '])
        parseCommand(`x ${unit.repeat(4_000 / unit.length)}"`);
    };
    expect(cpuMsOf(parse)).toBeLessThan(500);
  });
});
