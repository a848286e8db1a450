import { startGateway } from './support/gateway.ts';
import { closeConnections, fire, type Shot, send } from './support/load.ts';
import { type BareWorker, bundleGateway, startWorkerd } from './support/workerd.ts';

/**
 * Measures the processor time of a call over MCP of both eras, as clients send it, against a bare handler that answers
 * the same bytes. Rounds alternate between the two, so that other work on the machine hits both.
 */
const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 4);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 500);

const PROTOCOL = 'io.modelcontextprotocol/';
const envelope = {
  [`${PROTOCOL}protocolVersion`]: '2026-07-28',
  [`${PROTOCOL}clientInfo`]: { name: 'bench', version: '1' },
  [`${PROTOCOL}clientCapabilities`]: {},
};
const asks = {
  [`${PROTOCOL}clientCapabilities`]: { elicitation: { url: {}, form: {} }, roots: { listChanged: true } },
};
const { worker: gateway, token } = await startGateway();
const json = {
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const hello = { name: 'hello', arguments: { name: 'Ada' } };
const modernHello = (meta: object = {}) => modern('tools/call', hello, 'hello', meta);
const session = await sessionOf({ elicitation: { form: {}, url: {} } });

const shots: Record<string, Shot> = {
  'hello, MCP 2026-07-28': modernHello(),
  'hello, MCP 2026-07-28, can ask its person': modernHello(asks),
  'hello, MCP 2026-07-28, shows progress': modernHello({ progressToken: 7 }),
  'hello, MCP 2026-07-28, asks, progress, log lines': modernHello({
    ...asks,
    progressToken: 7,
    [`${PROTOCOL}logLevel`]: 'info',
  }),
  'hello, MCP 2025': legacy('tools/call', hello),
  'hello, MCP 2025, can ask its person': legacy('tools/call', hello, { 'mcp-session-id': session }),
  'hello, MCP 2025, shows progress': legacy('tools/call', { ...hello, _meta: { progressToken: 7 } }),
  'hello, REST': { path: '/tools/hello', headers: json, body: '{"name":"Ada"}' },
  'tools/list, MCP 2026-07-28': modern('tools/list', {}),
  'tools/list, MCP 2025': legacy('tools/list', {}),
};
const wanted = process.env.BENCH_SHOTS;
const callers = (process.env.BENCH_CALLERS ?? '1 8 64').split(' ').map(Number);

console.log(`Processor time a request, Bowline / bare: ${RUNS} runs of ${ROUNDS} rounds of ${REQUESTS}\n`);
console.log(`| what | ${callers.map((count) => `callers: ${count}`).join(' | ')} |`);
console.log(`|---|${callers.map(() => '---').join('|')}|`);
for (const [what, shot] of Object.entries(shots)) {
  if (wanted && !new RegExp(wanted).test(what)) continue;
  const bare = await startWorkerd('bare', bareWorker(await send(gateway.url, shot)));
  const cells: string[] = [];
  for (const count of callers) cells.push(await timesBare(bare, shot, count));
  console.log(`| ${what} | ${cells.join(' | ')} |`);
  await bare.stop();
}
if (!process.env.BENCH_NO_SDK) console.log(`\n${await againstSdk()}`);
await gateway.stop();
closeConnections();

/** Gives the range of the ratio over the runs, and its middle. */
async function timesBare(bare: BareWorker, shot: Shot, concurrency: number): Promise<string> {
  for (const worker of [gateway, bare]) await fire(worker.url, shot, REQUESTS, concurrency);
  const ratios: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const cost = new Map<BareWorker, number>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const worker of round % 2 === 0 ? [gateway, bare] : [bare, gateway]) {
        const before = worker.cpuMicros();
        await fire(worker.url, shot, REQUESTS, concurrency);
        cost.set(worker, (cost.get(worker) ?? 0) + worker.cpuMicros() - before);
      }
    }
    ratios.push((cost.get(gateway) ?? 0) / (cost.get(bare) ?? 1));
  }
  return spread(ratios);
}

function spread(ratios: number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.round(part * (sorted.length - 1))] ?? 0).toFixed(2);
  return `${at(0.5)} (${at(0)}–${at(1)})`;
}

/** Begins as a 2025 client that can do something, and gives the session that says so. */
async function sessionOf(capabilities: object): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'bench', version: '1' } };
  const { path, headers, body } = legacy('initialize', params);
  const response = await fetch(gateway.url + path, { method: 'POST', headers, body });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

/** Measures calls a second against the protocol's own handler with the same tools and no sign-in, limits or ledger. */
async function againstSdk(): Promise<string> {
  const sdk = await startWorkerd('sdk', await bundleGateway('bench/sdk-worker.ts'));
  const shot = modernHello();
  const lines: string[] = [];
  for (const count of callers) {
    for (const worker of [sdk, gateway]) await fire(worker.url, shot, REQUESTS, count);
    const rates: number[] = [];
    const micros: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const both = [sdk, gateway].map((worker) => ({ worker, seconds: 0, micros: 0 }));
      for (let round = 0; round < ROUNDS; round++) {
        for (const one of round % 2 === 0 ? both : both.toReversed()) {
          const before = one.worker.cpuMicros();
          one.seconds += (await fire(one.worker.url, shot, REQUESTS, count)).seconds;
          one.micros += one.worker.cpuMicros() - before;
        }
      }
      const [theirs, ours] = both;
      rates.push((ours?.seconds ?? 0) / (theirs?.seconds ?? 1));
      micros.push((ours?.micros ?? 0) / (theirs?.micros ?? 1));
    }
    lines.push(`| ${count} | ${spread(rates)} | ${spread(micros)} |`);
  }
  await sdk.stop();
  return [
    "Against the SDK's handler with the same tools, and no sign-in, limits or ledger\n",
    '| callers of hello | calls a second, theirs / ours | processor time, ours / theirs |\n|---|---|---|',
    ...lines,
  ].join('\n');
}

function modern(method: string, params: object, name?: string, meta: object = {}): Shot {
  return {
    path: '/mcp',
    headers: {
      ...json,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: { ...envelope, ...meta } },
    }),
  };
}

function legacy(method: string, params: object, headers: Readonly<Record<string, string>> = {}): Shot {
  return {
    path: '/mcp',
    headers: { ...json, 'mcp-protocol-version': '2025-11-25', ...headers },
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
