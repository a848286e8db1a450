import { MCPServerStreamableHttp, setTracingDisabled } from '@openai/agents';
import type { Answer, Client, Endpoint } from '../client.ts';
import { notedProtocol } from '../noted-protocol.ts';
import { bearer } from '../surroundings.ts';
import { textIn } from './sdk.ts';

/** Its server object alone, as an agent holds it: no model is asked anything. */
export async function openaiAgents({ mcp, token }: Endpoint): Promise<Client> {
  const protocol = notedProtocol();
  // Traces would be sent to its makers.
  setTracingDisabled(true);
  const server = new MCPServerStreamableHttp({
    url: mcp,
    name: 'bowline',
    requestInit: { headers: bearer(token) },
  });
  await server.connect();
  return {
    protocol,
    listTools: () => server.listTools(),
    cancels: true,
    call: async (name, args, options) => (await server.callToolResult(name, args, null, options)) as Answer,
    listResources: async () => (await server.listResources()).resources,
    readResource: async (uri) => textIn((await server.readResource(uri)).contents[0]),
    close: () => server.close(),
  };
}
