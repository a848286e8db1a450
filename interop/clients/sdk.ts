import {
  type ClientOptions,
  Client as NewClient,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Answer, Client, Endpoint } from '../client.ts';
import { BOWLINE, bearer, stdioEnvironment } from '../surroundings.ts';

const INFO = { name: 'interop', version: '1' };

/** What both generations have, in the same words. */
interface Sdk {
  getServerVersion(): { name: string } | undefined;
  listTools(): Promise<{ tools: { name: string; inputSchema: unknown; outputSchema?: unknown }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: ({ text: string } | { blob: string })[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: {
    name: string;
    arguments: Record<string, string>;
  }): Promise<{ messages: { content: { type: string } }[] }>;
  close(): Promise<void>;
}

function overSdk(sdk: Sdk, call: Client['call']): Client {
  return {
    call,
    cancels: true,
    serverName: () => sdk.getServerVersion()?.name,
    listTools: async () => (await sdk.listTools()).tools,
    listResources: async () => (await sdk.listResources()).resources,
    readResource: async (uri) => textIn((await sdk.readResource({ uri })).contents[0]),
    listPrompts: async () => (await sdk.listPrompts()).prompts,
    getPrompt: async (name, args) =>
      textIn((await sdk.getPrompt({ name, arguments: args })).messages[0]?.content) ?? '',
    close: () => sdk.close(),
  };
}

/** The text of a content that has one. */
export function textIn(content: object | undefined): string | undefined {
  return content !== undefined && 'text' in content ? String(content.text) : undefined;
}

/** The first generation, over HTTP. */
export async function oldSdk({ mcp, token }: Endpoint): Promise<Client> {
  const transport = new OldTransport(new URL(mcp), { requestInit: { headers: bearer(token) } });
  const asked: string[] = [];
  const client = await oldOver(transport as never, asked);
  return { ...client, asked, protocol: async () => transport.protocolVersion };
}

/** The first generation, with `bowline mcp` as its child. */
export async function oldSdkOverStdio({ folder, root }: Endpoint): Promise<Client> {
  const env = { ...stdioEnvironment(), BOWLINE_HOME: folder };
  const args = [BOWLINE, 'mcp'];
  const child = { command: 'node', args, env, cwd: root, stderr: 'ignore' as const };
  let protocol: string | undefined;
  // The client tells its transport, and nobody else.
  const transport = Object.assign(new OldStdioTransport(child), {
    setProtocolVersion: (version: string) => {
      protocol = version;
    },
  });
  return { ...(await oldOver(transport)), protocol: async () => protocol };
}

/** An app that agrees to open whatever address it is asked to, if it is given a list to note them in. */
async function oldOver(transport: Parameters<OldClient['connect']>[0], asked?: string[]): Promise<Client> {
  const sdk = new OldClient(INFO, { capabilities: asked ? { elicitation: { url: {}, form: {} } } : {} });
  if (asked) {
    sdk.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push('url' in params ? params.url : '');
      return { action: 'accept' as const };
    });
  }
  await sdk.connect(transport);
  const call: Client['call'] = async (name, args, options) =>
    (await sdk.callTool({ name, arguments: args }, undefined, options)) as Answer;
  return overSdk(sdk as Sdk, call);
}

/** The second generation as an app that knows the 2025 protocol alone. */
export function newSdkHeldBack({ mcp, token }: Endpoint): Promise<Client> {
  return newThatOpens(overHttp(mcp, token), 'legacy');
}

/** The second generation as an app that opens addresses for its user. */
export function newSdk({ mcp, token }: Endpoint): Promise<Client> {
  return newThatOpens(overHttp(mcp, token));
}

/** The second generation, with a program between it and the gateway that speaks stdio. */
export function newSdkOverProxy(
  { folder }: Endpoint,
  args: readonly string[],
  passesOn: 'questions' | 'no questions',
): Promise<Client> {
  const env = { ...stdioEnvironment(), HOME: folder, MCP_REMOTE_CONFIG_DIR: folder };
  const child = { command: 'node', args: [...args], env, cwd: folder, stderr: 'ignore' as const };
  const transport = new StdioClientTransport(child);
  if (passesOn === 'questions') return newThatOpens(transport);
  return newOver(transport, { versionNegotiation: { mode: 'auto' } });
}

function overHttp(mcp: string, token: string): Transport {
  return new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers: bearer(token) } });
}

/** An app that agrees to open whatever address it is asked to. */
async function newThatOpens(transport: Transport, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const asked: string[] = [];
  const client = await newOver(
    transport,
    { versionNegotiation: { mode }, capabilities: { elicitation: { url: {}, form: {} } } },
    (sdk) =>
      sdk.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push('url' in params ? params.url : '');
        return { action: 'accept' as const };
      }),
  );
  return { ...client, asked };
}

async function newOver(
  transport: Transport,
  options: ClientOptions,
  prepare?: (sdk: NewClient) => void,
): Promise<Client> {
  const sdk = new NewClient(INFO, options);
  prepare?.(sdk);
  await sdk.connect(transport);
  const call: Client['call'] = async (name, args, options) =>
    (await sdk.callTool({ name, arguments: args }, options)) as Answer;
  return { ...overSdk(sdk as Sdk, call), protocol: async () => sdk.getNegotiatedProtocolVersion() };
}
