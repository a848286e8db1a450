import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { inbox } from './oauth-inbox.ts';
import { callback } from './oauth-loopback.ts';
import { memoryProvider } from './oauth-memory-provider.ts';

/** A connector of somebody's, signed in by OAuth, that keeps its tokens for as long as the test runs. */
export interface Connector {
  /** Connects; `letIn` is how its person says yes in the browser, if they are asked. */
  connect(letIn: (address: URL) => Promise<void>): Promise<Client>;
  close(): Promise<void>;
}

export async function newConnector(mcp: string, name: string): Promise<Connector> {
  const asks = inbox<URL>();
  const back = await callback();
  const { provider } = memoryProvider(name, back.redirectUrl, asks);
  let client: Client | undefined;
  const attempt = async () => {
    client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(mcp), { authProvider: provider });
    return { client, transport };
  };
  return {
    connect: async (letIn) => {
      const first = await attempt();
      try {
        await first.client.connect(first.transport);
        return first.client;
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
      }
      const [answer] = await Promise.all([back.answers.next(), asks.next().then(letIn)]);
      await first.transport.finishAuth(answer);
      const second = await attempt();
      await second.client.connect(second.transport);
      return second.client;
    },
    close: async () => {
      await client?.close();
      await back.close();
    },
  };
}
