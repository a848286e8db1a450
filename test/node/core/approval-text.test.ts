import { describe, expect, it } from 'vitest';
import { type ApprovalSubject, approvalText } from '../../../src/gate/approval-text.ts';
import { anyText, holdsFor } from '../../support/property.ts';

const subject: ApprovalSubject = {
  tool: 'create_file',
  machine: null,
  root: null,
  risk: 'safe_write',
  args: { path: 'hello.py', content: 'print("Hello, you!")' },
};
const ask = (over: Partial<ApprovalSubject>) => approvalText({ ...subject, ...over });
/** The lines under `Parameters:`. */
const shown = (args: Record<string, unknown>, of: 'text' | 'full' = 'text', tool = 'write_memory_entry') =>
  /^Parameters:\n([\s\S]*)\nFiles affected:/m.exec(ask({ tool, args })[of])?.[1];

describe('the question to the owner', () => {
  it("is the source's, to the letter", () => {
    expect(approvalText(subject).text).toBe(`Tool: create_file
Parameters:
  path: hello.py
  content: <20 bytes>
Files affected: hello.py
Risk level: safe_write

Approve? (y/n/always):`);
  });

  it('has the content last, whatever the order in which the arguments came', () => {
    expect(ask({ args: { content: 'print("Hello, you!")', path: 'hello.py' } })).toEqual(
      approvalText(subject),
    );
    expect(shown({ new_string: 'b', z: 1, old_string: 'a', path: 'p', a: 2 })).toBe(
      '  z: 1\n  path: p\n  a: 2\n  old_string: <1 byte>\n  new_string: <1 byte>',
    );
  });

  it('can be had whole', () => {
    expect(ask({ machine: 'mini' }).full).toBe(`Machine: mini
Tool: create_file
Parameters:
  path: hello.py
  content: print("Hello, you!")
Files affected: hello.py
Risk level: safe_write

Approve? (y/n/always):`);
    expect(approvalText(subject).full).not.toContain('Machine');
  });

  it('says that there are no parameters', () => {
    expect(ask({ tool: 'list_machines', args: {}, risk: 'read_only' }).text).toBe(`Tool: list_machines
Parameters: (none)
Files affected: (none)
Risk level: read_only

Approve? (y/n/always):`);
  });

  it('leaves out a `repeat` that says nothing, but not from the whole', () => {
    expect(shown({ path: 'a', repeat: false })).toBe('  path: a');
    expect(shown({ path: 'a', repeat: false }, 'full')).toBe('  path: a\n  repeat: false');
    expect(shown({ path: 'a', repeat: true })).toBe('  path: a\n  repeat: true');
    expect(shown({ path: 'a', again: false })).toBe('  path: a\n  again: false');
    expect(shown({ repeat: false }, 'text', 'player__play')).toBe('  repeat: false');
  });

  it.each([
    ['of the file it writes', 'create_file', { path: 'a/b.txt' }, 'a/b.txt'],
    ['of the file it appends to', 'write_memory_entry', { file: 'decisions.jsonl' }, 'decisions.jsonl'],
    ['of none', 'mlx_load', { model: 'm' }, '(none)'],
    ['of none, if what should be a path is not', 'create_file', { path: 5 }, '(none)'],
    [
      'of what a command touches, which nobody knows',
      'run_in_terminal',
      { command: 'ls', path: 'a' },
      '(not known)',
    ],
    [
      "of what another server's tool touches, which it alone knows",
      'player__play',
      { path: 'a' },
      '(not known)',
    ],
    [
      'of a name that could pass for another line',
      'create_file',
      { path: 'a\nRisk level: read_only' },
      'a\\nRisk level: read_only',
    ],
    ['of a name that could pass for none', 'create_file', { path: '' }, '""'],
  ])('tells the files: %s', (_, tool, args, files) => {
    expect(ask({ tool, args }).text).toContain(`\nFiles affected: ${files}\nRisk level: safe_write\n`);
  });

  it('tells no files of what only reads', () => {
    expect(ask({ tool: 'read_file', risk: 'read_only' }).text).toContain('\nFiles affected: (none)\n');
  });

  it.each(['content', 'old_string', 'new_string', 'entry'])(
    'folds %s, however short, by its size in bytes',
    (name) => {
      expect(shown({ [name]: '' })).toBe(`  ${name}: <0 bytes>`);
      expect(shown({ [name]: 'a' })).toBe(`  ${name}: <1 byte>`);
      expect(shown({ [name]: 'ä€😀' })).toBe(`  ${name}: <9 bytes>`);
      expect(shown({ [name]: 'ä€😀' }, 'full')).toBe(`  ${name}: ä€😀`);
      expect(shown({ [name]: { type: 'a' } })).toBe(`  ${name}: {"type":"a"}`);
      expect(shown({ [name]: { type: 'a'.repeat(900) } })).toBe(`  ${name}: <911 bytes>`);
    },
  );

  it('folds what is long, but never a command', () => {
    expect(shown({ url: 'a'.repeat(800) })).toBe(`  url: ${'a'.repeat(800)}`);
    expect(shown({ url: 'a'.repeat(801) })).toBe('  url: <801 bytes>');
    expect(shown({ url: 'a'.repeat(801) }, 'full')).toBe(`  url: ${'a'.repeat(801)}`);
    expect(shown({ list: Array(500).fill(1) })).toBe('  list: <1001 bytes>');
    expect(shown({ command: 'a'.repeat(5_000) })).toBe(`  command: ${'a'.repeat(5_000)}`);
  });

  it.each([
    ['text', 'a b', 'a b'],
    ['a number', 5, '5'],
    ['text that is a number', '5', '"5"'],
    ['text that begins like one', '-1x', '"-1x"'],
    ['text that has a dash', '-x', '-x'],
    ['text with a digit', 'a1', 'a1'],
    ['yes', true, 'true'],
    ['text that says yes', 'true', '"true"'],
    ['text that says no', 'false', '"false"'],
    ['text that begins with yes', 'trueish', 'trueish'],
    ['text that ends with yes', 'untrue', 'untrue'],
    ['nothing', null, 'null'],
    ['text that says nothing', 'null', '"null"'],
    ['no text', '', '""'],
    ['text with space before', ' a', '" a"'],
    ['text with space after', 'a ', '"a "'],
    ['text that looks folded', '<20 bytes>', '"<20 bytes>"'],
    ['text in quotes', '"a"', '"\\"a\\""'],
    ['text that looks like a list', '[1]', '"[1]"'],
    ['text that looks like an object', '{}', '"{}"'],
    ['text that has those further on', 'a<b[c]"d"{e}', 'a<b[c]"d"{e}'],
    ['a list', ['a', 1], '["a",1]'],
    ['an object, in its one order', { b: 1, a: 'x\ny' }, '{"a":"x\\ny","b":1}'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['an escape', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['a reading direction', 'txt.\u202eexe', 'txt.\\u{202e}exe'],
    ['an invisible space', 'a\u200bb', 'a\\u{200b}b'],
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['the same within an object', { a: '\u202e' }, '{"a":"\\u{202e}"}'],
  ])('shows %s so that it can not pass for something else', (_, value, expected) => {
    expect(shown({ x: value })).toBe(`  x: ${expected}`);
  });

  it('puts a bar before each line of a text that has several', () => {
    expect(shown({ command: 'a\nRisk level: read_only\n\n\u202eb' })).toBe(
      '  command: \n    | a\n    | Risk level: read_only\n    | \n    | \\u{202e}b',
    );
    expect(shown({ x: '5\n' })).toBe('  x: \n    | 5\n    | ');
  });

  it('shows names as it shows values', () => {
    expect(
      ask({ tool: 'a\nb__c\u202e', machine: 'm\nn', args: { 'x\ny\u0007': 1 } }).full,
    ).toBe(`Machine: m\\nn
Tool: a\\nb__c\\u{202e}
Parameters:
  x\\ny\\u{7}: 1
Files affected: (not known)
Risk level: safe_write

Approve? (y/n/always):`);
  });

  it('has the same lines of its own, whatever the arguments say', () => {
    holdsFor(anyText, (text) => {
      const args = { path: text, command: `x\n${text}`, [`k${text}`]: text };
      const asked = ask({ args });
      for (const form of [asked.text, asked.full]) {
        const own = form.split('\n').filter((line) => !/^(?: {2}|$)/.test(line));
        expect(own.map((line) => line.replace(/:.*/s, ''))).toEqual([
          'Tool',
          'Parameters',
          'Files affected',
          'Risk level',
          'Approve? (y/n/always)',
        ]);
        expect(form).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}|\u2028|\u2029/u);
      }
    });
  });
});
