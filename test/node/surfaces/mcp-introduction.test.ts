import { afterEach, describe, expect, it, vi } from 'vitest';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import { reportMalformed } from '../../../src/wiring/report.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const PROTOCOL = 'io.modelcontextprotocol/';

function open() {
  const malformed: string[] = [];
  const reported: unknown[] = [];
  const mcp = mcpOverHttp(
    {
      tools: new Map(),
      origin: 'https://bowline.example',
      malformed: ({ message }) => malformed.push(message),
      report: (error) => reported.push(error),
    },
    { instructions: async () => 'Be kind.' },
  );
  const send = async (message: object, headers: Record<string, string> = {}) => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
    const caller = { principal: 'ada', client: 't', via: 'mcp', scopes: new Set(['read'] as const) } as const;
    return (await mcp(request, caller)).text();
  };
  const modern = (method: string) =>
    send(
      {
        method,
        params: {
          _meta: {
            [`${PROTOCOL}protocolVersion`]: '2026-07-28',
            [`${PROTOCOL}clientInfo`]: { name: 't', version: '1' },
            [`${PROTOCOL}clientCapabilities`]: {},
          },
        },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    );
  const legacy = () =>
    send({
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
  return { malformed, reported, send, modern, legacy };
}

describe('the server introduces itself', () => {
  it('with description, site and icons when a client of either protocol begins', async () => {
    const { modern, legacy } = open();
    for (const said of [await modern('server/discover'), await legacy()]) {
      expect(said).toContain('"websiteUrl":"https://bowline.example/"');
      expect(said).toContain('"src":"https://bowline.example/assets/icon-192.png"');
      expect(said).toContain('"description":"Your memory');
    }
  });

  it('in short with everything after', async () => {
    const said = await open().modern('tools/list');
    expect(said).toContain('"name":"bowline"');
    expect(said).not.toContain('assets/');
  });
});

describe("a client's malformed message", () => {
  it('is told apart from a fault of ours', async () => {
    const { malformed, reported, send } = open();
    await send({ method: 'tools/list' }, { 'mcp-protocol-version': '1999-01-01' });
    expect([malformed.length, reported]).toEqual([1, []]);
  });

  it('is one short line of the log without a stack, and a fault of ours is whole', () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    reportMalformed(new Error(`bad\n\u202e${'x'.repeat(1_000)}`), 'mcp');
    const [line] = warned.mock.calls[0] ?? [];
    expect(line).toMatch(/^{"level":"warn","where":"mcp","message":"bad\\\\n/);
    expect(String(line).length).toBeLessThan(300);
    expect(line).not.toContain('stack');
    reportMalformed(new TypeError('ours'), 'mcp');
    expect(failed.mock.calls[0]?.[0]).toContain('"stack"');
  });
});
