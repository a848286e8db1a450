import { exports } from 'cloudflare:workers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { newAddress } from './auth/owner.ts';
import { type Era, GATEWAY } from './http.ts';

/** An MCP client of others', connected to the gateway of these tests with a token. */
export async function clientWith(
  secret: string,
  era: Era = '2026',
  options: Partial<ConstructorParameters<typeof Client>[1]> = {},
): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    {
      ...options,
      versionNegotiation: { mode: era === '2026' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${GATEWAY}/mcp`), {
    requestInit: {
      headers: { authorization: `Bearer ${secret}`, 'cf-connecting-ip': newAddress() },
    },
    fetch: (url, init) => exports.default.fetch(new Request(url, init)),
  });
  await client.connect(transport);
  return client;
}
