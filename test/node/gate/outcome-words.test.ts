import { describe, expect, it } from 'vitest';
import { countedWords, decisionWords, outcomeWords } from '../../../src/gate/outcome-words.ts';

describe('how a call ended, in words', () => {
  it.each([
    ['ok', null, 'ok', 'good'],
    ['failed', null, 'failed', 'bad'],
    ['failed', 'path_denied', 'path_denied', 'bad'],
    ['failed', 'constructor', 'constructor', 'bad'],
    ['asked', null, 'asked', 'warn'],
    ['asked', 'approval_required', 'waited for you', 'warn'],
    ['failed', 'approval_required', 'waited for you', 'warn'],
    ['failed', 'approval_denied', 'denied', 'calm'],
    ['failed', 'approval_expired', 'expired', 'calm'],
    ['failed', 'denied_by_rule', 'denied by a rule', 'calm'],
    ['failed', 'cancelled', 'cancelled', 'calm'],
    ['left', null, 'left', 'calm'],
    [null, null, 'no end yet', 'calm'],
  ])('%s with %s: %s', (outcome, code, words, tone) => {
    expect(outcomeWords({ outcome, code })).toEqual({ words, tone });
  });
});

it.each([
  ['ok', 'ok', 'good'],
  ['approval_required', 'waited for you', 'warn'],
  ['denied_by_rule', 'denied by a rule', 'calm'],
  ['rate_limited', 'rate_limited', 'bad'],
])('calls that ended with %s and were only counted: %s', (code, words, tone) => {
  expect(countedWords(code)).toEqual({ words, tone });
});

describe('what was decided about a call', () => {
  it.each([
    ['refused', 'approval_required', 'approval_required', { decision: 'asked' }],
    ['refused', 'approval_denied', 'approval_denied', { decision: 'refused' }],
    ['allowed', 'rule rule_1', null, { decision: 'allowed', because: 'rule rule_1' }],
    ['refused', 'denied_by_rule', 'path_denied', { decision: 'refused', because: 'denied_by_rule' }],
  ])('%s because of %s, ended with %s', (decision, because, code, words) => {
    expect(decisionWords({ decision, because, code })).toEqual(words);
  });
});
