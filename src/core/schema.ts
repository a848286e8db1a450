import * as z from 'zod';
import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
import { sha256 } from './call-digest.ts';
import { canonicalJson } from './json.ts';

/** What a caller has to send, as JSON Schema. */
export function inputSchema(contract: AnyContract): JsonSchema {
  return contract.rawInput ?? jsonSchema(contract.input, 'input');
}

/** What a caller gets back, as JSON Schema. */
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

/** `format` already says it; zod's regex beside it is 400 characters that every model would read. */
function dropFormatPattern({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format) delete jsonSchema.pattern;
}

const schemaHashes = new WeakMap<AnyContract, string>();

/** What identifies a tool's input schema in a call's digest. */
export function schemaHash(contract: AnyContract): string {
  let hash = schemaHashes.get(contract);
  if (hash === undefined) {
    hash = sha256(canonicalJson(inputSchema(contract)));
    schemaHashes.set(contract, hash);
  }
  return hash;
}
