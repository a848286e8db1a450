import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { argsOf, type Field, fieldsOf, inputName, textsOf } from '../../../src/console/tools/form-args.ts';
import { inputSchema } from '../../../src/core/schema.ts';

const fields = fieldsOf({
  properties: {
    note: { type: 'string', maxLength: 100, description: 'A note.' },
    content: { type: 'string' },
    lines: { type: 'integer', default: 10 },
    repeat: { type: 'boolean', default: false },
    kind: { type: 'string', enum: ['a', 'b'] },
    list: { type: 'array' },
    either: { anyOf: [{ type: 'object' }, { type: 'string' }] },
    ['__proto__']: { type: 'string', maxLength: 10 },
  },
  required: ['content', 'kind'],
});

/** The arguments that come of a form filled in so, as a browser sends it. */
function sent(texts: Record<string, string>) {
  const form = new URLSearchParams();
  for (const [name, text] of Object.entries(texts)) form.set(`arg.${name}`, text.replaceAll('\n', '\r\n'));
  return argsOf(fields, form);
}

describe('the fields of a form', () => {
  it('are the properties of the schema, required ones first', () => {
    expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['content', 'long', true],
      ['kind', 'choice', true],
      ['note', 'text', false],
      ['lines', 'number', false],
      ['repeat', 'flag', false],
      ['list', 'json', false],
      ['either', 'json', false],
      ['__proto__', 'text', false],
    ]);
    expect(fields.find(({ name }) => name === 'lines')).toMatchObject({ initial: '10', hint: '' });
  });

  it('are none for a schema that says nothing of properties, or nonsense', () => {
    for (const schema of [{}, { properties: null }, { properties: [] }, { properties: 'no' }]) {
      expect(fieldsOf(schema)).toEqual([]);
    }
    expect(fieldsOf({ properties: { odd: null }, required: 'odd' })).toMatchObject([
      { name: 'odd', kind: 'json', required: false },
    ]);
  });
});

describe('the arguments of a form', () => {
  it('keep the line ends that were typed, and leave out what was left empty', () => {
    expect(sent({ content: 'one\ntwo\n', kind: 'a', note: '', lines: '' })).toEqual({
      args: { content: 'one\ntwo\n', kind: 'a' },
    });
  });

  it('hold an empty text where one is required', () => {
    expect(sent({ content: '', kind: 'a' })).toEqual({ args: { content: '', kind: 'a' } });
  });

  it('have the types of their schema', () => {
    expect(
      sent({ content: '5', kind: 'b', lines: '-3', repeat: 'false', list: '[1, "x"]', either: '{"a":1}' }),
    ).toEqual({
      args: { content: '5', kind: 'b', lines: -3, repeat: false, list: [1, 'x'], either: { a: 1 } },
    });
  });

  it('leave to the door what is no number', () => {
    expect(sent({ content: '', lines: '1e999' })).toEqual({ args: { content: '', lines: '1e999' } });
  });

  it('take text that is no JSON only where the schema takes text', () => {
    expect(sent({ either: '- a line' })).toEqual({ args: { content: '', either: '- a line' } });
    expect(sent({ either: '5' })).toEqual({ args: { content: '', either: '5' } });
    expect(sent({ either: '"{}"' })).toEqual({ args: { content: '', either: '{}' } });
    expect(sent({ list: '[1,' })).toEqual({ problem: expect.stringContaining('list: ') });
    expect(sent({ list: '{"a":1,"a":2}' })).toEqual({ problem: expect.stringContaining('list: ') });
  });

  it('hold a property of any name as their own', () => {
    const answer = sent({ content: '', ['__proto__']: 'mine' });
    if ('problem' in answer) throw new Error(answer.problem);
    expect(Object.getPrototypeOf(answer.args)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(answer.args, '__proto__')?.value).toBe('mine');
  });
});

describe('every example of the catalogue', () => {
  const examples = Object.values(catalogue).flatMap((contract) =>
    contract.examples.map((example) => [`${contract.wireName} ${example.about}`, contract, example] as const),
  );
  it.each(examples)('goes through its form and comes out the same: %s', (_, contract, { input }) => {
    const ofTool: Field[] = fieldsOf(inputSchema(contract));
    const form = new URLSearchParams();
    for (const [name, text] of textsOf(ofTool, input as Record<string, unknown>)) form.set(name, text);
    const answer = argsOf(ofTool, form);
    if ('problem' in answer) throw new Error(answer.problem);
    expect(contract.input.parse(answer.args)).toEqual(contract.input.parse(input));
  });
});

it('names its fields so that none is taken for one of the form', () => {
  expect(inputName({ name: 'csrf' })).toBe('arg.csrf');
});
