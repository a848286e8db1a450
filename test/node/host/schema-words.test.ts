import { describe, expect, it } from 'vitest';
import { invalidInput } from '../../../src/core/invalid-input.ts';
import { conform } from '../../../src/joined/conform.ts';
import { joinedContract } from '../../../src/joined/joined-contract.ts';
import { checkOf } from '../../../src/joined/schema.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['a'],
  properties: {
    a: { type: 'integer', minimum: 1, maximum: 5 },
    b: { type: 'string', minLength: 2, maxLength: 3 },
    c: { enum: ['x', 'y'] },
    d: { type: 'array', maxItems: 2, items: { type: 'object', required: ['e'], properties: { e: {} } } },
    k: { const: 3 },
    o: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    n: { type: ['string', 'null'] },
    m: { multipleOf: 2 },
    color: { type: 'string' },
    lines: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, properties: { from: {}, to: {} } },
    },
  },
};
const check = checkOf(schema);

describe('what a joined tool’s schema refuses', () => {
  it.each([
    [{}, 'a', 'is required'],
    [3, '', 'must be of the type object'],
    [{ a: 'q' }, 'a', 'must be of the type integer'],
    [{ a: 0 }, 'a', 'must not be below 1'],
    [{ a: 9 }, 'a', 'must not be above 5'],
    [{ a: 1, b: 'q' }, 'b', 'must have at least 2 characters'],
    [{ a: 1, b: 'qqqq' }, 'b', 'must have at most 3 characters'],
    [{ a: 1, c: 'z' }, 'c', 'must be one of "x","y"'],
    [{ a: 1, w: 1 }, 'w', 'is not a field here'],
    [{ a: 1, d: [{}] }, 'd.0.e', 'is required'],
    [{ a: 1, d: [{ e: 1 }, { e: 1 }, { e: 1 }] }, 'd', 'must have at most 2 items'],
    [{ a: 1, k: 4 }, 'k', 'must be 3'],
    [{ a: 1, o: true }, 'o', 'has none of the forms it may have'],
    [{ a: 1, n: 3 }, 'n', 'must be of the type string or null'],
    [{ a: 1, m: 3 }, 'm', 'does not fit its description'],
  ])('is said in words, with its place: %j', (value, place, problem) => {
    const misfit = check(value);
    expect([misfit?.path.join('.'), misfit?.problem]).toEqual([place, problem]);
  });

  it('is nothing for what fits', () => {
    expect(check({ a: 1 })).toBeUndefined();
  });

  it.each([
    [{ a: 'q' }, '`a` must be of the type integer.'],
    [{ a: 1, colour: 1 }, '`colour` is not a field of this tool; did you mean `color`?'],
    [{ a: 1, zzzzzz: 1 }, '`zzzzzz` is not a field of this tool.'],
    [
      { a: 1, lines: [{ from: 1 }, { fron: 1 }] },
      '`lines.1.fron` is not a field of this tool; did you mean `lines.1.from`?',
    ],
  ])('is a sentence for whoever called: %j', (input, message) => {
    const tool = conform('box', {
      ...{ name: 'put', description: 'Puts a thing.' },
      ...{ inputSchema: schema, outputSchema: { type: 'object' } },
    });
    if (!('hash' in tool)) throw new Error(tool.reasons.join(' '));
    const contract = joinedContract({ server: 'box', tool, grade: null, machine: null });
    const read = contract.input.safeParse(input);
    expect(read.error && invalidInput(contract, read.error)).toMatchObject({
      code: 'invalid_input',
      message,
    });
  });
});
