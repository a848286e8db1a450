import * as z from 'zod';
import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
import { sha256 } from './call-digest.ts';
import { isRecord } from './is-record.ts';
import { canonicalJson } from './json.ts';

/** Gives the JSON Schema of what a caller sends. */
export function inputSchema(contract: AnyContract): JsonSchema {
  return contract.rawInput ?? jsonSchema(contract.input, 'input');
}

/** Gives the JSON Schema of what a caller gets back. */
export function outputSchema(contract: AnyContract): JsonSchema {
  return contract.rawOutput ?? jsonSchema(contract.output, 'output');
}

/**
 * Gives the input schema for a list of tools. A model reads the whole list before each conversation, so it lacks what
 * seldom helps: limits that nobody comes near, defaults that go without saying, a ban on other fields, and words for the
 * fields that most tools share, which the server's instructions explain once. Calls are checked against the whole schema.
 */
export function listedInput(contract: AnyContract): JsonSchema {
  return contract.rawInput ?? jsonSchema(contract.input, 'input', forInputs);
}

/**
 * Gives the output schema for a list of tools: which fields a result has, and of which type. A result speaks for itself,
 * so the list has no words, no limits, and nothing of the fields inside of fields.
 */
export function listedOutput(contract: AnyContract): JsonSchema {
  return contract.rawOutput ?? jsonSchema(contract.output, 'output', forOutputs);
}

/** Lists the fields that a schema describes for an object at this place within a value. */
export function fieldsAt(schema: JsonSchema, place: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const step of place) at = isRecord(at) ? partAt(at, String(step)) : undefined;
  return isRecord(at) && isRecord(at.properties) ? Object.keys(at.properties) : [];
}

function partAt({ properties, items, additionalProperties }: JsonSchema, step: string): unknown {
  if (isRecord(properties) && Object.hasOwn(properties, step)) return properties[step];
  return isRecord(items) ? items : additionalProperties;
}

type Form = (schema: JsonSchema) => JsonSchema;
const memo = new WeakMap<z.ZodType, Map<Form, Partial<Record<'input' | 'output', JsonSchema>>>>();

function jsonSchema(schema: z.ZodType, io: 'input' | 'output', form: Form = wholly): JsonSchema {
  const forms = memo.get(schema) ?? new Map<Form, Partial<Record<'input' | 'output', JsonSchema>>>();
  memo.set(schema, forms);
  const made = forms.get(form) ?? {};
  forms.set(form, made);
  const known = made[io];
  if (known) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io });
  const formed = form(json);
  made[io] = formed;
  return formed;
}

/** Gives a schema with each of its nodes changed, and leaves the schema itself as it is. */
function everywhere(schema: JsonSchema, change: Form): JsonSchema {
  const inside = (value: unknown): unknown => (isRecord(value) ? everywhere(value, change) : value);
  const made: Record<string, unknown> = { ...change(schema) };
  for (const key of ['items', 'additionalProperties', 'propertyNames'])
    if (isRecord(made[key])) made[key] = inside(made[key]);
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const several = made[key];
    if (Array.isArray(several)) made[key] = several.map(inside);
  }
  if (isRecord(made.properties))
    made.properties = Object.fromEntries(
      Object.entries(made.properties).map(([name, field]) => [name, inside(field)]),
    );
  return made;
}

function wholly(schema: JsonSchema): JsonSchema {
  return everywhere(schema, ({ listed: _, ...node }) => {
    const { pattern: __, ...rest } = node;
    // Zod's regex beside `format` repeats the format in 400 characters.
    return node.format ? rest : node;
  });
}

/** Beyond these, the limit of a number keeps no model from anything. */
const MUCH = 10_000;
const LITTLE = 1;

const forInputs: Form = (schema) => everywhere(schema, shortened);

function shortened(node: JsonSchema): JsonSchema {
  const { listed, description, default: given, minimum, maximum, minItems, additionalProperties } = node;
  const words = listed ?? description;
  const more = {
    ...(words ? { description: words } : {}),
    ...(given === undefined || given === false || given === 0 ? {} : { default: given }),
    ...(typeof minimum === 'number' && minimum > LITTLE ? { minimum } : {}),
    ...(typeof maximum === 'number' && maximum <= MUCH ? { maximum } : {}),
    ...(typeof minItems === 'number' && minItems > LITTLE ? { minItems } : {}),
    ...(isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0
      ? { additionalProperties }
      : {}),
  };
  const kept = Object.entries(node).filter(([key]) => !LEFT_OUT.has(key));
  return { ...Object.fromEntries(kept), ...more };
}

/** What a node of a listed input has not, or says anew. */
const LEFT_OUT = new Set([
  ...['minLength', 'maxLength', 'pattern', 'format', 'additionalProperties'],
  ...['listed', 'description', 'default', 'minimum', 'maximum', 'minItems'],
]);

function forOutputs({ type, properties = {} }: JsonSchema): JsonSchema {
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  return { type, properties: Object.fromEntries(fields.map(([name, field]) => [name, typeOnly(field)])) };
}

function typeOnly({ type, anyOf, items }: JsonSchema): JsonSchema {
  const types = Array.isArray(anyOf) ? anyOf.filter(isRecord).map((one) => one.type) : type;
  return { type: types, ...(isRecord(items) ? { items: { type: items.type } } : {}) };
}

const schemaHashes = new WeakMap<AnyContract, string>();

/** Gives the hash that stands for a tool's input schema in a call's digest. */
export function schemaHash(contract: AnyContract): string {
  let hash = schemaHashes.get(contract);
  if (hash === undefined) {
    hash = sha256(canonicalJson(inputSchema(contract)));
    schemaHashes.set(contract, hash);
  }
  return hash;
}
