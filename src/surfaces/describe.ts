import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
import { sha256 } from '../core/call-digest.ts';
import { canonicalJson } from '../core/json.ts';

/** The `_meta` key prefix under which Bowline says things that MCP has no field for. */
export const META = 'dev.bowline';

/** What a caller has to send, as JSON Schema. */
export function inputSchema(contract: AnyContract): JsonSchema {
  return contract.rawInput ?? jsonSchema(contract.input, 'input');
}

/** What a caller gets back, as JSON Schema. */
export function outputSchema(contract: AnyContract): JsonSchema {
  return contract.rawOutput ?? jsonSchema(contract.output, 'output');
}

/** A tool as MCP's `tools/list` describes it. */
export function mcpTool(contract: AnyContract): Tool {
  const { hints, title } = contract;
  return {
    name: contract.wireName,
    title,
    description: contract.description,
    // A test holds every root to be an object, which is all that MCP's type adds.
    inputSchema: inputSchema(contract) as Tool['inputSchema'],
    outputSchema: outputSchema(contract) as Tool['inputSchema'],
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
    _meta: {
      [`${META}/contract`]: contract.name,
      [`${META}/risk`]: contract.risk,
      [`${META}/approval`]: contract.approval,
    },
  };
}

/** A tool in OpenAI's function format. */
export function openAiFunction(contract: AnyContract) {
  return {
    type: 'function',
    function: {
      name: contract.wireName,
      description: contract.description,
      parameters: inputSchema(contract),
    },
  } as const;
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
