import type { Tool } from '@modelcontextprotocol/server';
import { type AnyContract, describedWhole } from '../../contracts/contract.ts';
import { META } from '../core/meta-names.ts';
import { endpointOf, TRANSPORT } from '../core/registry-entry.ts';
import { inputSchema, listedInput, listedOutput, outputSchema } from '../core/schema.ts';

/** Describes a tool as MCP's `tools/list` does, in few words: each client fetches the list, and each model reads it. */
export function mcpTool(contract: AnyContract): Tool {
  const { hints, name, wireName } = contract;
  return {
    name: wireName,
    title: contract.title,
    description: contract.description,
    // A test makes sure that every root is an object, which is all that MCP's type adds.
    inputSchema: listedInput(contract) as Tool['inputSchema'],
    outputSchema: listedOutput(contract) as Tool['inputSchema'],
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
    _meta: {
      ...(name === wireName ? {} : { [`${META}/contract`]: name }),
      [`${META}/risk`]: contract.risk,
      ...(contract.approval === 'ask' ? { [`${META}/approval`]: 'ask' } : {}),
    },
  };
}

/** Describes a tool for the gateway's registry: with all that its contract says, its ways in and its address. */
export function registryEntry(contract: AnyContract) {
  // Only tools that can be called are listed at all.
  const status = 'active';
  return {
    ...mcpTool(contract),
    description: describedWhole(contract),
    inputSchema: inputSchema(contract),
    outputSchema: outputSchema(contract),
    _meta: {
      [`${META}/contract`]: contract.name,
      [`${META}/risk`]: contract.risk,
      [`${META}/approval`]: contract.approval,
    },
    status,
    transport: TRANSPORT,
    endpoint: endpointOf(contract.wireName),
  } as const;
}

/** Describes a tool in OpenAI's function format. */
export function openAiFunction(contract: AnyContract) {
  return {
    type: 'function',
    function: {
      name: contract.wireName,
      description: contract.description,
      parameters: listedInput(contract),
    },
  } as const;
}
