import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { VERSION } from '../../src/core/version.ts';
import { CliError } from '../exit.ts';

/** Calls `hello` as a connector would, over real MCP, and names the hop that fails. */
export async function selfCheck(mcpUrl: string, token?: string): Promise<void> {
  const client = new Client({ name: 'bowline-up', version: VERSION });
  let hop = `connecting to ${mcpUrl}`;
  try {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
    hop = 'listing the tools';
    const { tools } = await client.listTools();
    if (!tools.some((tool) => tool.name === 'hello')) throw new Error('hello is not among them');
    hop = 'calling hello';
    const result = await client.callTool({ name: 'hello', arguments: { name: 'Bowline' } });
    if (result.isError) throw new Error(JSON.stringify(result.content));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `The self-check failed at ${hop}: ${why}`,
      'The gateway’s log is in the state folder, under logs/.',
    );
  } finally {
    await client.close().catch(() => undefined);
  }
}
