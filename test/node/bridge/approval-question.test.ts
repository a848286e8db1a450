import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../local-bridge/agent/prompt/answer.ts';
import { answersTo, approvalQuestion } from '../../../local-bridge/agent/prompt/approval-question.ts';
import { withoutPrompt } from '../../../src/gate/approval-text.ts';
import { waitingApproval } from '../../support/approval-shown.ts';

const ALL: readonly Answer[] = ['approve', 'deny', 'always', 'lend'];

/** The question about a call, on a screen of that width, in both lengths. */
function questionOn(columns: number | undefined, answers = ALL, change: Partial<Asked> = {}) {
  const screen = { columns, paint: (_: string, text: string) => text, now: 0 };
  const { note: _, ...view } = waitingApproval({});
  const question = approvalQuestion(
    { ...view, approval: { ...view, note: null }, ...change },
    { id: 'one', answers, decide: async () => ({ said: '' }) },
  );
  return [question.text(answers, screen), question.full(answers, screen)];
}
type Asked = Parameters<typeof answersTo>[0];

describe('the question at a prompt', () => {
  it.each<[number | undefined, readonly Answer[], string]>([
    [undefined, ALL, 'Approve? (y/n/always/lend):'],
    [28, ALL, 'Approve? (y/n/always/lend):'],
    [27, ALL, 'Approve?\n(y/n/always/lend):'],
    [20, ALL, 'Approve?\n(y/n/always/lend):'],
    [0, ALL, 'Approve?\n(y/n/always/lend):'],
    [80, ['approve', 'deny', 'always'], 'Approve? (y/n/always):'],
    [21, ['approve', 'deny', 'always'], 'Approve?\n(y/n/always):'],
    [80, ['approve', 'deny'], 'Approve? (y/n):'],
  ])('in %s columns names the answers %j at its end, once', (columns, answers, end) => {
    for (const text of questionOn(columns, answers)) {
      expect(text.endsWith(`\n\n${end}`)).toBe(true);
      expect(text.match(/Approve\?/g)).toHaveLength(1);
    }
  });

  it('asks even where the text of a gateway ends otherwise', () => {
    const text = 'Tool: hello\nRisk level: read_only';
    for (const asked of questionOn(80, ALL, { text, full: text }))
      expect(asked.endsWith(`${text}\n\nApprove? (y/n/always/lend):`)).toBe(true);
  });

  it('offers `lend` only for a terminal that can be lent', () => {
    const { note: _, ...view } = waitingApproval({});
    expect(answersTo({ ...view, approval: { ...view, note: null, lends: 'work' } })).toContain('lend');
    expect(answersTo({ ...view, approval: { ...view, note: null, lends: null } })).not.toContain('lend');
  });
});

it.each([
  ['Risk level: read_only\n\nApprove? (y/n/always):', 'Risk level: read_only'],
  ['a\n\nApprove? (y/n/always):\nb', 'a\n\nApprove? (y/n/always):\nb'],
  ['a\n\nApprove? (y/n/always):\n\nApprove? (y/n/always):', 'a\n\nApprove? (y/n/always):'],
  ['Approve? (y/n/always):', 'Approve? (y/n/always):'],
])('%j without its prompt is %j', (text, rest) => {
  expect(withoutPrompt(text)).toBe(rest);
});
