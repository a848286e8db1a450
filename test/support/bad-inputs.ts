import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
import { inputSchema } from '../../src/core/schema.ts';

export interface BadInput {
  readonly about: string;
  readonly field: string;
  readonly input: Record<string, unknown>;
}

/** Every way to get one field wrong that the published schema lets one think of, each beside good others. */
export function badInputs(contract: AnyContract): BadInput[] {
  const schema = inputSchema(contract);
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  const good = contract.examples[0].input as Record<string, unknown>;
  const cases: BadInput[] = [];
  const add = (field: string, what: string, value: unknown) =>
    cases.push({ about: `${field} ${what}`, field, input: { ...good, [field]: value } });
  for (const field of required) {
    const { [field]: _, ...rest } = good;
    cases.push({ about: `${field} missing`, field, input: rest });
  }
  for (const [field, property] of Object.entries(properties)) {
    for (const [what, value] of wrongValues(property)) add(field, what, value);
  }
  add('no_such_field', 'unknown', 'x');
  return cases;
}

/** Values just inside the bounds, which must not be refused for their size. */
export function boundaryValues(property: JsonSchema): [what: string, value: unknown][] {
  const { minLength, maxLength, minimum, maximum } = property as Record<string, number | undefined>;
  return [
    ...(minLength === undefined
      ? []
      : ([['at its least length', 'a'.repeat(minLength)]] as [string, unknown][])),
    ...(maxLength === undefined
      ? []
      : ([['at its greatest length', 'a'.repeat(maxLength)]] as [string, unknown][])),
    ...(isBound(minimum) ? ([['at its least', minimum]] as [string, unknown][]) : []),
    ...(isBound(maximum) ? ([['at its greatest', maximum]] as [string, unknown][]) : []),
  ];
}

function wrongValues(property: JsonSchema): [what: string, value: unknown][] {
  const { minLength, maxLength, minimum, maximum, pattern } = property as Record<string, number | undefined>;
  const values: [string, unknown][] = [['of the wrong type', wrongType(property)]];
  if (property.type === undefined && property.enum === undefined) return values;
  values.push(['null', null]);
  if (minLength !== undefined && minLength > 0) values.push(['one too short', 'a'.repeat(minLength - 1)]);
  if (maxLength !== undefined) values.push(['one too long', 'a'.repeat(maxLength + 1)]);
  if (isBound(minimum)) values.push(['one too small', minimum - 1]);
  if (isBound(maximum)) values.push(['one too great', maximum + 1]);
  if (property.type === 'integer') values.push(['a fraction', 1.5]);
  if (pattern !== undefined) values.push(['against its pattern', '\u0000 "{}<>']);
  if (property.enum !== undefined) values.push(['none of its values', 'none of these']);
  return values;
}

function wrongType(property: JsonSchema): unknown {
  const fits = JSON.stringify(property);
  // A number where text or an object is wanted, and the reverse.
  return /"type":"(?:integer|number)"/.test(fits) ? 'twelve' : 12;
}

function isBound(value: number | undefined): value is number {
  return value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}
