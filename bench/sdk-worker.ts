import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { catalogue } from '../contracts/index.ts';

/** The protocol's own handler, as its documentation shows it, with the same tools and nothing else. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  for (const { wireName, description, input, output, examples } of Object.values(catalogue)) {
    const [example] = examples;
    const answer = {
      content: [{ type: 'text' as const, text: JSON.stringify(example.output) }],
      structuredContent: example.output,
    };
    server.registerTool(wireName, { description, inputSchema: input, outputSchema: output }, () => answer);
  }
  return server;
});

export default { fetch: (request: Request) => handler.fetch(request) } satisfies ExportedHandler;
