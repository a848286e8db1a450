import * as z from 'zod';
import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
import { effectInput, machineInput, rootInput } from '../../contracts/machine-fields.ts';
import { sha256 } from './call-digest.ts';
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
 * seldom helps: the limits of texts, a ban on other fields, and all but a few words for the fields that most tools share,
 * which the server's instructions explain once. Calls are checked against the whole schema.
 */
export function listedInput(contract: AnyContract): JsonSchema {
  return contract.rawInput ?? jsonSchema(contract.input, 'input', shorten);
}

/** Gives the output schema for a list of tools, without limits and descriptions: a result speaks for itself. */
export function listedOutput(contract: AnyContract): JsonSchema {
  return contract.rawOutput ?? jsonSchema(contract.output, 'output', dropAllWords);
}

type Drop = (node: { jsonSchema: z.core.JSONSchema.BaseSchema }) => void;
const memo = new WeakMap<z.ZodType, Map<Drop, Partial<Record<'input' | 'output', JsonSchema>>>>();

function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  override: Drop = dropFormatPattern,
): JsonSchema {
  const forms = memo.get(schema) ?? new Map<Drop, Partial<Record<'input' | 'output', JsonSchema>>>();
  memo.set(schema, forms);
  const made = forms.get(override) ?? {};
  forms.set(override, made);
  const known = made[io];
  if (known) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, override });
  made[io] = json;
  return json;
}

/** Drops zod's regex beside `format`: it repeats the format in 400 characters that every model would read. */
function dropFormatPattern({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format) delete jsonSchema.pattern;
}

function dropTextLimits({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.minLength;
  delete jsonSchema.maxLength;
  delete jsonSchema.pattern;
  // No limit at all: the largest whole number that JavaScript knows.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

const SHORT_WORDS: ReadonlyMap<string | undefined, string> = new Map([
  [machineInput.machine.description, 'A machine.'],
  [rootInput.root.description, 'An open folder.'],
  [effectInput.idempotency_key.description, 'For retries.'],
  [effectInput.repeat.description, 'Run it again.'],
  [effectInput.reason.description, 'Why, for the owner.'],
]);

function shorten(node: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { jsonSchema } = node;
  dropTextLimits(node);
  const short = SHORT_WORDS.get(jsonSchema.description);
  if (short !== undefined) jsonSchema.description = short;
  const others = jsonSchema.additionalProperties;
  if (others === false || JSON.stringify(others) === '{}') delete jsonSchema.additionalProperties;
}

function dropAllWords(node: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { jsonSchema } = node;
  dropTextLimits(node);
  for (const word of ['description', 'minimum', 'maximum', 'additionalProperties'] as const)
    delete jsonSchema[word];
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
