import type { Transport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { VERSION } from '../core/version.ts';
import { GREETING_MS, JOINED_TIMEOUT_MS } from './joined-limits.ts';

/** A server that was greeted and can be asked. */
export interface ServerSession {
  /** Lists its tools as it describes them, unchecked. */
  list(options?: AskOptions): Promise<readonly unknown[]>;
  /** Calls a tool and gives its answer, unchecked. */
  call(name: string, args: unknown, options?: AskOptions): Promise<unknown>;
  close(): Promise<void>;
}

interface AskOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

interface SessionOptions extends AskOptions {
  /** Hears that the server's list has changed. */
  listChanged?(): void;
  closed?(): void;
}

const MAX_PAGES = 16;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(4_096).optional() });
const anything = z.looseObject({});

/**
 * Greets a server as a client that can do nothing for it. The protocol itself refuses what the server asks back
 * (questions to the user, sampling, roots), and nobody reads its advice on how to use it.
 */
export async function openServerSession(
  transport: Transport,
  options: SessionOptions = {},
): Promise<ServerSession> {
  // Most machines and many gateways join no server, and need none of it.
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client(
    { name: 'bowline', version: VERSION },
    { capabilities: {}, inputRequired: { autoFulfill: false } },
  );
  client.onerror = () => undefined;
  if (options.closed) client.onclose = options.closed;
  const { listChanged } = options;
  if (listChanged) client.setNotificationHandler('notifications/tools/list_changed', () => listChanged());
  try {
    await client.connect(transport, asked(options, GREETING_MS));
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
  return {
    list: async (how = {}) => {
      const tools: unknown[] = [];
      let cursor: string | undefined;
      for (let at = 0; at < MAX_PAGES; at++) {
        const params = cursor === undefined ? {} : { cursor };
        const got = await client.request({ method: 'tools/list', params }, page, asked(how, GREETING_MS));
        tools.push(...got.tools);
        cursor = got.nextCursor;
        if (cursor === undefined) return tools;
      }
      throw new Error(`The list of tools has no end after ${MAX_PAGES} pages.`);
    },
    call: (name, args, how = {}) =>
      client.request(
        { method: 'tools/call', params: { name, arguments: args as Record<string, unknown> } },
        anything,
        asked(how, JOINED_TIMEOUT_MS),
      ),
    close: () => client.close(),
  };
}

function asked({ signal, timeoutMs }: AskOptions, usual: number) {
  const timeout = timeoutMs ?? usual;
  return { timeout, maxTotalTimeout: timeout, ...(signal ? { signal } : {}) };
}
