import { describe, expect, it } from 'vitest';
import { personalToken } from './auth/owner.ts';
import { gateNamed } from './gate/rig.ts';
import { messageIn, send } from './http.ts';

const clientInfo = { name: 'tests', version: '1' };
const begin2025 = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
};
const begin2026 = {
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

async function instructionsBy(secret: string, message: { readonly method: string }): Promise<unknown> {
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method };
  const response = await send('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(message === begin2025 ? {} : modern),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const { result } = (await messageIn(response)) as { result?: { instructions?: unknown } };
  return result?.instructions;
}

describe.each([
  ['2025', begin2025],
  ['2026', begin2026],
])('a client of %s that begins', (_, message) => {
  it('is told what this server is for, and what the owner adds to it by now', async () => {
    const { secret } = await personalToken(['read', 'machine']);
    expect(await instructionsBy(secret, message)).toContain('Machines: none is paired');
    await gateNamed('owner').changeSetting('instructions', 'Answer in German.');
    expect(await instructionsBy(secret, message)).toMatch(
      /^Bowline serves .*\nThe owner adds: Answer in German\.$/s,
    );
    await gateNamed('owner').changeSetting('instructions', '');
    expect(await instructionsBy(secret, message)).not.toContain('German');
  });

  it('hears of no machine without the right to use one', async () => {
    const { secret } = await personalToken(['read']);
    expect(await instructionsBy(secret, message)).not.toContain('Machines');
  });
});
