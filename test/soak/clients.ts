import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as z from 'zod';
import type { Told } from './history.ts';

/** A way in to the tools. What goes wrong on the way is an answer as well: nothing is known then. */
export interface Way {
  readonly name: string;
  call(tool: string, input: object, signal: AbortSignal): Promise<Told>;
  close(): Promise<void>;
}

interface Gateway {
  readonly url: string;
  readonly token: string;
}

const failureShape = z.object({ code: z.string(), call_id: z.string().optional() });
const resultShape = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  _meta: z.object({ 'dev.bowline/error': failureShape.optional() }).loose().optional(),
});

/** One client of each kind that people connect with. */
export function openWays(gateway: Gateway): Way[] {
  return [
    overMcp('MCP 2026', () => newClient(gateway)),
    overMcp('MCP 2025', () => oldClient(gateway)),
    overRest(gateway),
  ];
}

interface McpClient {
  callTool(tool: string, input: object, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

async function newClient({ url, token }: Gateway): Promise<McpClient> {
  const client = new Client({ name: 'soak-2026', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return {
    callTool: (name, input, signal) => client.callTool({ name, arguments: { ...input } }, { signal }),
    close: () => client.close(),
  };
}

async function oldClient({ url, token }: Gateway): Promise<McpClient> {
  const client = new OldClient({ name: 'soak-2025', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  // The package's own types are not made for `exactOptionalPropertyTypes`.
  await client.connect(new OldTransport(new URL(`${url}/mcp`), { requestInit: { headers } }) as never);
  return {
    callTool: (name, input, signal) =>
      client.callTool({ name, arguments: { ...input } }, undefined, { signal }),
    close: () => client.close(),
  };
}

function overMcp(name: string, connect: () => Promise<McpClient>): Way {
  let client: Promise<McpClient> | undefined;
  const leave = async () => {
    const left = client;
    client = undefined;
    await left?.then((one) => one.close()).catch(() => undefined);
  };
  return {
    name,
    call: async (tool, input, signal) => {
      try {
        client ??= connect();
        return toldOf(await (await client).callTool(tool, input, signal));
      } catch (error) {
        // A client that has lost its server begins anew, as an app does.
        if (!signal.aborted) await leave();
        return lost(error);
      }
    },
    close: leave,
  };
}

function toldOf(result: unknown): Told {
  const { isError, structuredContent, _meta } = resultShape.parse(result);
  // A command that ended with a failure is an answer too.
  if (!isError || structuredContent) return { is: 'ok', output: structuredContent ?? {} };
  return refused(_meta?.['dev.bowline/error']);
}

function refused(failure: z.infer<typeof failureShape> | undefined): Told {
  if (!failure) return lost('an error in no shape of ours');
  const { code, call_id } = failure;
  return { is: 'failed', code, ...(call_id === undefined ? {} : { callId: call_id }) };
}

function overRest({ url, token }: Gateway): Way {
  return {
    name: 'REST',
    call: async (tool, input, signal) => {
      try {
        const response = await fetch(`${url}/tools/${tool}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify(input),
          signal,
        });
        const body: unknown = await response.json();
        if (response.status === 200)
          return { is: 'ok', output: z.record(z.string(), z.unknown()).parse(body) };
        return refused(failureShape.safeParse(body).data);
      } catch (error) {
        return lost(error);
      }
    },
    close: async () => undefined,
  };
}

function lost(error: unknown): Told {
  return { is: 'lost', why: error instanceof Error ? error.message : String(error) };
}
