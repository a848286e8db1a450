import { existsSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promised, SOON_MS } from '../support/soon.ts';
import { startTwoSides } from '../support/two-sides.ts';

let sides: Awaited<ReturnType<typeof startTwoSides>>;
beforeAll(async () => {
  sides = await startTwoSides('leaves', { approves: false });
}, 240_000);
afterAll(() => sides?.stop());

/** Sends a call, and gives a way to leave it. */
type Send = (tool: string, args: object) => Promise<() => void>;

const headers = () => ({ authorization: `Bearer ${sides.token}` });
const transport = () => ({ requestInit: { headers: headers() } });
const info = { name: 'tests', version: '1' };

/** A client that closes its connection in order, as a program does that ends. */
function closing(era: 2025 | 2026, progress: boolean): Send {
  return async (name, args) => {
    const meta = {
      ...(progress ? { progressToken: 1 } : {}),
      ...(era === 2025
        ? {}
        : {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': info,
            'io.modelcontextprotocol/clientCapabilities': {},
          }),
    };
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    const asked = request(`${sides.url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        ...headers(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(era === 2025 ? {} : modern),
      },
    });
    asked.on('error', () => undefined);
    asked.on('response', (response) => response.on('error', () => undefined).resume());
    const params = { name, arguments: args, _meta: meta };
    asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    return () => void asked.socket?.destroy();
  };
}

/** The first generation of the SDK. It sends a message that cancels, and keeps its connection. */
const notifying: Send = async (name, args) => {
  const client = new OldClient(info);
  await client.connect(new OldTransport(new URL(`${sides.url}/mcp`), transport()) as never);
  const gone = new AbortController();
  const calling = client.callTool({ name, arguments: args as never }, undefined, { signal: gone.signal });
  calling.catch(() => undefined);
  return () => gone.abort();
};

/** The second generation, in the protocol of 2026. It drops the connection of its call. */
const aborting: Send = async (name, args) => {
  const client = new NewClient(info, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${sides.url}/mcp`), transport()));
  const gone = new AbortController();
  client.callTool({ name, arguments: args as never }, { signal: gone.signal }).catch(() => undefined);
  return () => gone.abort();
};

const ways: [string, Send][] = [
  ['a 2025 client that closes its connection', closing(2025, false)],
  ['a 2025 client with progress that closes its connection', closing(2025, true)],
  ['a 2026 client that closes its connection', closing(2026, false)],
  ['a 2026 client with progress that closes its connection', closing(2026, true)],
  ['the first SDK, which sends a notification', notifying],
  ['the second SDK, which drops its call', aborting],
];

interface Known {
  readonly code: string;
  readonly state: string;
}
async function waiting(): Promise<string> {
  const first = async () =>
    ((await sides.owner.call('GET', 'approvals?state=pending')) as { approvals: Known[] }).approvals[0]?.code;
  await expect.poll(first, { timeout: SOON_MS }).toBeDefined();
  return (await first()) ?? '';
}
const stateOf = async (code: string) => ((await sides.owner.call('GET', `approvals/${code}`)) as Known).state;
const approve = (code: string) => sides.owner.call('POST', `approvals/${code}`, { decision: 'approve' });

/** The promise of the product. What nobody withdraws goes on for 26 seconds at least. */
const PROMISED_MS = promised(3_000);

const fileOf = (way: string) => `${way.replace(/\W+/g, '-')}.txt`;

/** Tells when a command wrote its last tick: the one after which it wrote none for ten times its pace. */
async function lastTick(file: string): Promise<number> {
  const writtenAt = () => statSync(file).mtimeMs;
  await expect
    .poll(() => Date.now() - writtenAt(), { timeout: SOON_MS, interval: 50 })
    .toBeGreaterThan(1_000);
  return writtenAt();
}

describe('a held call', () => {
  it.each(ways)('of %s is withdrawn, and a yes to it runs nothing', async (way, send) => {
    const path = fileOf(way);
    const leave = await send('create_file', { path, content: 'x' });
    const code = await waiting();
    leave();
    const left = performance.now();
    await expect.poll(() => stateOf(code), { timeout: SOON_MS, interval: 50 }).toBe('expired');
    expect(performance.now() - left).toBeLessThan(PROMISED_MS);
    await expect(approve(code)).rejects.toThrow(/The caller left/);
    expect(existsSync(join(sides.root, path))).toBe(false);
  });
});

describe('a command that runs on the machine', () => {
  it('ends soon after its caller left, also one that does not end when it is asked to', async () => {
    const running: { way: string; ticks: string; leave(): void }[] = [];
    for (const [way, send] of ways) {
      const ticks = `ticks-${fileOf(way)}`;
      const command = `trap '' TERM; while true; do echo tick >> '${ticks}'; sleep 0.1; done`;
      const leave = await send('run_in_terminal', { command });
      await approve(await waiting());
      running.push({ way, leave, ticks: join(sides.root, ticks) });
    }
    for (const { ticks } of running) {
      await expect.poll(() => existsSync(ticks), { timeout: SOON_MS, interval: 20 }).toBe(true);
    }
    // One after the other, so that each has the promised time to itself.
    for (const { way, ticks, leave } of running) {
      leave();
      const left = Date.now();
      expect((await lastTick(ticks)) - left, way).toBeLessThan(PROMISED_MS);
    }
    const ended = async () => {
      const { entries } = (await sides.owner.call('GET', `ledger?limit=${ways.length}`)) as {
        entries: { tool: string; code: string }[];
      };
      return entries.map(({ tool, code }) => `${tool} ${code}`);
    };
    const each = ways.map(() => 'run_in_terminal cancelled');
    await expect.poll(ended, { timeout: SOON_MS }).toEqual(each);
  });
});
