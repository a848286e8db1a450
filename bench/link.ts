import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WebSocket } from 'undici';
import { catalogue } from '../contracts/index.ts';
import { signInAsOwner } from '../local-bridge/lib/owner-client.ts';
import type { ToolSet } from '../src/core/tools.ts';
import {
  connectTestMachine,
  pairTestMachine,
  sendCall,
  startLinkGateway,
} from '../test/support/link-gateway.ts';
import { figure } from './support/figures.ts';
import { closeConnections, type Shot, send } from './support/load.ts';

/**
 * Measures round trips, by number and time: HTTP through the gateway, the object and the socket to the bridge and
 * back, with sign-in, limits, policy and ledger. Compares a bare socket through the same runtime, and
 * `server-filesystem` over stdio for the same file. Rounds alternate between them.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 200);

const folder = mkdtempSync(join(tmpdir(), 'bowline-bench-link-'));
const { worker, ownerKey } = await startLinkGateway({ minify: true });
const owner = await signInAsOwner(worker.url, ownerKey);
const { secret } = await owner.createToken({ name: 'bench', scopes: ['read', 'machine'], days: 1 });
await owner.call('PUT', 'settings/rates', { value: { read_file: 1_000_000 } });
const machine = await pairTestMachine(worker, 'bench');
const tools = fileTools();
const link = await connectTestMachine(machine, worker.url, tools);
const bare = await bareBridge(`${worker.url.replace('http', 'ws')}/bare`);
const stdio = await filesystemServer(folder);

console.log(`${ROUNDS} interleaved rounds of ${REQUESTS} round trips, one after another\n`);
console.log(
  '| bytes | bare, a second (p50, p99 ms) | link | bare / link | Bowline | bare / Bowline | server-filesystem over stdio | Bowline / it |\n|---|---|---|---|---|---|---|---|',
);
const SIZES = { '100 B': 100, '64 KiB': 64 * 1_024, '1 MiB': 1_024 * 1_024 };
for (const [label, size] of Object.entries(SIZES)) {
  const path = join(folder, `${size}.txt`);
  writeFileSync(path, `${'x'.repeat(99)}\n`.repeat(Math.ceil(size / 100)).slice(0, size));
  const shot: Shot = {
    path: '/tools/read_file',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ path: `${size}` }),
  };
  const ways = {
    bare: () => send(worker.url, { path: `/bare/${size}`, headers: {}, body: '' }),
    // Behind the door, to measure the link itself.
    link: () =>
      sendCall(worker, machine, tools, 'read_file', { path: `${size}` }, undefined, (url, body) =>
        send(url, { path: '', headers: {}, body }),
      ),
    bowline: () => send(worker.url, shot),
    stdio: () => stdio.callTool({ name: 'read_text_file', arguments: { path } }),
  };
  const times = {
    bare: [] as number[],
    link: [] as number[],
    bowline: [] as number[],
    stdio: [] as number[],
  };
  for (const one of Object.values(ways)) for (let i = 0; i < 20; i++) await one();
  for (let round = 0; round < ROUNDS; round++) {
    const order = Object.keys(ways) as (keyof typeof ways)[];
    for (const way of round % 2 === 0 ? order : order.toReversed()) {
      for (let i = 0; i < REQUESTS / (size > 500_000 ? 4 : 1); i++) {
        const began = performance.now();
        await ways[way]();
        times[way].push(performance.now() - began);
      }
    }
  }
  const rate = (way: keyof typeof ways) =>
    (1_000 * times[way].length) / times[way].reduce((sum, ms) => sum + ms, 0);
  const shown = (way: keyof typeof ways) => {
    const sorted = times[way].toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
    return `${rate(way).toFixed(0)} (${at(0.5)}, ${at(0.99)})`;
  };
  const ratios = [
    (rate('bare') / rate('link')).toFixed(2),
    (rate('bare') / rate('bowline')).toFixed(2),
    (rate('bowline') / rate('stdio')).toFixed(2),
  ];
  const cells = [
    size,
    shown('bare'),
    shown('link'),
    ratios[0],
    shown('bowline'),
    ratios[1],
    shown('stdio'),
    ratios[2],
  ];
  console.log(`| ${cells.join(' | ')} |`);
  // A file as large as the largest has no row for the link alone, and a call of 100 B none beside stdio.
  if (size < SIZES['1 MiB']) figure(`link, ${label}, past the door`, rate('bare') / rate('link'));
  figure(`link, ${label}, everything on`, rate('bare') / rate('bowline'));
  if (size > SIZES['100 B'])
    figure(`\`read_file\`, ${label}, stdio's reads a second over ours`, rate('stdio') / rate('bowline'));
}
link.stop();
bare.close();
await stdio.close();
machine.forget();
rmSync(folder, { recursive: true });
closeConnections();
await worker.stop();

/** Makes a `read_file` whose file is in memory already, because the way to it is measured. */
function fileTools(): ToolSet {
  const contract = catalogue.read_file;
  const [example] = contract.examples;
  const texts = new Map<string, string>();
  const textOf = (size: number) => `${'x'.repeat(99)}\n`.repeat(Math.ceil(size / 100)).slice(0, size);
  return new Map([
    [
      contract.wireName,
      {
        contract,
        call: async () => {
          throw new Error('The link runs what was prepared.');
        },
        look: async () => ({ kind: 'none', why: 'It only reads.' }),
        run: async ({ input }) => {
          const { path } = contract.input.parse(input);
          const text = texts.get(path) ?? textOf(Number(path));
          texts.set(path, text);
          return { kind: 'ok' as const, output: { ...example.output, output: text } };
        },
      },
    ],
  ]);
}

/** Answers each request with so many bytes. */
async function bareBridge(url: string): Promise<WebSocket> {
  const web = new WebSocket(url);
  web.binaryType = 'arraybuffer';
  const bytes = randomBytes(1_024 * 1_024 + 8);
  web.addEventListener('message', ({ data }: { data: unknown }) => {
    const { n, size } = JSON.parse(String(data)) as { n: number; size: number };
    const frame = bytes.subarray(0, size + 8);
    frame.writeDoubleBE(n);
    web.send(frame);
  });
  await new Promise((done, failed) => {
    web.addEventListener('open', done);
    web.addEventListener('error', failed);
  });
  return web;
}

async function filesystemServer(root: string): Promise<Client> {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/package.json',
  );
  const client = new Client({ name: 'bench', version: '1' });
  const program = join(dirname(manifest), 'dist', 'index.js');
  await client.connect(
    new StdioClientTransport({ command: 'node', args: [program, root], stderr: 'ignore' }),
  );
  return client;
}
