import * as z from 'zod';
import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
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

const memo = new WeakMap<z.ZodType, Map<'input' | 'output', JsonSchema>>();

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const made = memo.get(schema) ?? new Map<'input' | 'output', JsonSchema>();
  memo.set(schema, made);
  let json = made.get(io);
  if (!json) {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: dropFormatPattern });
    json = rest;
    made.set(io, json);
  }
  return json;
}

/** Drops zod's regex beside `format`: it repeats the format in 400 characters that every model would read. */
function dropFormatPattern({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format) delete jsonSchema.pattern;
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
