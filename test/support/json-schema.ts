import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../contracts/contract.ts';

type Validator = (value: unknown) => boolean;

const made = new WeakMap<JsonSchema, Validator>();

/** Tells whether values fit a published schema, as a validator sees it that has never heard of zod. */
export function validatorOf(schema: JsonSchema): Validator {
  // Making one takes longer than most of what it is made for.
  const known = made.get(schema) ?? newValidator(schema);
  made.set(schema, known);
  return known;
}

function newValidator(schema: JsonSchema): Validator {
  // `strict` makes an unknown keyword an error; unions of types are something a schema may well say.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  const validate = ajv.compile(schema);
  return (value) => validate(value) === true;
}

/** Every schema inside a schema with the place where it stands, itself first. */
export function* schemasIn(schema: JsonSchema, path = ''): Generator<[path: string, schema: JsonSchema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(record(schema.properties))) {
    yield* schemasIn(record(property), path ? `${path}.${name}` : name);
  }
  for (const item of [schema.items, schema.additionalProperties, schema.propertyNames]) {
    if (isRecord(item)) yield* schemasIn(item, `${path}[]`);
  }
  for (const branch of branchesOf(schema)) yield* schemasIn(branch, path);
}

export interface Mutation {
  readonly about: string;
  readonly value: unknown;
}

/** Values of every type, and some beyond every bound that a schema could have forgotten to state. */
const ANYTHING: readonly unknown[] = [
  ...[null, true, 0, -1, 0.5, 1e9, 2 ** 53, '', 'text', ' ', '\n', '../x', 'x'.repeat(2_000_000)],
  ...[[], [null], Array(2_000).fill('x'), {}, { a: 1 }],
];

/** Variations of a value, most of them bad: other types, just inside and outside every bound, keys missing and extra. */
export function* mutations(schema: JsonSchema, value: unknown, path = '$'): Generator<Mutation> {
  for (const other of ANYTHING) yield { about: `${path} is ${shortly(other)}`, value: other };
  for (const other of atBounds(schema)) yield { about: `${path} is ${shortly(other)}`, value: other };
  for (const branch of branchesOf(schema)) yield* mutations(branch, value, path);
  if (isRecord(value) && schema.type === 'object') yield* objectMutations(schema, value, path);
  if (Array.isArray(value) && isRecord(schema.items)) {
    for (const { about, value: item } of mutations(schema.items, value[0], `${path}[]`)) {
      yield { about, value: [...value, item] };
    }
  }
}

/** Says how a value begins. Writing all of a long one down would take longer than judging it. */
function shortly(value: unknown): string {
  const start = typeof value === 'string' || Array.isArray(value) ? value.slice(0, 40) : value;
  return JSON.stringify(start).slice(0, 40);
}

function* objectMutations(
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: string,
): Generator<Mutation> {
  yield { about: `${path} has an extra key`, value: { ...value, not_a_field: 1 } };
  for (const key of Object.keys(value)) {
    const { [key]: _, ...without } = value;
    yield { about: `${path} lacks ${key}`, value: without };
  }
  for (const [key, property] of Object.entries(record(schema.properties))) {
    for (const { about, value: other } of mutations(record(property), value[key], `${path}.${key}`)) {
      yield { about, value: { ...value, [key]: other } };
    }
  }
}

/** Values on both sides of each bound that a schema states. */
function* atBounds(schema: JsonSchema): Generator<unknown> {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  for (const length of around(minLength, maxLength)) {
    yield 'x'.repeat(length);
    // One character to a schema, two code units to a program.
    yield '😀'.repeat(length);
  }
  for (const number of around(minimum, maximum)) yield number;
  if (typeof minimum === 'number') yield minimum + 0.5;
  for (const length of around(minItems, maxItems)) yield Array(length).fill('x');
}

function around(...bounds: unknown[]): number[] {
  const numbers = bounds.filter((bound) => typeof bound === 'number');
  return numbers.flatMap((bound) => [bound - 1, bound, bound + 1]).filter((bound) => bound >= 0);
}

function branchesOf(schema: JsonSchema): JsonSchema[] {
  return [schema.anyOf, schema.oneOf, schema.allOf].flatMap((branches) =>
    Array.isArray(branches) ? branches.filter(isRecord) : [],
  );
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
