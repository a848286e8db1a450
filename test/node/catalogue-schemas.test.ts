import { describe, expect, it } from 'vitest';
import type { ZodType } from 'zod';
import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
import { catalogue } from '../../contracts/index.ts';
import { inputSchema, outputSchema } from '../../src/core/schema.ts';
import { mutations, schemasIn, validatorOf } from '../support/json-schema.ts';

const contracts: [string, AnyContract][] = Object.entries(catalogue);

/** What a schema says of itself and what is published of it, with values that fit both. */
interface Side {
  readonly zod: ZodType;
  readonly published: JsonSchema;
  readonly examples: readonly unknown[];
}

const sidesOf = (contract: AnyContract): Record<'input' | 'output', Side> => ({
  input: {
    zod: contract.input,
    published: inputSchema(contract),
    examples: contract.examples.map(({ input }) => input),
  },
  output: {
    zod: contract.output,
    published: outputSchema(contract),
    examples: contract.examples.map(({ output }) => output),
  },
});

/** Why zod refuses a value, apart from rules over several fields, which JSON Schema has no words for. */
function complaints(schema: ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).filter(({ code }) => code !== 'custom').map(({ code }) => code);
}

describe.each(contracts)('%s', (_, contract) => {
  const sides = sidesOf(contract);

  describe.each(['input', 'output'] as const)('%s', (name) => {
    const { zod, published, examples } = sides[name];

    it('is an object with no room for unknown keys', () => {
      expect(published).toMatchObject({ type: 'object', additionalProperties: false });
      for (const [path, schema] of schemasIn(published)) {
        // An object inside may keep other keys, but has to say whether it does.
        if (schema.type === 'object') expect(schema, path).toHaveProperty('additionalProperties');
      }
    });

    it('describes every property at every depth', () => {
      for (const [path, schema] of schemasIn(published)) {
        for (const [key, property] of Object.entries(
          (schema.properties ?? {}) as Record<string, JsonSchema>,
        )) {
          expect(property.description, `${path}.${key}`).toMatch(/^\S.{3,}\.$/s);
        }
      }
    });

    it('can be read on its own', () => {
      for (const [path, schema] of schemasIn(published)) expect(schema, path).not.toHaveProperty('$ref');
    });

    it('accepts every example, as zod and as JSON Schema', () => {
      const fits = validatorOf(published);
      for (const example of examples) {
        expect(zod.safeParse(example).error).toBeUndefined();
        expect(fits(example)).toBe(true);
      }
    });

    it('refuses a key that it does not know, as zod and as JSON Schema', () => {
      const fits = validatorOf(published);
      for (const example of examples) {
        const extended = { ...(example as object), not_a_field: 1 };
        expect(complaints(zod, extended)).toEqual(['unrecognized_keys']);
        expect(fits(extended)).toBe(false);
      }
    });

    it('means as JSON Schema what it means as zod', () => {
      const fits = validatorOf(published);
      let refused = 0;
      const unlike: string[] = [];
      for (const example of examples) {
        for (const { about, value } of mutations(published, example)) {
          const isFine = complaints(zod, value).length === 0;
          if (fits(value) !== isFine) unlike.push(`${about}: zod ${isFine ? 'takes' : 'refuses'} it`);
          if (!isFine) refused += 1;
        }
      }
      expect(unlike).toEqual([]);
      // Everything but an object, at the least.
      expect(refused).toBeGreaterThan(10);
    });
  });

  it('fits into what Claude reads', () => {
    expect(JSON.stringify(sides.input.published).length).toBeLessThan(16_384);
  });

  it('requires no field that has a default', () => {
    const { properties = {}, required = [] } = sides.input.published as {
      properties?: Record<string, object>;
      required?: string[];
    };
    for (const field of required) expect(properties[field], field).not.toHaveProperty('default');
  });

  it('says of each example what it shows, and of what varies in it, where', () => {
    const titles = contract.examples.map(({ about }) => about);
    expect(new Set(titles).size).toBe(titles.length);
    for (const { about, output, varies = [] } of contract.examples) {
      expect(about).toMatch(/^[a-z].*[^.]$/);
      for (const path of varies) expect(output, about).toHaveProperty(path.split('.'));
    }
  });

  it('says in one line what happened', () => {
    for (const { output } of contract.examples) {
      const line = contract.headline?.(output);
      expect(line).toMatch(/^\S[^\n]*$/);
    }
  });
});
