import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import type { Answer, Client, Endpoint } from '../client.ts';
import { bearer } from '../surroundings.ts';
import { textIn } from './sdk.ts';

/** Calls go through the tools that it makes for `generateText` and its kind. */
export async function aiSdk({ mcp, token }: Endpoint): Promise<Client> {
  const client = await createMCPClient({
    transport: { type: 'http', url: mcp, headers: bearer(token) },
    capabilities: { elicitation: { form: {} } } as never,
  });
  const asked: string[] = [];
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: {} };
  });
  const tools = await client.tools();
  return {
    asked,
    protocol: async () => client.initializeResult.protocolVersion,
    serverName: () => client.serverInfo.name,
    listTools: async () => (await client.listTools()).tools,
    cancels: true,
    call: async (name, args, { signal } = { signal: new AbortController().signal }) => {
      const tool = tools[name];
      if (!tool) throw new Error(`It made no tool of ${name}.`);
      const options = { toolCallId: 'interop', messages: [], context: undefined, abortSignal: signal };
      return (await tool.execute(args, options as never)) as Answer;
    },
    listResources: async () => (await client.listResources()).resources,
    readResource: async (uri) => textIn((await client.readResource({ uri })).contents[0]),
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async (name, args) =>
      textIn((await client.getPrompt({ name, arguments: args })).messages[0]?.content) ?? '',
    close: () => client.close(),
  };
}
