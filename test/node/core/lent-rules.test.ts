import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import { sessionState } from '../../../src/core/session-state.ts';
import type { ShownPreview } from '../../../src/gate/messages.ts';
import type { Rule } from '../../../src/gate/rules/rule.ts';
import { verdictOf } from '../../../src/gate/rules/rule-verdict.ts';

const NOW = 1_800_000_000_000;
const LENT = { id: 'loan_1', startedBy: 'call_start' };
const BY_LOAN = { kind: 'loan', id: 'loan_1' };
const UNASKED = { verdict: 'ask', because: { kind: 'default' } };

const rule = (effect: Rule['effect'], match: Rule['match'], more: Partial<Rule> = {}): Rule => ({
  ...{ id: `rule_${effect}`, tool: 'run_in_terminal', machine: null, effect, match },
  ...{ expiresAt: NOW + 60_000, maxUses: null, uses: 0, enabled: true, note: '', createdAt: NOW },
  examples: { must: [], mustNot: [] },
  ...more,
});
const argv = (...words: string[]) =>
  ({ kind: 'argv', argv: words, options: [], operands: 'any', fields: {} }) as const;
const noPush = rule('deny', argv('git', 'push'));

const lasting = { session: 'work', startedBy: 'call_start' };
const preview = {
  facts: [],
  files: null,
  diff: null,
  state: 'as it was',
  plainShell: true,
  sandboxed: true,
  lasting,
};
const send = (args: object, shown: ShownPreview | null = null, tool = 'terminal_send') => ({
  ...({ tool, machine: 'mini', root: 'shop', risk: 'dangerous', approval: 'ask', shown } as const),
  args: canonicalJson({ session: 'work', program: false, repeat: false, ...args }),
});
const verdict = (call: ReturnType<typeof send>, ...rules: Rule[]) => verdictOf(call, rules, NOW, LENT);

describe('what is typed into a lent terminal', () => {
  it.each([
    [{ text: 'npm test' }],
    [{ text: 'export A=1; $(cat x)\nls' }],
    [{ text: 'y', program: true }],
    [{ keys: ['up', 'enter'] }],
  ])('runs, and only in that very terminal: %j', (args) => {
    expect(verdict(send(args))).toEqual({
      verdict: 'allow',
      because: BY_LOAN,
      seen: sessionState('call_start'),
    });
    expect(sessionState('call_start')).not.toBe(sessionState('call_other'));
    expect(verdictOf(send(args), [], NOW)).toEqual(UNASKED);
  });

  it('asks if it is too long to be shown whole afterwards', () => {
    for (const more of [0, 1])
      expect(verdict(send({ text: 'x'.repeat(2_000 + more) }))).toMatchObject({
        verdict: more === 0 ? 'allow' : 'ask',
      });
  });

  it('asks about a program that a rule denies by its path', () => {
    const byPath = rule('deny', argv('/usr/bin/rm'));
    expect(verdict(send({ text: 'rm -rf x' }, { preview }), byPath)).toEqual(UNASKED);
  });

  it('is no start of another terminal', () => {
    expect(verdict(send({ command: 'ls' }, null, 'terminal_start'))).toEqual(UNASKED);
  });

  it.each([
    ['deny', { text: 'git push --force' }],
    ['deny', { text: 'ls\ngit push\n' }],
    ['deny', { text: 'git push\n', program: true }],
    ['ask', { text: 'git push' }],
  ] as const)('is judged by a rule to %s first: %j', (effect, args) => {
    expect(verdict(send(args), rule(effect, argv('git', 'push')))).toMatchObject({
      verdict: effect,
      because: { kind: 'rule' },
    });
  });

  it.each([
    ['text for a program', { text: 'git pu', program: true }],
    ['keys', { keys: ['up', 'enter'] }],
    ['several lines', { text: 'ls\nls' }],
    ['a command in a command', { text: 'sh -c "git pu""sh"' }],
    ['a substitution', { text: '$(echo git) push' }],
    ['a variable', { text: 'G=git; $G push' }],
    ['the same program in other words', { text: 'git -C . push' }],
    ['a program that runs what the project says', { text: 'npm test' }],
  ])('asks about %s while a rule denies some command', (_, args) => {
    expect(verdict(send(args, { preview }), noPush)).toMatchObject({
      verdict: expect.stringMatching(/ask|deny/),
    });
    expect(verdict(send(args, { preview }))).toMatchObject({ verdict: 'allow', because: BY_LOAN });
  });

  it('runs as a whole command while a rule denies another, if the machine says that words mean what they say', () => {
    const line = { text: 'ls -la' };
    expect(verdict(send(line), noPush)).toBe('look');
    expect(verdict(send(line, { preview }), noPush)).toEqual({
      verdict: 'allow',
      because: BY_LOAN,
      seen: 'as it was',
    });
    for (const shown of [
      { preview: { ...preview, plainShell: false } },
      { preview: { ...preview, sandboxed: false } },
      { preview: { ...preview, state: null } },
      { preview: { ...preview, lasting: { ...lasting, startedBy: 'call_other' } } },
      { why: 'The machine did not say.' },
    ])
      expect(verdict(send(line, shown), noPush)).toEqual(UNASKED);
  });

  it('is not narrowed by rules that are over, switched off or for another machine', () => {
    for (const more of [{ expiresAt: NOW }, { enabled: false }, { machine: 'other' }])
      expect(verdict(send({ keys: ['up'] }), { ...noPush, ...more })).toMatchObject({ verdict: 'allow' });
    expect(verdict(send({ keys: ['up'] }), { ...noPush, machine: 'MINI' })).toEqual(UNASKED);
  });

  it('is narrowed by any rule about typing itself', () => {
    const about = rule('deny', { kind: 'json', regex: '.*secret.*' }, { tool: 'terminal_send' });
    expect(verdict(send({ text: 'ls' }, { preview }), about)).toEqual(UNASKED);
    expect(verdict(send({ text: 'cat secret' }, { preview }), about)).toMatchObject({ verdict: 'deny' });
  });
});
