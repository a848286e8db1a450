import assert from 'node:assert/strict';
import { canonicalJson } from '../../../src/core/json.ts';
import { parseCommand } from '../../../src/gate/rules/argv.ts';
import { matchesRule, type RuleCall } from '../../../src/gate/rules/rule.ts';
import { checkRule } from '../../../src/gate/rules/rule-check.ts';
import { ruleDraft } from '../../../src/gate/rules/rule-draft.ts';
import { describeRule } from '../../../src/gate/rules/rule-text.ts';
import { DAY, good, NOW } from '../../support/rules.ts';
import { mixedJson, texts } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const SHELL = [
  ...[
    ' ',
    "'",
    '"',
    '\\',
    '$',
    '`',
    '|',
    '&',
    ';',
    '>',
    '<',
    '(',
    ')',
    '{',
    '}',
    '*',
    '?',
    '[',
    '~',
    '#',
    '=',
    '!',
    '%',
    '^',
  ],
  ...[
    'git',
    'status',
    '--',
    '-n',
    'rm -rf /',
    '$(id)',
    '\n',
    '\t',
    '\u00a0',
    '“',
    '\u200b',
    'if',
    'A=b',
    '../x',
    '/etc',
    '@',
    ':',
    ',',
  ],
];

const argv = target({
  name: 'argv',
  seeds: ['git status', 'npm run \'a b\' "c d"', 'grep -n --max-count=3 x src/a.ts', '  ls  -la '],
  grammar: texts(SHELL),
  words: SHELL,
  parse: parseCommand,
  properties: {
    'words that are told are those of the command, written plainly': (parsed) => {
      if ('problem' in parsed) return;
      const plain = parsed.argv.map((word) => (word.includes("'") ? `"${word}"` : `'${word}'`)).join(' ');
      // A program in quotes is the same program.
      if (!parsed.argv.some((word) => word.includes("'") && /["$`]/.test(word)))
        assert.deepEqual(parseCommand(plain), parsed);
    },
    'outside of quotes nothing is left for a shell to act on': (parsed, input) => {
      if ('problem' in parsed) return;
      const bare = input.replace(/'[^']*'|"[^"$`]*"/g, 'Q');
      assert.match(bare, /^[\w./:@+,=\- ]*$/);
      assert.ok(!/\\|!|\p{C}/u.test(input));
    },
    'the first word is a program': ({ ...parsed }) => {
      if ('argv' in parsed)
        assert.ok(parsed.argv[0] && !parsed.argv[0].includes('=') && !parsed.argv[0].startsWith('-'));
    },
  },
});

const drafts = [
  { ...good },
  { ...good, match: { kind: 'json', regex: '^\\{"content":"","path":"[^"\\\\]*"\\}$' } },
  {
    ...good,
    tool: 'run_in_terminal',
    match: { kind: 'argv', argv: ['git', 'status'], options: ['-s', '--x='], operands: 'any', fields: {} },
  },
  { ...good, effect: 'deny', match: { kind: 'any' }, examples: { must: [], mustNot: [] } },
  { ...good, effect: 'ask', maxUses: 3, expiresAt: NOW + DAY },
];

const args = { path: 'docs/a', content: '', command: 'git status', machine: 'mini', n: [1, { a: null }] };
const callOf = (tool: string): RuleCall => ({
  tool,
  machine: 'mini',
  root: null,
  args,
  canonicalArgs: canonicalJson(args),
});

const rules = target({
  name: 'rules',
  seeds: drafts.map((draft) => JSON.stringify(draft)),
  grammar: mixedJson(drafts),
  words: [
    '"any":true',
    '"regex":"^a$"',
    '"equals":{}',
    '"__proto__":{"any":true}',
    '"kind":"any"',
    '"effect":"deny"',
    '"argv":["sh"]',
    '-1',
    '1e99',
  ],
  refuses: [SyntaxError],
  parse: (input) => {
    const read = ruleDraft.safeParse(JSON.parse(input));
    const surroundings = {
      toolExists: () => true,
      isTerminal: (tool: string) => tool === 'run_in_terminal',
      now: NOW,
    };
    return read.success ? { draft: read.data, checked: checkRule(read.data, surroundings) } : undefined;
  },
  properties: {
    'it can be said in a sentence, and asked of any call': (read) => {
      if (!read?.checked.ok) return;
      assert.ok(describeRule(read.draft).length > 0);
      matchesRule(read.draft, callOf(read.draft.tool));
    },
    'a rule that allows matches no call with an argument more': (read) => {
      if (!read?.checked.ok || read.draft.effect !== 'allow') return;
      const more = { ...args, unforeseen: 'x' };
      const call = { ...callOf(read.draft.tool), args: more, canonicalArgs: canonicalJson(more) };
      const names = JSON.stringify(read.draft.match);
      if (matchesRule(read.draft, call)) assert.ok(names.includes('unforeseen'), names);
    },
    'what cannot be saved says why and what to do': (read) => {
      if (!read || read.checked.ok) return;
      assert.ok(read.checked.problems.length > 0);
      for (const { message, suggestion } of read.checked.problems) assert.ok(message && suggestion);
    },
    'a rule for every call allows none': (read) => {
      if (read?.checked.ok && read.draft.match.kind === 'any') assert.notEqual(read.draft.effect, 'allow');
    },
  },
});

export const ruleTargets: readonly Target[] = [argv, rules];
