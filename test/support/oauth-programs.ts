import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Inbox } from './oauth-inbox.ts';
import { browserStandIn } from './oauth-loopback.ts';
import { spoilt } from './oauth-memory-provider.ts';
import { PROJECT } from './up.ts';

export const NODE_MODULES = join(PROJECT, 'node_modules');

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

export const greeting = (result: unknown): string =>
  (result as { structuredContent: { greeting: string } }).structuredContent.greeting;
export const toolNames = ({ tools }: { tools: { name: string }[] }): string[] =>
  tools.map((tool) => tool.name);

/** A client of its own process behind a server of stdio's: what people use whose app knows no OAuth. */
export async function mcpRemote(mcp: string, folder: string): Promise<App> {
  const browser = await browserStandIn(folder);
  const client = new Client({ name: 'suite', version: '1' });
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
    tools: async () => toolNames(await client.listTools()),
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
export async function inspector(mcp: string, folder: string): Promise<App> {
  const browser = await browserStandIn(folder);
  const secrets = jsonFile(folder, /^secrets\.json$/);
  // By its real path: it does nothing when it is started through a link.
  const program = realpathSync(
    join(NODE_MODULES, '@modelcontextprotocol/inspector/clients/cli/build/index.js'),
  );
  const env = {
    ...browser.env,
    HOME: folder,
    MCP_STORAGE_DIR: folder,
    MCP_INSPECTOR_SECRET_STORE: 'file',
    MCP_AUTO_OPEN_ENABLED: 'true',
  };
  // Port 0 has it take a free one.
  const always = ['--format', 'json', '--callback-url', 'http://127.0.0.1:0/oauth/callback'];
  const run = async (...args: string[]) => {
    const ran = await ranToEnd([program, mcp, ...always, ...args], env);
    if (ran.code === 0 && ran.stdout !== '')
      return JSON.parse(ran.stdout).result as { tools: { name: string }[] };
    throw new Error(`The Inspector ended with ${ran.code} and said:\n${ran.stderr}`);
  };
  const list = async () => toolNames(await run('--protocol-era', 'legacy', '--method', 'tools/list'));
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
    hello: async (whom) => greeting(await run(...call, '--tool-arg', `name=${whom}`)),
    protocol: () => undefined,
    accessToken: () => held(),
    spoilAccessToken: () => void held(spoilt),
    close: browser.close,
  };
}

/** Runs a program of Node's with nothing but that environment. */
function ranToEnd(args: readonly string[], env: Record<string, string>) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
    const child = execFile(process.execPath, args, { env }, (_, stdout, stderr) =>
      done({ code: child.exitCode, stdout, stderr }),
    );
  });
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
