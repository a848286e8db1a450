import { setTimeout as wait } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { VERSION } from '../../../src/core/version.ts';
import { CliError } from '../../lib/exit.ts';
import { networkFailure } from '../../lib/network-failure.ts';

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
  let hop = `connecting to ${mcpUrl}`;
  let client: Client | undefined;
  try {
    const met = await twice(() => connect(mcpUrl, token));
    client = met;
    hop = 'listing the tools';
    const { tools } = await twice(() => met.listTools());
    if (!tools.some((tool) => tool.name === 'hello')) throw new Error('hello is not among them');
    hop = 'calling hello';
    await call(met, 'hello', { name: 'Bowline' });
    hop = `finding ${machine.name} among the machines`;
    const own = await untilOnline(met, machine.name);
    hop = `reaching ${machine.name}`;
    await machine.ping();
    if (own.tools.includes('list_dir')) {
      hop = `calling list_dir on ${machine.name}`;
      await call(met, 'list_dir', { path: '.', machine: machine.name });
    }
  } catch (error) {
    throw new CliError(
      `The self-check failed at ${hop}: ${networkFailure(error).why}`,
      'The logs of the gateway and the bridge are in the state folder, under logs/.',
    );
  } finally {
    await client?.close().catch(() => undefined);
  }
}

async function connect(mcpUrl: string, token: string): Promise<Client> {
  const client = new Client({ name: 'bowline-up', version: VERSION });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
  return client;
}

/**
 * Asks once more if the connection ends without an answer. On a busy computer a connection kept from an earlier request
 * can be gone by the time the next one leaves. Everything that is asked here only reads.
 */
async function twice<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (networkFailure(error).code === '') throw error;
    return ask();
  }
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<unknown> {
  const result = await twice(() => client.callTool({ name, arguments: args }));
  if (result.isError) throw new Error(JSON.stringify(result.content));
  return result.structuredContent;
}

async function untilOnline(client: Client, wanted: string) {
  const deadline = performance.now() + RETURN_MS;
  for (;;) {
    const { machines } = listed.parse(await call(client, 'list_machines', {}));
    const own = machines.find(({ name }) => name === wanted);
    if (own?.online) return own;
    if (!own) throw new Error('it is not there');
    if (performance.now() >= deadline) throw new Error('it is not connected');
    await wait(LOOK_MS);
  }
}
