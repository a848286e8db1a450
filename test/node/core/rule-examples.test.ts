import { describe, expect, it } from 'vitest';
import type { RuleDraft } from '../../../src/gate/rules/rule.ts';
import { codesOf, good, problemsOf } from '../../support/rules.ts';

describe('the examples of a rule', () => {
  it.each<[string, Partial<RuleDraft>, string, string]>([
    [
      'no_example',
      { examples: { ...good.examples, must: [] } },
      'There is no example of a call that the rule must match.',
      'Add the arguments of a call that it is meant for.',
    ],
    [
      'no_counterexample',
      { examples: { ...good.examples, mustNot: [] } },
      'There is no example of a call that the rule must not match.',
      'Add the arguments of a call that is nearly the same and not meant.',
    ],
    [
      'bad_example',
      { examples: { ...good.examples, must: [`"${'a'.repeat(90)}"`] } },
      `\`"${'a'.repeat(79)}\` is not a JSON object.`,
      'Write the arguments as one JSON object.',
    ],
    [
      'example_not_matched',
      { examples: { ...good.examples, must: [`{"content":"${'a'.repeat(90)}","path":"a"}`] } },
      `The rule does not match \`{"content":"${'a'.repeat(68)}\`, which it must.`,
      'Widen the pattern, or correct the example: it has every argument, defaults included.',
    ],
    [
      'counterexample_matched',
      { examples: { ...good.examples, mustNot: [`{"content":"${'a'.repeat(90)}","path":"docs/a"}`] } },
      `The rule matches \`{"content":"${'a'.repeat(68)}\`, which it must not.`,
      'Narrow the pattern, or correct the example.',
    ],
  ])('are refused, each in its own words: %s', (code, change, message, suggestion) => {
    expect(problemsOf(change)).toEqual([[code, message, suggestion]]);
  });

  it.each(['null', '[]', '1', '"a"', '', '{', '{"a":1,"a":2}', '{"a":"\\ud800"}', '{"a":9007199254740993}'])(
    'refuses the example %s, which is no JSON object that means one thing',
    (text) => {
      expect(codesOf({ examples: { ...good.examples, must: [text] } })).toEqual(['bad_example']);
      expect(codesOf({ examples: { ...good.examples, mustNot: [text] } })).toEqual(['bad_example']);
    },
  );

  it('refuses a counterexample of a rule that every call matches', () => {
    const match = { effect: 'deny', match: { kind: 'any' } } as const;
    expect(codesOf({ ...match, examples: { must: [], mustNot: ['{}'] } })).toEqual([
      'counterexample_matched',
    ]);
  });

  it('looks at an example on the machine that it names', () => {
    const fields = { path: { equals: 'a' } };
    const rule = { match: { kind: 'arguments', fields }, machine: 'mini' } as const;
    const must = ['{"path":"a"}', '{"path":"a","machine":"mini"}'];
    const elsewhere = '{"path":"a","machine":"studio"}';
    expect(codesOf({ ...rule, examples: { must, mustNot: [elsewhere] } })).toEqual([]);
    expect(codesOf({ ...rule, effect: 'deny', examples: { must, mustNot: [elsewhere] } })).toEqual([]);
    expect(codesOf({ ...rule, examples: { must: [elsewhere], mustNot: ['{}'] } })).toEqual([
      'example_not_matched',
    ]);
    expect(
      codesOf({ ...rule, machine: null, examples: { must: [...must, elsewhere], mustNot: ['{}'] } }),
    ).toEqual([]);
    expect(codesOf({ ...rule, examples: { must: ['{"path":"a","machine":1}'], mustNot: ['{}'] } })).toEqual([
      'example_not_matched',
    ]);
    // There the word may mean a washing machine.
    const joined = { ...rule, tool: 'player__play', effect: 'deny' } as const;
    expect(codesOf({ ...joined, examples: { must: [elsewhere], mustNot: ['{}'] } })).toEqual([]);
  });
});
