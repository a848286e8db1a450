import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  draftIn,
  EMPTY_FORM,
  formOfDraft,
  problemsAt,
  readFields,
  writeFields,
} from '../../../src/gate/rules/rule-form.ts';
import { holdsFor } from '../../support/property.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const form = {
  ...EMPTY_FORM,
  tool: 'hello',
  fields: 'name = Ada',
  must: '{"name":"Ada"}',
  mustNot: '{"name":"Eve"}',
};

describe('what is typed as a rule', () => {
  it('becomes the rule', () => {
    expect(draftIn(form, NOW)).toEqual({
      draft: {
        tool: 'hello',
        machine: null,
        effect: 'allow',
        match: { kind: 'arguments', fields: { name: { equals: 'Ada' } } },
        expiresAt: NOW + 30 * DAY,
        maxUses: null,
        note: '',
        examples: { must: ['{"name":"Ada"}'], mustNot: ['{"name":"Eve"}'] },
      },
    });
  });

  it.each([
    ['a regex over all', { kind: 'json', regex: '.*' }, { kind: 'json', regex: '.*' }],
    ['any call', { kind: 'any' }, { kind: 'any' }],
    [
      'a command',
      { kind: 'argv', command: "git log 'a b'", options: ' --short  -1 ', operands: 'any', others: 'cwd *' },
      {
        kind: 'argv',
        argv: ['git', 'log', 'a b'],
        options: ['--short', '-1'],
        operands: 'any',
        fields: { cwd: { any: true } },
      },
    ],
  ])('may be about %s', (_, typed, match) => {
    expect(draftIn({ ...form, ...typed }, NOW)).toMatchObject({ draft: { match } });
  });

  it.each([
    ['days', { days: '' }],
    ['days', { days: '367' }],
    ['days', { days: 'soon' }],
    ['uses', { uses: '1.5' }],
    ['uses', { uses: 'x' }],
    ['fields', { fields: 'name' }],
    ['fields', { fields: 'name * more' }],
    ['fields', { fields: 'name = 1\nname = 2' }],
    ['command', { kind: 'argv', command: 'ls | sh' }],
    ['others', { kind: 'argv', command: 'ls', others: '=' }],
    ['operands', { kind: 'argv', command: 'ls', operands: 'some' }],
    ['kind', { kind: 'other' }],
    ['effect', { effect: 'maybe' }],
    ['tool', { tool: '' }],
    ['note', { note: 'x'.repeat(201) }],
    ['must', { must: 'x'.repeat(4_097) }],
    ['mustNot', { mustNot: 'x'.repeat(4_097) }],
  ])('is put right at %s', (field, typed) => {
    const read = draftIn({ ...form, ...typed }, NOW);
    expect('problems' in read && Object.keys(read.problems)).toEqual([field]);
  });

  it('comes back as it was typed', () => {
    const read = draftIn({ ...form, machine: 'mini', uses: '3', note: 'why' }, NOW);
    if (!('draft' in read)) throw new Error('refused');
    expect(draftIn(formOfDraft(read.draft, NOW), NOW)).toEqual(read);
  });
});

describe('arguments, one a line', () => {
  it('read what they write', () => {
    const name = fc.stringMatching(/^[a-z_]{1,12}$/);
    const match = fc.oneof(
      fc.record({ equals: fc.jsonValue() }),
      fc.record({ regex: fc.stringMatching(/^[!-~]([ -~]*[!-~])?$/) }),
      fc.constant({ any: true as const }),
    );
    holdsFor(fc.dictionary(name, match, { noNullPrototype: true }), (fields) => {
      const read = readFields(writeFields(fields));
      // In JSON, -0 is 0.
      const plain = JSON.parse(JSON.stringify(fields));
      expect('fields' in read && JSON.parse(JSON.stringify(read.fields))).toEqual(plain);
    });
  });

  it('may have the names that objects have', () => {
    const read = readFields('__proto__ = 1\nconstructor *');
    expect('fields' in read && Object.keys(read.fields)).toEqual(['__proto__', 'constructor']);
  });
});

describe('a problem of meaning', () => {
  it('stands at its field, and one that has none where the calls are described', () => {
    const problem = (code: string) => ({ code, message: `${code}.`, suggestion: 'Mend it.' });
    expect(problemsAt([problem('expired'), problem('no_example'), problem('crosses_quote')], 'json')).toEqual(
      {
        days: 'expired. Mend it.',
        must: 'no_example. Mend it.',
        regex: 'crosses_quote. Mend it.',
      },
    );
    expect(problemsAt([problem('empty_argv'), problem('launcher')], 'argv')).toEqual({
      command: 'empty_argv. Mend it. launcher. Mend it.',
    });
    expect(problemsAt([problem('whatever')], 'any')).toEqual({ kind: 'whatever. Mend it.' });
  });
});
