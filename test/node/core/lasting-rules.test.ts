import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import type { ShownPreview } from '../../../src/gate/messages.ts';
import type { Rule } from '../../../src/gate/rules/rule.ts';
import { checkRule } from '../../../src/gate/rules/rule-check.ts';
import { verdictOf } from '../../../src/gate/rules/rule-verdict.ts';
import { rulesOfWidth } from '../../../src/gate/rules/rule-widths.ts';

const NOW = 1_800_000_000_000;

const rule = (effect: Rule['effect'], match: Rule['match'], tool = 'run_in_terminal'): Rule => ({
  ...{ id: `rule_${effect}`, tool, machine: null, effect, match },
  ...{ expiresAt: NOW + 60_000, maxUses: null, uses: 0, enabled: true, note: '', createdAt: NOW },
  examples: { must: [], mustNot: [] },
});
const argv = (...words: string[]) =>
  ({ kind: 'argv', argv: words, options: [], operands: 'none', fields: {} }) as const;
const testing = rule('allow', argv('npm', 'test'));

const call = (tool: string, args: object) => ({
  ...({ tool, machine: 'mini', root: 'shop', risk: 'dangerous', approval: 'ask' } as const),
  args: canonicalJson(args),
  shown: null,
});
const preview = { facts: [], files: null, diff: null, state: 'as it was', plainShell: true };
const send = (args: object, shown: ShownPreview | null = { preview }) => ({
  ...call('terminal_send', { session: 'work', program: false, repeat: false, ...args }),
  shown,
});
const start = (args: object) => call('terminal_start', { session: 'work', repeat: false, ...args });
const verdict = (asked: ReturnType<typeof call> | ReturnType<typeof send>, ...rules: Rule[]) => {
  const said = verdictOf(asked, rules, NOW);
  return said === 'look' ? said : said.verdict;
};

describe('what is typed into a lasting terminal', () => {
  it.each(['npm test', 'npm test\n', 'npm test 2>&1'])('is allowed as the command %j would be', (text) => {
    const asTold = rule('allow', { ...argv('npm', 'test'), endings: 'any' });
    expect(verdict(send({ text }), asTold)).toBe('allow');
  });

  it('is allowed only where the machine says that words still mean what they say, and finds it so', () => {
    expect(verdictOf(send({ text: 'npm test' }), [testing], NOW)).toMatchObject({
      verdict: 'allow',
      seen: 'as it was',
    });
    expect(verdict(send({ text: 'npm test' }, null), testing)).toBe('look');
    const { plainShell, ...unsaid } = preview;
    for (const shown of [
      { preview: { ...preview, plainShell: !plainShell } },
      { preview: { ...unsaid, sandboxed: true } },
      { preview: { ...preview, state: null } },
      { why: 'The machine did not say.' },
    ])
      expect(verdictOf(send({ text: 'npm test' }, shown), [testing], NOW)).toEqual({
        verdict: 'ask',
        because: { kind: 'default' },
      });
    const never = rule('deny', argv('npm', 'test'));
    expect(verdict(send({ text: 'npm test' }, null), never, testing)).toBe('deny');
  });

  it.each([
    ['more than a rule allows', { text: 'npm test -- --watch' }],
    ['another command after it', { text: 'npm test; rm -rf x' }],
    ['another line after it', { text: 'npm test\nnpm test' }],
    ['an empty line before it', { text: '\nnpm test' }],
    ['two Enters', { text: 'npm test\n\n' }],
    ['a carriage return', { text: 'npm test\rrm -rf x' }],
    ['a line separator of Unicode', { text: 'npm test\u2028rm -rf x' }],
    ['a next-line character', { text: 'npm test\u0085rm -rf x' }],
    ['the end of a bracketed paste', { text: 'npm test\u001b[201~\nrm -rf x' }],
    ['an open quote', { text: "npm test '" }],
    ['a line that goes on', { text: 'npm test \\' }],
    ['history of the shell', { text: 'npm test !!' }],
    ['text for the program in front', { text: 'npm test\n', program: true }],
    ['an Enter alone', { keys: ['enter'] }],
    ['Ctrl-C', { keys: ['ctrl-c'] }],
    ['keys beside the text', { text: 'npm test', keys: ['up'] }],
    ['another folder', { text: 'npm test', cwd: 'sub' }],
    ['another root', { text: 'npm test', root: 'other' }],
  ])('asks for %s', (_, args) => {
    expect(verdict(send(args), testing)).toBe('ask');
  });

  it('is not allowed by a yes to its own tools, nor to every command in the sandbox', () => {
    const shown = { preview: { ...preview, sandboxed: true } };
    for (const asked of [
      send({ text: 'npm test' }),
      send({ keys: ['enter'] }),
      start({}),
      start({ command: 'ls' }),
    ]) {
      const yeses = [
        rule('allow', { kind: 'any' }, asked.tool),
        rule('allow', { kind: 'tool', root: null }, asked.tool),
        rule('allow', { kind: 'json', regex: '.*' }, asked.tool),
        rule('allow', { kind: 'tool', root: null }),
        rule('allow', { kind: 'any' }),
      ];
      expect(verdictOf({ ...asked, shown }, yeses, NOW)).toMatchObject({ verdict: 'ask' });
    }
  });

  it('is denied with the command that it holds, in any of its lines', () => {
    const never = rule('deny', argv('git', 'push'));
    for (const args of [
      { text: 'git push' },
      { text: 'ls\ngit push --force\nls' },
      { text: 'git push\n', program: true },
    ])
      expect(verdict(send(args), never, rule('allow', argv('git')))).toBe('deny');
    expect(verdict(start({ command: 'git push' }), never)).toBe('deny');
    expect(verdict(start({ command: 'ls' }), never)).toBe('ask');
  });

  it('is denied, and so is every start, where all commands are', () => {
    const off = rule('deny', { kind: 'any' });
    for (const asked of [
      start({}),
      start({ command: 'ls' }),
      send({ text: 'ls' }),
      send({ keys: ['ctrl-c'] }),
    ])
      expect(verdict(asked, off)).toBe('deny');
  });
});

