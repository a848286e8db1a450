import { describe, expect, it } from 'vitest';
import type { ArgvMatch, Match, RuleDraft } from '../../../src/gate/rules/rule.ts';
import { checkRule, MAX_RULE_AGE_MS, MAX_RULE_CHARS } from '../../../src/gate/rules/rule-check.ts';
import type { Effect } from '../../../src/gate/rules/rule-pattern.ts';
import { codesOf, DAY, good, NOW, problemsOf } from '../../support/rules.ts';

const command = (argv: readonly string[], over: Partial<ArgvMatch> = {}, effect: Effect = 'allow') => ({
  tool: 'run_in_terminal',
  effect,
  match: { kind: 'argv', argv, options: [], operands: 'none', fields: {}, ...over } as const,
  examples: {
    must: [JSON.stringify({ command: argv.map((word) => `'${word}'`).join(' ') })],
    mustNot: ['{"command":"other"}'],
  },
});

describe('checkRule', () => {
  it('gives back a rule that can be saved', () => {
    expect(checkRule(good, { toolExists: () => true, isTerminal: () => false, now: NOW })).toEqual({
      ok: true,
      draft: good,
    });
  });

  it.each<[string, Partial<RuleDraft>]>([
    [
      'a pattern over JSON',
      {
        match: { kind: 'json', regex: '^{"path":"[a-z]*"}$' },
        examples: { must: ['{"path":"a"}'], mustNot: ['{"path":"A"}'] },
      },
    ],
    [
      'values',
      {
        match: { kind: 'arguments', fields: { path: { equals: { a: [1] } } } },
        examples: { must: ['{"path":{"a":[1]}}'], mustNot: ['{}'] },
      },
    ],
    [
      'no arguments at all',
      { match: { kind: 'arguments', fields: {} }, examples: { must: ['{}'], mustNot: ['{"a":1}'] } },
    ],
    ['a command', command(['git', 'status'])],
    [
      'any call, to be denied',
      { effect: 'deny', match: { kind: 'any' }, examples: { must: [], mustNot: [] } },
    ],
    [
      'any call, to be asked about, with an example',
      { effect: 'ask', match: { kind: 'any' }, examples: { must: ['{"a":1}'], mustNot: [] } },
    ],
    [
      'a command by its text, to be denied',
      {
        tool: 'run_in_terminal',
        effect: 'deny',
        match: { kind: 'json', regex: '^.*sudo.*$' },
        examples: { must: ['{"command":"sudo x"}'], mustNot: ['{"command":"x"}'] },
      },
    ],
    ['one use', { maxUses: 1 }],
    ['a year', { expiresAt: NOW + MAX_RULE_AGE_MS }],
    ['a moment', { expiresAt: NOW + 1 }],
    ['any machine', { machine: null }],
    [
      'several examples',
      {
        examples: {
          must: ['{"content":"a","path":"docs/a"}', ' {"path": "docs/b", "content": 1} '],
          mustNot: ['{}', '{"path":"docs/a","x":1}'],
        },
      },
    ],
    ["another server's tool", { tool: 'player__play' }],
  ])('takes %s', (_, change) => {
    expect(problemsOf(change)).toEqual([]);
  });

  describe('refuses, each in its own words', () => {
    const everyCall: Match = { kind: 'any' };
    const never = { must: [], mustNot: [] };
    it.each<[string, Partial<RuleDraft>, string, string]>([
      [
        'unknown_tool',
        { tool: 'create_files' },
        'There is no tool called `create_files`.',
        'Use the exact name of a tool.',
      ],
      [
        'not_a_terminal',
        { ...command(['git']), tool: 'create_file' },
        '`create_file` does not run commands.',
        'Say what its arguments may be instead.',
      ],
      [
        'allows_anything',
        { match: everyCall, examples: never },
        'A rule cannot allow a tool whatever its arguments.',
        'Say what the arguments may be.',
      ],
      [
        'allows_anything',
        { tool: 'run_in_terminal', match: everyCall, examples: never },
        'A rule cannot allow a tool whatever its arguments.',
        'Say what the arguments may be.',
      ],
      [
        'terminal_needs_argv',
        { tool: 'run_in_terminal' },
        'A command cannot be allowed by its text: a shell finds more in it than a pattern does.',
        'Give the first words of the command, with the options and operands that may follow.',
      ],
      [
        'terminal_needs_argv',
        { tool: 'run_in_terminal', match: { kind: 'json', regex: '^{"command":"ls"}$' } },
        'A command cannot be allowed by its text: a shell finds more in it than a pattern does.',
        'Give the first words of the command, with the options and operands that may follow.',
      ],
      ['expired', { expiresAt: NOW }, 'The rule would end before it begins.', 'Set an expiry in the future.'],
      [
        'expired',
        { expiresAt: Number.NaN },
        'The rule would end before it begins.',
        'Set an expiry in the future.',
      ],
      [
        'expires_too_late',
        { expiresAt: NOW + 365 * DAY + 1 },
        'A rule can hold for a year at most.',
        'Set an expiry within 365 days.',
      ],
      ['bad_max_uses', { maxUses: 0 }, 'The number of uses must be 1 or more.', 'Leave it out for no limit.'],
      [
        'bad_max_uses',
        { maxUses: 1.5 },
        'The number of uses must be 1 or more.',
        'Leave it out for no limit.',
      ],
      [
        'no_wears_out',
        { effect: 'deny', maxUses: 3 },
        'A rule that asks or denies cannot be used up: a denied caller would only have to try again.',
        'Leave out the number of uses; the expiry ends the rule.',
      ],
      [
        'empty_pattern',
        { effect: 'ask', match: { kind: 'arguments', fields: {} } },
        'The rule names no argument.',
        'Use `any` if it is for every call.',
      ],
      [
        'empty_pattern',
        { match: { kind: 'arguments', fields: { path: { regex: '' } } } },
        '`path`: The pattern is empty.',
        'Write between `^` and `$` what the value may be, or use `equals` for an empty one.',
      ],
      [
        'unanchored',
        { match: { kind: 'json', regex: '^a|b$' } },
        'The pattern must begin with `^` and end with `$`, for the whole of it and nowhere else.',
        'Put everything between `^(?:` and `)$`.',
      ],
      [
        'crosses_quote',
        { match: { kind: 'json', regex: '^{"path":".*"}$' } },
        '`.` can match a quote or a backslash, and so go past the end of a string.',
        'Write `^{"path":"[^"\\\\]*"}$`.',
      ],
      [
        'bad_value',
        { match: { kind: 'arguments', fields: { path: { equals: '\ud800' } } } },
        '`path`: This value has no JSON form.',
        'Give a value that JSON can hold.',
      ],
      [
        'empty_argv',
        command([]),
        'The rule names no program.',
        'Give at least the first word of the command.',
      ],
      [
        'empty_argv',
        command(['']),
        'The rule names no program.',
        'Give at least the first word of the command.',
      ],
      [
        'empty_argv',
        command([], {}, 'deny'),
        'The rule names no program.',
        'Give at least the first word of the command.',
      ],
      [
        'narrowed_no',
        command(['git', 'push'], { operands: 'none' }, 'deny'),
        'A rule that asks or denies holds for every command that begins with its words, whatever follows.',
        'Leave the options empty and let the operands be any.',
      ],
      [
        'narrowed_no',
        command(['git', 'push'], { operands: 'any', options: ['--force'] }, 'ask'),
        'A rule that asks or denies holds for every command that begins with its words, whatever follows.',
        'Leave the options empty and let the operands be any.',
      ],
      [
        'launcher',
        command(['bash'], { operands: 'any' }),
        '`bash` runs whatever it is given, so its first words say nothing about the rest.',
        'Write the whole command, with no operands and no options left open.',
      ],
    ])('%s: %j', (code, change, message, suggestion) => {
      expect(problemsOf(change)).toEqual([[code, message, suggestion]]);
    });
  });

  it('reports everything at once, but examples only of a rule that is otherwise right', () => {
    const change = { tool: 'nope', expiresAt: 0, maxUses: -1, examples: { must: [], mustNot: [] } };
    const fields = {
      a: { regex: 'x' },
      b: { any: true },
      c: { regex: '^(?=x)$' },
      d: { equals: Number.NaN },
    } as const;
    expect(codesOf({ ...change, match: { kind: 'arguments', fields } })).toEqual([
      'unknown_tool',
      'expired',
      'bad_max_uses',
      'unanchored',
      'look_around',
      'bad_value',
    ]);
    expect(codesOf({ examples: { must: [], mustNot: ['1', '{"path":"docs/a","content":1}'] } })).toEqual([
      'no_example',
      'bad_example',
      'counterexample_matched',
    ]);
  });

  it('checks the arguments beside a command too', () => {
    const fields = { timeout_seconds: { regex: 'x' } };
    expect(problemsOf(command(['sudo'], { fields }))).toEqual([
      expect.arrayContaining(['launcher']),
      [
        'unanchored',
        '`timeout_seconds`: The pattern must begin with `^` and end with `$`, for the whole of it and nowhere else.',
        'Put everything between `^(?:` and `)$`.',
      ],
    ]);
  });

  it('holds a rule that says no to nothing that would only make it narrower', () => {
    const examples = { must: ['{"path":"secrets/a"}'], mustNot: ['{"path":"a"}'] };
    for (const effect of ['ask', 'deny'] as const) {
      expect(codesOf({ effect, match: { kind: 'json', regex: '^.*secrets.*$' }, examples })).toEqual([]);
      expect(codesOf(command(['sudo'], { operands: 'any' }, effect))).toEqual([]);
      expect(codesOf(command(['./run'], { operands: 'any' }, effect))).toEqual([]);
    }
  });

  it(`takes a rule of ${MAX_RULE_CHARS} characters and not one more`, () => {
    const base = JSON.stringify(good).length;
    expect(MAX_RULE_CHARS).toBe(65_536);
    expect(codesOf({ note: 'n'.repeat(MAX_RULE_CHARS - base) })).toEqual([]);
    expect(problemsOf({ note: 'n'.repeat(MAX_RULE_CHARS - base + 1) })).toEqual([
      [
        'rule_too_large',
        'The rule has more than 65536 characters.',
        'Match long values by a pattern, and shorten the examples.',
      ],
    ]);
  });
});
