import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { catalogue } from '../../../contracts/index.ts';
import type { Link } from '../../../local-bridge/agent/link/link.ts';
import { type OwnerSession, signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import { toolSet } from '../../../src/core/tools.ts';
import {
  connectTestMachine,
  pairTestMachine,
  startLinkGateway,
  type TestMachine,
} from '../../support/link-gateway.ts';
import { SOON_MS } from '../../support/soon.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = { name: 'read_file', arguments: { path: 'a' } };
const message = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'read_file' };

interface Sent {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body: string;
}
const ways: Record<string, Sent> = {
  REST: { path: '/tools/read_file', body: '{"path":"a"}' },
  'MCP 2025': { path: '/mcp', body: message(call) },
  'MCP 2025, with progress': { path: '/mcp', body: message({ ...call, _meta: { progressToken: 1 } }) },
  'MCP 2026': { path: '/mcp', headers: modern, body: message({ ...call, _meta: meta }) },
  'MCP 2026, with progress': {
    path: '/mcp',
    headers: modern,
    body: message({ ...call, _meta: { ...meta, progressToken: 1 } }),
  },
};

describe('a caller who leaves', () => {
  let worker: BareWorker;
  let machine: TestMachine;
  let owner: OwnerSession;
  let token: string;
  let link: Link;
  let began = Promise.withResolvers<AbortSignal>();
  beforeAll(async () => {
    const gateway = await startLinkGateway();
    worker = gateway.worker;
    owner = await signInAsOwner(worker.url, gateway.ownerKey);
    token = (await owner.createToken({ name: 'tests', scopes: ['machine'], days: 1 })).secret;
    machine = await pairTestMachine(worker, 'mini');
    const door = {
      newCallId: () => 'call_here',
      admit: () => ADMITTED,
      ...NO_LEDGER,
      report: () => undefined,
    };
    const tools = toolSet(
      { read_file: catalogue.read_file },
      {
        read_file: async (_, { signal, fail }) => {
          began.resolve(signal);
          await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
          return fail('file_not_found');
        },
      },
      door,
      undefined,
    );
    link = await connectTestMachine(machine, worker.url, tools);
  });
  afterAll(async () => {
    link?.stop();
    machine?.forget();
    await worker?.stop();
  });

  it.each(Object.entries(ways))('by %s has the call end on the machine, and on record', async (_, sent) => {
    began = Promise.withResolvers();
    const asked = request(worker.url + sent.path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...sent.headers,
      },
    });
    const broken = new Promise((done) => asked.once('close', done).once('error', done));
    asked.on('response', (response) => response.on('error', () => undefined).resume());
    asked.end(sent.body);
    const signal = await began.promise;
    const ended = new Promise((done) => signal.addEventListener('abort', done, { once: true }));
    // Reset, as a network does it: one that is closed in order is noticed only when something is written to it.
    asked.socket?.resetAndDestroy();
    await broken;
    await ended;
    const newest = async () =>
      ((await owner.call('GET', 'ledger?limit=1')) as { entries: { outcome: unknown; code: unknown }[] })
        .entries[0];
    await expect.poll(newest, { timeout: SOON_MS }).toMatchObject({ outcome: 'failed', code: 'cancelled' });
  });
});
