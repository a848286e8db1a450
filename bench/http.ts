import { startGateway } from './support/gateway.ts';
import { closeConnections, fire, type Shot, send } from './support/load.ts';
import { type BareWorker, bundleGateway, startWorkerd } from './support/workerd.ts';

/**
 * Measures the processor time of a call over MCP of both eras, against a bare handler that answers the same bytes.
 * Rounds alternate between the two, so that other work on the machine hits both.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 8);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2_000);

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const { worker: gateway, token } = await startGateway();
const json = {
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const shots: Record<string, Shot> = {
  'hello, MCP 2026-07-28': modern('tools/call', { name: 'hello', arguments: { name: 'Ada' } }, 'hello'),
  'hello, MCP 2025': legacy('tools/call', { name: 'hello', arguments: { name: 'Ada' } }),
  'hello, REST': { path: '/tools/hello', headers: json, body: '{"name":"Ada"}' },
  'tools/list, MCP 2026-07-28': modern('tools/list', {}),
  'tools/list, MCP 2025': legacy('tools/list', {}),
};

const rows: string[][] = [];
for (const [what, shot] of Object.entries(shots)) {
  const bare = await startWorkerd('bare', bareWorker(await send(gateway.url, shot)));
  const cost = new Map<BareWorker, number>([
    [gateway, 0],
    [bare, 0],
  ]);
  for (const worker of [gateway, bare]) await fire(worker.url, shot, REQUESTS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const worker of round % 2 === 0 ? [gateway, bare] : [bare, gateway]) {
      const before = worker.cpuMicros();
      await fire(worker.url, shot, REQUESTS);
      cost.set(worker, (cost.get(worker) ?? 0) + worker.cpuMicros() - before);
    }
  }
  const each = (worker: BareWorker) => (cost.get(worker) ?? 0) / (ROUNDS * REQUESTS);
  rows.push([
    what,
    each(bare).toFixed(0),
    each(gateway).toFixed(0),
    `${(each(gateway) / each(bare)).toFixed(2)}×`,
  ]);
  await bare.stop();
}
const rates = await againstSdk();
await gateway.stop();
closeConnections();

console.log(`CPU a request in µs, ${ROUNDS} interleaved rounds of ${REQUESTS} requests\n`);
console.log('| what | bare | Bowline | ratio |\n|---|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
console.log(`\n${rates}`);

/** Measures calls a second against the protocol's own handler with the same tools and no sign-in, limits or ledger. */
async function againstSdk(): Promise<string> {
  const sdk = await startWorkerd('sdk', await bundleGateway('bench/sdk-worker.ts'));
  const shot = modern('tools/call', { name: 'hello', arguments: { name: 'Ada' } }, 'hello');
  const lines: string[] = [];
  for (const callers of [8, 64]) {
    const both = [sdk, gateway].map((worker) => ({ worker, seconds: 0, micros: 0 }));
    for (const { worker } of both) await fire(worker.url, shot, REQUESTS, callers);
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of round % 2 === 0 ? both : both.toReversed()) {
        const before = one.worker.cpuMicros();
        one.seconds += (await fire(one.worker.url, shot, REQUESTS, callers)).seconds;
        one.micros += one.worker.cpuMicros() - before;
      }
    }
    const calls = ROUNDS * REQUESTS;
    const cells = both.map(
      ({ seconds, micros }) => `${(calls / seconds).toFixed(0)} (${(micros / calls).toFixed(0)} µs)`,
    );
    const [theirs, ours] = both.map(({ seconds }) => calls / seconds);
    lines.push(`| ${callers} | ${cells.join(' | ')} | ${((theirs ?? 0) / (ours ?? 1)).toFixed(2)} |`);
  }
  await sdk.stop();
  return [
    'Calls of hello a second, and CPU for each\n',
    "| callers | the SDK's handler, nothing on | Bowline | SDK / Bowline |\n|---|---|---|---|",
    ...lines,
  ].join('\n');
}

function modern(method: string, params: object, name?: string): Shot {
  return {
    path: '/mcp',
    headers: {
      ...json,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
  };
}

function legacy(method: string, params: object): Shot {
  return {
    path: '/mcp',
    headers: { ...json, 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  };
}

/** Makes a Worker that reads the request, as every handler must, and gives Bowline's answer. */
function bareWorker(answer: string): string {
  return `const answer = ${JSON.stringify(answer)};
export default {
  async fetch(request) {
    await request.text();
    return new Response(answer, { headers: { 'content-type': 'application/json' } });
  },
};`;
}
