import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { chatgpt, chatgptModern, claude } from '../fixtures/clients/apps.ts';
import { cursor } from '../fixtures/clients/cursor.ts';
import { claudeCode, claudeCodeLegacy, codex } from '../fixtures/clients/programs.ts';
import type { Recorded } from '../fixtures/clients/recorded.ts';
import { vscode } from '../fixtures/clients/vscode.ts';
import { bySdk, counted } from './counted-sdk.ts';
import { GATEWAY, mcpEndpoint, messageIn } from './http.ts';

vi.mock(import('../../src/surfaces/mcp-handler.ts'), async (load) => counted(await load()));
beforeEach(() => bySdk.mockClear());

const endpoint = mcpEndpoint({}, { stateKey: 'k'.repeat(32) });

describe.each([
  claude,
  chatgpt,
  chatgptModern,
  vscode,
  cursor,
  claudeCode,
  claudeCodeLegacy,
  codex,
] as Recorded[])('a call of $client', ({ protocol, headers, later = {}, initialize, meta }) => {
  const isModern = protocol === '2026-07-28';
  const about = (method: string, name?: string): Record<string, string> =>
    isModern
      ? { 'mcp-protocol-version': protocol, 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) }
      : later;
  const post = (method: string, params: object, more: Record<string, string>) =>
    endpoint(
      new Request(`${GATEWAY}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
      }),
    );

  it('goes past the SDK, and so does a list that it asks for again', async () => {
    const own: Record<string, string> = {};
    if (!isModern) {
      const begun = await post('initialize', { ...initialize }, {});
      own['mcp-session-id'] = begun.headers.get('mcp-session-id') ?? '';
      expect((await messageIn(begun)).result).toMatchObject({ protocolVersion: protocol });
      expect(bySdk).toHaveBeenCalledTimes(1);
    }
    bySdk.mockClear();
    const params = { name: 'hello', arguments: { name: 'Ada' }, ...(meta ? { _meta: meta } : {}) };
    const answer = await post('tools/call', params, { ...own, ...about('tools/call', 'hello') });
    expect((await messageIn(answer)).result).toMatchObject({ isError: false });
    expect(bySdk).not.toHaveBeenCalled();
    const list = () =>
      post('tools/list', isModern ? { _meta: meta } : {}, { ...own, ...about('tools/list') });
    for (let asked = 0; asked < 3; asked++)
      expect((await messageIn(await list())).result).toMatchObject({ tools: [{ name: 'hello' }] });
    expect(bySdk.mock.calls.length).toBeLessThanOrEqual(1);
  });
});

/** Has a client speak with the endpoint. Its own kinds of request are of the same shape as ours. */
const through = { fetch: (url: string | URL, init?: RequestInit) => endpoint(new Request(url, init)) };
const address = new URL(`${GATEWAY}/mcp`);

describe('a call of the SDKs themselves', () => {
  const info = { name: 'tests', version: '1' };

  it('goes past ours from the first generation, with progress and without', async () => {
    const client = new OldClient(info, { capabilities: { elicitation: { form: {} }, roots: {} } });
    await client.connect(new OldTransport(address, through) as Parameters<OldClient['connect']>[0]);
    await client.listTools();
    bySdk.mockClear();
    await client.callTool({ name: 'hello', arguments: {} });
    await client.callTool({ name: 'hello', arguments: {} }, undefined, { onprogress: () => undefined });
    await client.listTools();
    expect(bySdk).not.toHaveBeenCalled();
    await client.close();
  });

  it.each(['legacy', { pin: '2026-07-28' }] as const)(
    'goes past ours from the second generation, %j, with progress and without',
    async (mode) => {
      const client = new NewClient(info, {
        capabilities: { elicitation: { form: {}, url: {} }, roots: {} },
        versionNegotiation: { mode },
      });
      await client.connect(new StreamableHTTPClientTransport(address, through));
      await client.listTools();
      bySdk.mockClear();
      await client.callTool({ name: 'hello', arguments: {} });
      await client.callTool({ name: 'hello', arguments: {} }, { onprogress: () => undefined });
      await client.listTools(undefined, { cacheMode: 'refresh' });
      expect(bySdk).not.toHaveBeenCalled();
      await client.close();
    },
  );
});
