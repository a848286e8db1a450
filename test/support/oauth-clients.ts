import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Inbox, inbox } from './oauth-inbox.ts';
import { browserStandIn, callback } from './oauth-loopback.ts';
import { memoryProvider, spoilt } from './oauth-memory-provider.ts';
import { PROJECT } from './up.ts';

/** A program that signs in to the gateway, driven from outside. */
export interface App {
  /** The name it gives itself, by which the owner knows it. */
  readonly name: string;
  /** Addresses that it wanted its person to open. */
  readonly asks: Inbox<URL>;
  /** Connects for the first time; resolves once somebody has let it in. */
  connect(): Promise<void>;
  tools(): Promise<string[]>;
  /** Calls `hello` as it would in use, signing in anew if it is told to. */
  hello(name: string): Promise<string>;
  /** The protocol it came to speak, if it tells. */
  protocol(): string | undefined;
  accessToken(): string;
  /** Makes its access token worthless without its knowing, as an hour does. */
  spoilAccessToken(): void;
  close(): Promise<void>;
}

const NODE_MODULES = join(PROJECT, 'node_modules');

/** Every client that is tried, by name and version, with the protocol it is to speak. */
export const apps: readonly {
  readonly what: string;
  readonly open: (mcp: string, folder: string) => Promise<App>;
  readonly protocol: string | undefined;
}[] = [
  { what: versioned('@modelcontextprotocol/client'), open: newSdk, protocol: '2026-07-28' },
  { what: versioned('@modelcontextprotocol/sdk'), open: oldSdk, protocol: '2025-11-25' },
  { what: versioned('mcp-remote'), open: mcpRemote, protocol: '2025-11-25' },
  // It is made to speak both.
  { what: versioned('@modelcontextprotocol/inspector'), open: inspector, protocol: undefined },
];

function versioned(name: string): string {
  return `${name} ${JSON.parse(readFileSync(join(NODE_MODULES, name, 'package.json'), 'utf8')).version}`;
}

const NAME = { name: 'suite', version: '1' };
const greeting = (result: unknown) =>
  (result as { structuredContent: { greeting: string } }).structuredContent.greeting;
const names = ({ tools }: { tools: { name: string }[] }) => tools.map((tool) => tool.name);

/** What both SDKs leave to the program: waiting for the code, handing it in, and trying again. */
async function signingIn<T>(
  attempt: () => Promise<T>,
  isRefusal: (error: unknown) => boolean,
  handIn: () => Promise<void>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await handIn();
    return attempt();
  }
}

async function newSdk(mcp: string): Promise<App> {
  const name = 'An app of the 2026 protocol';
  const asks = inbox<URL>();
  const back = await callback();
  const memory = memoryProvider(name, back.redirectUrl, asks);
  let client = new Client(NAME);
  let transport = new StreamableHTTPClientTransport(new URL(mcp));
  const handIn = async () => transport.finishAuth(await back.answers.next());
  const isRefusal = (error: unknown) => error instanceof UnauthorizedError;
  const attempt = async () => {
    client = new Client(NAME, { versionNegotiation: { mode: 'auto' } });
    transport = new StreamableHTTPClientTransport(new URL(mcp), { authProvider: memory.provider });
    await client.connect(transport);
  };
  return {
    ...{ name, asks, ...memory },
    connect: () => signingIn(attempt, isRefusal, handIn),
    tools: async () => names(await client.listTools()),
    hello: async (whom) =>
      greeting(
        await signingIn(
          () => client.callTool({ name: 'hello', arguments: { name: whom } }),
          isRefusal,
          handIn,
        ),
      ),
    protocol: () => client.getNegotiatedProtocolVersion(),
    close: async () => {
      await client.close();
      await back.close();
    },
  };
}

async function oldSdk(mcp: string): Promise<App> {
  const name = 'An app of the 2025 protocol';
  const asks = inbox<URL>();
  const back = await callback();
  const memory = memoryProvider(name, back.redirectUrl, asks);
  let client = new OldClient(NAME);
  let transport = new OldTransport(new URL(mcp));
  const handIn = async () => transport.finishAuth((await back.answers.next()).get('code') ?? '');
  const isRefusal = (error: unknown) => error instanceof OldUnauthorizedError;
  const attempt = async () => {
    client = new OldClient(NAME);
    transport = new OldTransport(new URL(mcp), { authProvider: memory.provider });
    await client.connect(transport as never);
  };
  return {
    ...{ name, asks, ...memory },
    connect: () => signingIn(attempt, isRefusal, handIn),
    tools: async () => names(await client.listTools()),
    hello: async (whom) =>
      greeting(
        await signingIn(
          () => client.callTool({ name: 'hello', arguments: { name: whom } }),
          isRefusal,
          handIn,
        ),
      ),
    protocol: () => transport.protocolVersion,
    close: async () => {
      await client.close();
      await back.close();
    },
  };
}

