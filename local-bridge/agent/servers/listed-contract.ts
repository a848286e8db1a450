import * as z from 'zod';
import { type AnyContract, type JsonSchema, tool } from '../../../contracts/contract.ts';
import { META } from '../../../src/core/meta-names.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bearerFor, reach } from '../../lib/gateway-client.ts';

const schema = z.record(z.string(), z.unknown());
const listed = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      inputSchema: schema,
      outputSchema: schema.optional(),
      _meta: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

/**
 * Makes the contract of a tool that only a gateway knows, from the gateway's list. It is enough to read arguments for
 * the tool and to show its result.
 */
export async function listedContract(url: string, name: string): Promise<AnyContract> {
  const response = await reach(`${url}/tools`, { headers: await bearerFor(url) });
  const { tools } = listed.parse(await response.json());
  const found = tools.find((one) => one.name === name);
  if (!found) {
    const suggestion = 'Run `bowline servers list` to see what joined servers offer.';
    throw new CliError(`There is no tool called ${JSON.stringify(name)}.`, suggestion, EXIT.usage);
  }
  const { inputSchema, outputSchema, description, _meta } = found;
  const reads = _meta?.[`${META}/risk`] === 'read_only';
  return tool({
    name,
    title: name,
    description,
    runsOn: 'gateway',
    risk: reads ? 'read_only' : 'dangerous',
    approval: reads ? 'never' : 'ask',
    limits: { perMinute: 60, timeoutMs: 60_000 },
    hints: { readOnly: reads, destructive: !reads, idempotent: reads, openWorld: true },
    // The gateway checks both against the schemas; here they are only read and shown.
    input: schema,
    output: schema,
    errors: {},
    examples: [{ about: 'nothing: its server gives none', input: {}, output: {} }],
    rawInput: inputSchema as JsonSchema,
    ...(outputSchema ? { rawOutput: outputSchema as JsonSchema } : {}),
  });
}
