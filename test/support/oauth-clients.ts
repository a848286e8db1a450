import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { inbox } from './oauth-inbox.ts';
import { callback } from './oauth-loopback.ts';
import { memoryProvider } from './oauth-memory-provider.ts';
import { type App, greeting, inspector, mcpRemote, NODE_MODULES, toolNames } from './oauth-programs.ts';

/** Every client that is tried, by name and version, with the protocol it is to speak. */
export const apps: readonly {
  readonly what: string;
  readonly open: (mcp: string, folder: string) => Promise<App>;
  readonly protocol: string | undefined;
  /** True if it runs in processes of its own. */
  readonly isProgram: boolean;
}[] = [
  { what: versioned('@modelcontextprotocol/client'), open: newSdk, protocol: '2026-07-28', isProgram: false },
  { what: versioned('@modelcontextprotocol/sdk'), open: oldSdk, protocol: '2025-11-25', isProgram: false },
  { what: versioned('mcp-remote'), open: mcpRemote, protocol: '2025-11-25', isProgram: true },
  // It is made to speak both.
  {
    what: versioned('@modelcontextprotocol/inspector'),
    open: inspector,
    protocol: undefined,
    isProgram: true,
  },
];

function versioned(name: string): string {
  return `${name} ${JSON.parse(readFileSync(join(NODE_MODULES, name, 'package.json'), 'utf8')).version}`;
}

const NAME = { name: 'suite', version: '1' };

/** One connection of an SDK's, begun or not. */
interface Connection {
  connect(): Promise<void>;
  handIn(answer: URLSearchParams): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callHello(whom: string): Promise<unknown>;
  protocol(): string | undefined;
  close(): Promise<void>;
}

/** An app around an SDK does what the SDK leaves to it: waits for the code, hands it in and tries again. */
async function sdkApp(
  name: string,
  isRefusal: (error: unknown) => boolean,
  begin: (provider: ReturnType<typeof memoryProvider>['provider']) => Connection,
): Promise<App> {
  const asks = inbox<URL>();
  const back = await callback();
  const memory = memoryProvider(name, back.redirectUrl, asks);
  let connection = begin(memory.provider);
  const signingIn = async <T>(attempt: () => Promise<T>): Promise<T> => {
    try {
      return await attempt();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await connection.handIn(await back.answers.next());
      return attempt();
    }
  };
  return {
    ...{ name, asks, ...memory },
    connect: () =>
      signingIn(() => {
        connection = begin(memory.provider);
        return connection.connect();
      }),
    tools: async () => toolNames(await connection.listTools()),
    hello: async (whom) => greeting(await signingIn(() => connection.callHello(whom))),
    protocol: () => connection.protocol(),
    close: async () => {
      await connection.close();
      await back.close();
    },
  };
}

function newSdk(mcp: string): Promise<App> {
  const isRefusal = (error: unknown) => error instanceof UnauthorizedError;
  return sdkApp('An app of the 2026 protocol', isRefusal, (authProvider) => {
    const client = new Client(NAME, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(mcp), { authProvider });
    return {
      connect: () => client.connect(transport),
      handIn: (answer) => transport.finishAuth(answer),
      listTools: () => client.listTools(),
      callHello: (whom) => client.callTool({ name: 'hello', arguments: { name: whom } }),
      protocol: () => client.getNegotiatedProtocolVersion(),
      close: () => client.close(),
    };
  });
}

function oldSdk(mcp: string): Promise<App> {
  const isRefusal = (error: unknown) => error instanceof OldUnauthorizedError;
  return sdkApp('An app of the 2025 protocol', isRefusal, (authProvider) => {
    const client = new OldClient(NAME);
    const transport = new OldTransport(new URL(mcp), { authProvider });
    return {
      connect: () => client.connect(transport as never),
      handIn: (answer) => transport.finishAuth(answer.get('code') ?? ''),
      listTools: () => client.listTools(),
      callHello: (whom) => client.callTool({ name: 'hello', arguments: { name: whom } }),
      protocol: () => transport.protocolVersion,
      close: () => client.close(),
    };
  });
}