/** A client of its own process behind a server of stdio's: what people use whose app knows no OAuth. */
async function mcpRemote(mcp: string, folder: string): Promise<App> {
  const browser = await browserStandIn(folder);
  const client = new Client(NAME);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(NODE_MODULES, 'mcp-remote', 'dist', 'proxy.js'), mcp, '--auth-timeout', '60'],
    env: { ...browser.env, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
    stderr: 'ignore',
  });
  const tokens = jsonFile(folder, /_tokens\.json$/);
  return {
    name: 'MCP CLI Proxy',
    asks: browser.opened,
    connect: () => client.connect(transport),
    tools: async () => names(await client.listTools()),
    hello: async (whom) => greeting(await client.callTool({ name: 'hello', arguments: { name: whom } })),
    protocol: () => client.getNegotiatedProtocolVersion(),
    accessToken: () => tokens.read().access_token as string,
    spoilAccessToken: () =>
      tokens.change((held) => ({ ...held, access_token: spoilt(held.access_token as string) })),
    close: async () => {
      await client.close();
      await browser.close();
    },
  };
}

/** The Inspector's command line: a new process each time, with what it must remember in a file. */
async function inspector(mcp: string, folder: string): Promise<App> {
  const browser = await browserStandIn(folder);
  const secrets = jsonFile(folder, /^secrets\.json$/);
  const program = join(NODE_MODULES, '@modelcontextprotocol/inspector/clients/cli/build/index.js');
  const env = {
    ...browser.env,
    HOME: folder,
    MCP_STORAGE_DIR: folder,
    MCP_INSPECTOR_SECRET_STORE: 'file',
    MCP_AUTO_OPEN_ENABLED: 'true',
  };
  // Port 0 has it take a free one.
  const always = ['--format', 'json', '--callback-url', 'http://127.0.0.1:0/oauth/callback'];
  const run = (...args: string[]) =>
    new Promise<{ result: { tools: { name: string }[] } }>((done, failed) => {
      execFile(process.execPath, [program, mcp, ...always, ...args], { env }, (error, stdout, stderr) =>
        error ? failed(new Error(stderr, { cause: error })) : done(JSON.parse(stdout)),
      );
    });
  const list = async () => names((await run('--protocol-era', 'legacy', '--method', 'tools/list')).result);
  const call = ['--protocol-era', 'modern', '--method', 'tools/call', '--tool-name', 'hello'];
  /** It keeps each server's tokens as JSON inside JSON. */
  const held = (change: (token: string) => string = (token) => token) => {
    let found = '';
    secrets.change((file) => ({
      ...file,
      secrets: Object.fromEntries(
        Object.entries(file.secrets as Record<string, string>).map(([key, text]) => {
          if (!key.includes(':tokens:')) return [key, text];
          const tokens = JSON.parse(text) as { access_token: string };
          found = tokens.access_token;
          return [key, JSON.stringify({ ...tokens, access_token: change(tokens.access_token) })];
        }),
      ),
    }));
    return found;
  };
  return {
    name: 'MCP Inspector',
    asks: browser.opened,
    connect: async () => void (await list()),
    tools: list,
    hello: async (whom) => greeting((await run(...call, '--tool-arg', `name=${whom}`)).result),
    protocol: () => undefined,
    accessToken: () => held(),
    spoilAccessToken: () => void held(spoilt),
    close: browser.close,
  };
}

/** The one file of an app's folder with such a name. */
function jsonFile(folder: string, name: RegExp) {
  const path = () => {
    const [found] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      name.test(file),
    );
    if (!found) throw new Error(`There is no ${name} in ${folder}.`);
    return join(folder, found);
  };
  const read = (): Record<string, unknown> => JSON.parse(readFileSync(path(), 'utf8'));
  return {
    read,
    change: (how: (value: Record<string, unknown>) => object) =>
      writeFileSync(path(), JSON.stringify(how(read()))),
  };
}
