import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import type { Answer, Client, Endpoint } from '../client.ts';
import { notedProtocol } from '../noted-protocol.ts';
import { bearer } from '../surroundings.ts';
import { textIn } from './sdk.ts';

const SERVER = 'bowline';

/** Calls go through the tools that it makes for agents, whose errors are exceptions. */
export async function langchain({ mcp, token }: Endpoint): Promise<Client> {
  const protocol = notedProtocol();
  const adapter = new MultiServerMCPClient({
    mcpServers: { [SERVER]: { transport: 'http', url: mcp, headers: bearer(token) } },
  });
  const tools = await adapter.getTools();
  const sdk = await adapter.getClient(SERVER);
  if (!sdk) throw new Error('It keeps no client for the server.');
  return {
    protocol,
    serverName: () => sdk.getServerVersion()?.name,
    listTools: async () => tools.map(({ name, schema }) => ({ name, inputSchema: schema })),
    cancels: true,
    call: async (name, args, options) => {
      const tool = tools.find((one) => one.name === name);
      if (!tool) throw new Error(`It made no tool of ${name}.`);
      return answered(tool.invoke({ type: 'tool_call', id: 'interop', name, args }, options));
    },
    listResources: async () => (await adapter.listResources(SERVER))[SERVER] ?? [],
    readResource: async (uri) => (await adapter.readResource(SERVER, uri))[0]?.text,
    listPrompts: async () => (await sdk.listPrompts()).prompts,
    getPrompt: async (name, args) =>
      textIn((await sdk.getPrompt({ name, arguments: args })).messages[0]?.content) ?? '',
    close: () => adapter.close(),
  };
}

interface Message {
  readonly content: string;
  readonly artifact?: readonly { readonly type: string; readonly data: unknown }[];
}

/** What the tool's message says, with what its artifact keeps beside it. */
async function answered(calling: Promise<unknown>): Promise<Answer> {
  try {
    const { content, artifact = [] } = (await calling) as Message;
    return {
      // The message is a block as JSON, and what the model reads is the whole of it.
      content: [JSON.parse(content)],
      structuredContent: artifact.find(({ type }) => type === 'mcp_structured_content')?.data,
    };
  } catch (error) {
    // Any other exception says that there was no answer.
    if (!(error instanceof Error && error.message.includes('returned an error: '))) throw error;
    return { isError: true, content: [{ type: 'text', text: error.message }] };
  }
}
