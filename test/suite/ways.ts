import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { inject } from 'vitest';
import { doorErrors } from '../../contracts/door-errors.ts';
import type { Failure } from '../../src/core/failure.ts';
import { type Ran, runBowline } from '../support/command.ts';
import { BOWLINE } from '../support/up.ts';

export type Outcome =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly failure: Failure };

/** One way in to the tools, as a program outside uses it. */
export interface Way {
  readonly name: string;
  list(): Promise<string[]>;
  call(tool: string, input: unknown): Promise<Outcome>;
  close(): Promise<void>;
}

/** Every way in, each opened on the running product. */
export const ways: { readonly name: string; open(): Promise<Way> }[] = [
  { name: 'MCP over HTTP, 2026-07-28', open: () => overMcp('2026', newHttpClient()) },
  { name: 'MCP over HTTP, 2025', open: oldHttp },
  { name: 'MCP over stdio', open: () => overMcp('stdio', newStdioClient()) },
  { name: 'REST', open: overRest },
  { name: 'command line', open: overCli },
];

const { mcp, home } = inject('gateway');
/** Where the services are that stand in for those of the tools, and where and by what the gateway is called. */
export const { settings, modelPort, root, rest, token } = inject('gateway');
const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};

async function newHttpClient(): Promise<Client> {
  const client = new Client({ name: 'suite', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers: authorization } }),
  );
  const version = client.getNegotiatedProtocolVersion();
  if (version !== '2026-07-28') throw new Error(`Expected the 2026 protocol, got ${version}`);
  return client;
}

async function newStdioClient(): Promise<Client> {
  const client = new Client({ name: 'suite', version: '1' });
  const env = { PATH: process.env.PATH ?? '', BOWLINE_HOME: home, ...settings };
  await client.connect(
    new StdioClientTransport({ command: 'node', args: [BOWLINE, 'mcp'], env, cwd: root, stderr: 'ignore' }),
  );
  return client;
}

async function overMcp(name: string, connecting: Promise<Client>): Promise<Way> {
  const client = await connecting;
  return {
    name,
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: (tool, input) => settled(client.callTool({ name: tool, arguments: input as never })),
    close: () => client.close(),
  };
}

async function oldHttp(): Promise<Way> {
  const client = new OldClient({ name: 'suite', version: '1' });
  await client.connect(new OldTransport(new URL(mcp), { requestInit: { headers: authorization } }) as never);
  return {
    name: '2025',
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: (tool, input) => settled(client.callTool({ name: tool, arguments: input as never })),
    close: () => client.close(),
  };
}

/** Over MCP an unknown tool is a protocol error; told here as the failure that the other ways answer. */
async function settled(calling: Promise<Parameters<typeof outcomeOf>[0]>): Promise<Outcome> {
  try {
    return outcomeOf(await calling);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === -32602)) throw error;
    return unknownTool();
  }
}

function unknownTool(): Outcome {
  const { status, ...rest } = doorErrors.unknown_tool;
  return { ok: false, failure: { code: 'unknown_tool', http_status: status, ...rest } };
}

function outcomeOf(result: {
  isError?: unknown;
  structuredContent?: unknown;
  _meta?: unknown;
  content?: unknown;
}): Outcome {
  // The source of the host's rules wants it said each time; MCP itself lets a success leave it out.
  if (typeof result.isError !== 'boolean') throw new Error('A result does not say whether it is an error.');
  const failed = (result.structuredContent as { success?: unknown } | undefined)?.success === false;
  if (failed !== (result.isError && 'structuredContent' in result))
    throw new Error('`isError` and `success` disagree.');
  if (!result.isError || failed) return { ok: true, output: result.structuredContent };
  if ('structuredContent' in result) throw new Error('An error came with structuredContent.');
  const failure = (result._meta as Record<string, Failure> | undefined)?.['dev.bowline/error'];
  const text = (result.content as { text?: string }[] | undefined)?.[0]?.text;
  if (!failure || text !== `Error: ${failure.message}\n${failure.suggestion}`) {
    throw new Error(`An error came in another shape: ${JSON.stringify(result)}`);
  }
  return { ok: false, failure };
}

async function overRest(): Promise<Way> {
  const headers = { 'content-type': 'application/json', ...authorization };
  return {
    name: 'REST',
    list: async () => {
      const { tools } = (await (await fetch(`${rest}/tools`, { headers })).json()) as {
        tools: { name: string }[];
      };
      return tools.map((tool) => tool.name);
    },
    call: async (tool, input) => {
      const response = await fetch(`${rest}/tools/${tool}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(input),
      });
      const body = await response.json();
      if (response.ok) return { ok: true, output: body };
      const failure = body as Failure;
      if (failure.http_status !== response.status) throw new Error('The status line and the body disagree.');
      return { ok: false, failure };
    },
    close: async () => undefined,
  };
}

async function overCli(): Promise<Way> {
  return {
    name: 'command line',
    list: async () => {
      const { tools } = JSON.parse((await bowline(['tools', '--json'])).stdout) as {
        tools: { name: string }[];
      };
      return tools.map((tool) => tool.name);
    },
    call: async (tool, input) => {
      const json = JSON.stringify(input);
      // An argument has no room for the longest of them.
      const [given, stdin] = json.length < 100_000 ? [json] : ['-', json];
      const { code, stdout, stderr } = await bowline(['call', tool, '--json', '--input', given], stdin);
      // The command knows the tools' names and asks nobody about others.
      if (stderr.includes('There is no tool called')) return unknownTool();
      if (stdout === '') throw new Error(`bowline call printed nothing but: ${stderr}`);
      const body = JSON.parse(stdout);
      // A command that ran and failed is an answer, though not a success.
      if (code !== 0 && !('tool' in body)) return { ok: false, failure: body };
      const { tool: _, ...output } = body;
      return { ok: true, output };
    },
    close: async () => undefined,
  };
}

/** Runs the command against the suite's gateway. */
export function bowline(args: readonly string[], stdin?: string): Promise<Ran> {
  const input = stdin === undefined ? {} : { stdin };
  return runBowline(args, { ...input, env: { BOWLINE_HOME: home, BOWLINE_URL: rest, BOWLINE_TOKEN: token } });
}
