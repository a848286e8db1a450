import { setTimeout as wait } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { errorText } from '../../../src/core/error-text.ts';
import { VERSION } from '../../../src/core/version.ts';
import { CliError } from '../../lib/exit.ts';

/** The time that a machine has to come back if it just lost its connection. */
const RETURN_MS = 5_000;
const LOOK_MS = 200;

const listed = z.object({
  machines: z.array(z.object({ name: z.string(), online: z.boolean(), tools: z.array(z.string()) })),
});

interface CheckedMachine {
  readonly name: string;
  /** Asks the machine, and rejects if no answer comes. */
  ping(): Promise<unknown>;
}

/** Tries the whole path as a connector would, over real MCP and on to the machine, and names the hop that fails. */
export async function selfCheck(mcpUrl: string, token: string, machine: CheckedMachine): Promise<void> {
  const client = new Client({ name: 'bowline-up', version: VERSION });
  let hop = `connecting to ${mcpUrl}`;
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(JSON.stringify(result.content));
    return result.structuredContent;
  };
  try {
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
    hop = 'listing the tools';
    const { tools } = await client.listTools();
    if (!tools.some((tool) => tool.name === 'hello')) throw new Error('hello is not among them');
    hop = 'calling hello';
    await call('hello', { name: 'Bowline' });
    hop = `finding ${machine.name} among the machines`;
    const own = await untilOnline(machine.name, async () => listed.parse(await call('list_machines', {})));
    hop = `reaching ${machine.name}`;
    await machine.ping();
    if (own.tools.includes('list_dir')) {
      hop = `calling list_dir on ${machine.name}`;
      await call('list_dir', { path: '.', machine: machine.name });
    }
  } catch (error) {
    const why = errorText(error);
    throw new CliError(
      `The self-check failed at ${hop}: ${why}`,
      'The logs of the gateway and the bridge are in the state folder, under logs/.',
    );
  } finally {
    await client.close().catch(() => undefined);
  }
}

async function untilOnline(wanted: string, list: () => Promise<z.infer<typeof listed>>) {
  const deadline = performance.now() + RETURN_MS;
  for (;;) {
    const { machines } = await list();
    const own = machines.find(({ name }) => name === wanted);
    if (own?.online) return own;
    if (!own) throw new Error('it is not there');
    if (performance.now() >= deadline) throw new Error('it is not connected');
    await wait(LOOK_MS);
  }
}
