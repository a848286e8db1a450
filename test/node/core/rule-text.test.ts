import { describe, expect, it } from 'vitest';
import type { ArgvMatch, RuleDraft } from '../../../src/gate/rules/rule.ts';
import { describeRule } from '../../../src/gate/rules/rule-text.ts';

const rule: RuleDraft = {
  tool: 'create_file',
  machine: 'mini',
  effect: 'allow',
  match: {
    kind: 'arguments',
    fields: { path: { regex: '^docs/.*$' }, content: { any: true }, n: { equals: [1] } },
  },
  expiresAt: Date.UTC(2026, 10, 18, 9, 5, 59),
  maxUses: null,
  note: '',
  examples: { must: [], mustNot: [] },
};
const say = (change: Partial<RuleDraft>) => describeRule({ ...rule, ...change });
const command = (over: Partial<ArgvMatch>) => ({
  tool: 'run_in_terminal',
  match: { kind: 'argv', argv: ['git', 'log'], options: [], operands: 'none', fields: {}, ...over } as const,
});

describe('describeRule', () => {
  it.each<[string, Partial<RuleDraft>]>([
    [
      'Allow "create_file" on "mini" when path matches "^docs/.*$" and content is anything and n is [1] and nothing else is given, until 2026-11-18 09:05 UTC.',
      {},
    ],
    [
      'Deny "create_file" when path is "a", until 2026-11-18 09:05 UTC.',
      { effect: 'deny', machine: null, match: { kind: 'arguments', fields: { path: { equals: 'a' } } } },
    ],
    [
      'Allow "create_file" on "mini" when nothing else is given, until 2026-11-18 09:05 UTC, 1 time at most.',
      { match: { kind: 'arguments', fields: {} }, maxUses: 1 },
    ],
    [
      'Ask before "create_file" on "mini" whatever its arguments, until 2026-11-18 09:05 UTC.',
      { effect: 'ask', match: { kind: 'any' } },
    ],
    [
      'Allow "create_file" on "mini" when its arguments, as JSON, match "^{\\"a\\":1}$", until 2026-11-18 09:05 UTC, 5 times at most.',
      { match: { kind: 'json', regex: '^{"a":1}$' }, maxUses: 5 },
    ],
    [
      'Allow "run_in_terminal" on "mini" when the command is "git log", and timeout_seconds is anything and nothing else is given, until 2026-11-18 09:05 UTC.',
      command({}),
    ],
    [
      'Allow "run_in_terminal" on "mini" when the command is "git commit -m \'two words\' \'\' a=b", and timeout_seconds is 30 and nothing else is given, until 2026-11-18 09:05 UTC.',
      command({
        argv: ['git', 'commit', '-m', 'two words', '', 'a=b'],
        fields: { timeout_seconds: { equals: 30 } },
      }),
    ],
    [
      'Allow "run_in_terminal" on "mini" when the command begins with "git log", followed by nothing but the options "-n --stat" and names inside the folder, and timeout_seconds is anything and nothing else is given, until 2026-11-18 09:05 UTC.',
      command({ options: ['-n', '--stat'], operands: 'any' }),
    ],
    [
      'Allow "run_in_terminal" on "mini" when the command begins with "git log", followed by nothing but the options "-n", and timeout_seconds is anything and nothing else is given, until 2026-11-18 09:05 UTC.',
      command({ options: ['-n'] }),
    ],
    [
      'Allow "run_in_terminal" on "mini" when the command begins with "git log", followed by nothing but names inside the folder, and timeout_seconds is anything and nothing else is given, until 2026-11-18 09:05 UTC.',
      command({ operands: 'any' }),
    ],
    [
      'Deny "run_in_terminal" on "mini" when the command begins with "git log", whatever follows, until 2026-11-18 09:05 UTC.',
      { ...command({ operands: 'any' }), effect: 'deny' },
    ],
    [
      'Deny "run_in_terminal" on "mini" when the command begins with "git log", whatever follows, and root is "a", until 2026-11-18 09:05 UTC.',
      { ...command({ fields: { root: { equals: 'a' } } }), effect: 'deny' },
    ],
  ])('%s', (sentence, change) => {
    expect(say(change)).toBe(sentence);
  });

  it('is one line, in which nothing is hidden', () => {
    const sentence = say({
      tool: 'a\nb',
      machine: 'c\u202ed',
      match: { kind: 'arguments', fields: { 'e\u0007f': { equals: 'g\nh\u200bi' }, 'j\nk': { any: true } } },
    });
    expect(sentence).toBe(
      'Allow "a\\nb" on "c\\u{202e}d" when "e\\u0007f" is "g\\nh\\u{200b}i" and "j\\nk" is anything and nothing else is given, until 2026-11-18 09:05 UTC.',
    );
    const argv = ['git\u202e', "it's"];
    expect(say(command({ argv, options: ['-\u0007', '-a\n'], fields: {} }))).toContain(
      `"'git\\u{202e}' \\"it's\\"", followed by nothing but the options "'-\\u0007' '-a\\n'",`,
    );
  });

  it('cuts what is long', () => {
    const sentence = say({ match: { kind: 'arguments', fields: { content: { equals: 'x'.repeat(500) } } } });
    expect(sentence).toContain(`content is "${'x'.repeat(199)}… and nothing else`);
  });
});
