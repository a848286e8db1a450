import { describe, expect, it } from 'vitest';
import { isEnding, parseRun } from '../../../src/gate/rules/argv-ending.ts';
import { matchesRule, type RuleDraft, TERMINAL_TOOL } from '../../../src/gate/rules/rule.ts';
import { checkRule } from '../../../src/gate/rules/rule-check.ts';

const endingOf = (command: string) => {
  const parsed = parseRun(command);
  return 'problem' in parsed ? undefined : parsed.ending;
};

describe('what is done with the output of a command', () => {
  it.each([
    ['npm test', ''],
    ['npm test 2>&1', '2>&1'],
    ['npm test 2>&1 | tail', '2>&1 | tail'],
    ['npm test |  tail   -n 20', '| tail -n 20'],
    ['npm test | tail -n20 | head -5 | wc -l', '| tail -n20 | head -5 | wc -l'],
    ['npm test | grep -in "not ok" -A 3', "| grep -in 'not ok' -A 3"],
    [`npm test | grep "it's"`, `| grep "it's"`],
    ["npm test '|' sh", ''],
    ['npm test | cat', '| cat'],
  ])('is read in %j', (command, ending) => {
    expect(endingOf(command)).toBe(ending);
    expect(ending === '' || isEnding(ending)).toBe(true);
  });

  it.each([
    ...['npm test | sh', 'npm test | tee out', 'npm test | xargs rm', 'npm test |sh', 'npm test |& tail'],
    ...[
      'npm test || tail',
      'npm test | tail; id',
      'npm test | tail > out',
      'npm test > out',
      'npm test 2> out',
    ],
    ...['npm test 2>&1x', 'npm test 2>&12', 'npm test 12>&1', 'npm test | tail 2>&1', 'npm test 2>&1 2>&1'],
    ...['npm test |', '| tail', '2>&1', 'npm test | | tail', 'npm test & tail', 'npm test | $(id)'],
    // With a file to read, or to write, they would do more than read the output.
    ...['npm test | tail /etc/passwd', 'npm test | tail -n 5 x', 'npm test | tail -f', 'npm test | head -n'],
    ...['npm test | cat x', 'npm test | cat -', 'npm test | wc -l x', 'npm test | wc --files0-from=x'],
    ...[
      'npm test | grep a b',
      'npm test | grep -r a',
      'npm test | grep -f x',
      'npm test | grep',
      'npm test | grep -e a',
    ],
    ...['npm test | sort -o x', 'npm test | uniq a b', 'npm test | less', "npm test | grep 'a'\\''b\"'"],
    ...['npm test | PAGER=x tail', 'npm test | ./tail', 'npm test | toString', 'npm test | tail -n -f'],
  ])('is not to be known in %j', (command) => {
    expect(endingOf(command)).toBeUndefined();
  });
});

const NOW = 1_800_000_000_000;
const rule = (
  match: Partial<Extract<RuleDraft['match'], { kind: 'argv' }>>,
  effect: RuleDraft['effect'] = 'allow',
) =>
  ({
    tool: TERMINAL_TOOL,
    machine: null,
    effect,
    match: { kind: 'argv', argv: ['npm', 'test'], options: [], operands: 'none', fields: {}, ...match },
    expiresAt: NOW + 1_000,
    maxUses: null,
    note: '',
    examples: { must: ['{"command":"npm test"}'], mustNot: ['{"command":"npm"}'] },
  }) satisfies RuleDraft;
const matches = (draft: RuleDraft, command: string) =>
  matchesRule(draft, {
    tool: TERMINAL_TOOL,
    machine: null,
    root: null,
    args: { command },
    canonicalArgs: '',
  });

describe('a rule for a command', () => {
  it('that says nothing of the output is for the output as it is', () => {
    expect(matches(rule({}), 'npm test')).toBe(true);
    expect(matches(rule({}), 'npm test | tail')).toBe(false);
  });

  it('may allow every ending that only reads', () => {
    const open = rule({ endings: 'any' });
    for (const command of ['npm test', 'npm test 2>&1', 'npm test | grep x | head -3'])
      expect(matches(open, command)).toBe(true);
    for (const command of ['npm test | sh', 'npm test; id', 'npm run | tail', 'npm test > x'])
      expect(matches(open, command)).toBe(false);
  });

  it.each(['| sh', 'tail', '|tail', '| tail -20 ', '', '; id'])(
    'can not be saved with the ending %j',
    (ending) => {
      const around = { toolExists: () => true, isTerminal: () => true, now: NOW };
      expect(checkRule(rule({ endings: [ending] }), around)).toMatchObject({
        problems: [{ code: 'bad_ending' }],
      });
      expect(checkRule(rule({ endings: ['2>&1 | tail -20'] }), around).ok).toBe(true);
    },
  );

  it('that says no holds for every program of the line', () => {
    for (const [argv, command] of [
      [['npm', 'test'], 'npm test 2>&1 | tail'],
      [['tail'], 'npm test 2>&1 | tail'],
      [['grep'], 'npm test | cat | grep x'],
    ] as const) {
      expect(matches(rule({ argv, operands: 'any' }, 'deny'), command)).toBe(true);
    }
  });
});