describe('a rule for a lasting terminal', () => {
  it.each(['terminal_start', 'terminal_send'])('cannot allow %s', (tool) => {
    const { id, uses, enabled, createdAt, ...draft } = rule(
      'allow',
      { kind: 'arguments', fields: { session: { any: true }, text: { equals: 'y' } } },
      tool,
    );
    const surroundings = { toolExists: () => true, isTerminal: () => false, now: NOW };
    const checked = checkRule(draft, surroundings);
    expect(checked.ok ? [] : checked.problems.map(({ code }) => code)).toContain('asks_each_time');
    expect([id, uses, enabled, createdAt].length).toBe(4);
  });

  it('is made by "always" for commands, from the one line that is typed', () => {
    const { tool, machine, root, risk, args } = send({ text: 'npm test\n' });
    const asked = { tool, machine, root, risk, args: JSON.parse(args), canonicalArgs: args, sandboxed: true };
    const made = rulesOfWidth('exact', asked, 'hour', NOW);
    if (!('drafts' in made)) throw new Error(made.problem.message);
    const [draft] = made.drafts;
    expect(draft).toMatchObject({ tool: 'run_in_terminal', match: { kind: 'argv', argv: ['npm', 'test'] } });
    const kept = { ...testing, ...draft } as Rule;
    expect(verdict(send({ text: 'npm test' }), kept)).toBe('allow');
    expect(verdict(send({ text: 'npm test', cwd: 'sub' }), kept)).toBe('ask');
    for (const width of ['tool', 'folder'] as const)
      expect(rulesOfWidth(width, asked, 'hour', NOW)).toMatchObject({ problem: { code: 'no_such_width' } });
  });

  it.each([
    ['terminal_send', { text: 'y\n', program: true }],
    ['terminal_send', { text: 'ls\nls', program: false }],
    ['terminal_send', { keys: ['enter'], program: false }],
    ['terminal_start', { command: 'npm test' }],
  ])('is made of nothing else: %s %j', (tool, more) => {
    const { machine, root, risk, args } = call(tool, { session: 'work', repeat: false, ...more });
    const asked = { tool, machine, root, risk, args: JSON.parse(args), canonicalArgs: args, sandboxed: true };
    for (const width of ['exact', 'like', 'tool', 'folder'] as const)
      expect(rulesOfWidth(width, asked, 'hour', NOW)).toMatchObject({ problem: { code: 'asks_each_time' } });
  });
});
