import { figure, RUNS, spread } from './support/figures.ts';
import { startGateway } from './support/gateway.ts';
import { closeConnections, fire, type Shot, send } from './support/load.ts';
import { type BareWorker, bundleGateway, startWorkerd } from './support/workerd.ts';

/**
 * Measures the processor time of a call over MCP of both eras, as clients send it, against a bare handler that answers
 * the same bytes, and the calls a second against the protocol's own handler. Rounds alternate, so that other work on the
 * machine hits all. Each run starts everything anew, because two starts differ more than two rounds.
 */
/** As many as a runtime needs to collect everything once. With fewer, that falls into some figures and not into others. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 250);
/** The requests until a runtime has compiled what it runs often. */
const WARM_UP = 2_000;
const wanted = new RegExp(process.env.BENCH_SHOTS ?? '');
const callers = (process.env.BENCH_CALLERS ?? '1 8 64').split(' ').map(Number);

const PROTOCOL = 'io.modelcontextprotocol/';
const envelope = {
  [`${PROTOCOL}protocolVersion`]: '2026-07-28',
  [`${PROTOCOL}clientInfo`]: { name: 'bench', version: '1' },
  [`${PROTOCOL}clientCapabilities`]: {},
};
const asks = {
  [`${PROTOCOL}clientCapabilities`]: { elicitation: { url: {}, form: {} }, roots: { listChanged: true } },
};
const hello = { name: 'hello', arguments: { name: 'Ada' } };
const PLAINEST = 'hello, MCP 2026-07-28';
const THEIRS = "SDK's calls a second over ours";

/** Ratios by what was measured and by the number of callers. */
type Ratios = Map<string, Map<number, number[]>>;
const [costs, rates]: [Ratios, Ratios] = [new Map(), new Map()];
const modules = await bundleGateway();
const sdkModules = process.env.BENCH_NO_SDK ? undefined : await bundleGateway('bench/sdk-worker.ts');
for (let run = 1; run <= RUNS; run++) {
  if (RUNS > 1) console.error(`Run ${run} of ${RUNS}`);
  await measure();
}
closeConnections();

console.log(`Processor time a request, Bowline / bare. ${runs()}\n`);
table(costs);
if (sdkModules) {
  console.log(
    `\nAgainst the SDK's handler with the same tools, and no sign-in, limits or ledger. ${runs()}\n`,
  );
  table(rates);
}
noteFigures();

/** Notes the rows of docs/performance.md: the worst number of callers for each protocol, and all of each kind of client. */
function noteFigures(): void {
  for (const [what, cells] of costs) {
    const [tool = '', ...rest] = what.split(', ');
    const worst = [...cells.values()].toSorted((a, b) => spread(b).middle - spread(a).middle)[0] ?? [];
    // Only the two protocols as they come have a row of their own.
    if (rest.length === 1 && rest[0] !== 'REST')
      for (const ratio of worst) figure(`\`${tool}\`, ${rest[0]}, processor time`, ratio);
    for (const [count, ratios] of cells)
      for (const ratio of ratios) figure(kindOf(tool, rest), ratio, howMany(count));
  }
  for (const [count, ratios] of rates.get(THEIRS) ?? [])
    for (const ratio of ratios) figure(`\`hello\`, the ${THEIRS}, ${howMany(count)}`, ratio);
}

/** Names a kind of call as the table of clients does. */
function kindOf(tool: string, [protocol = '', ...more]: readonly string[]): string {
  const plainest = tool === 'hello' && protocol !== 'REST' && more.length === 0 ? ['plainest'] : [];
  return [`\`${tool}\``, protocol.replace('MCP ', ''), ...plainest, ...more].join(', ');
}

function howMany(count: number): string {
  return count === 1 ? '1 caller' : `${count} callers`;
}

function runs(): string {
  return `${RUNS === 1 ? '1 run' : `${RUNS} runs`} of ${ROUNDS} rounds of ${REQUESTS}`;
}

function table(ratios: Ratios): void {
  console.log(`| what | ${callers.map((count) => `callers: ${count}`).join(' | ')} |`);
  console.log(`|---|${callers.map(() => '---').join('|')}|`);
  for (const [what, cells] of ratios)
    console.log(`| ${what} | ${callers.map((count) => spread(cells.get(count) ?? []).text).join(' | ')} |`);
}

/** Starts the gateway, measures all of it once, and adds what it measured. */
async function measure(): Promise<void> {
  const { worker: gateway, token } = await startGateway(modules);
  const json = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const shots = shotsFor(json, await sessionOf(gateway.url, json));
  const { [PLAINEST]: plainest } = shots;
  for (const [what, shot] of Object.entries(shots)) {
    if (!wanted.test(what)) continue;
    const bare = await startWorkerd('bare', bareWorker(await send(gateway.url, shot)));
    for (const worker of [gateway, bare]) await fire(worker.url, shot, WARM_UP);
    for (const count of callers) {
      const { cost } = await compare([gateway, bare], shot, count);
      add(costs, what, count, cost);
    }
    await bare.stop();
  }
  if (sdkModules && plainest) {
    const sdk = await startWorkerd('sdk', sdkModules);
    for (const worker of [gateway, sdk]) await fire(worker.url, plainest, WARM_UP);
    for (const count of callers) {
      const { cost, time } = await compare([gateway, sdk], plainest, count);
      add(rates, THEIRS, count, time);
      add(rates, 'our processor time over theirs', count, cost);
    }
    await sdk.stop();
  }
  await gateway.stop();
}

function add(ratios: Ratios, what: string, count: number, ratio: number): void {
  const cells = ratios.get(what) ?? new Map<number, number[]>();
  ratios.set(what, cells.set(count, [...(cells.get(count) ?? []), ratio]));
}

/** Gives the processor time and the time of one Worker over those of another, for the same requests in turns. */
async function compare(both: readonly [BareWorker, BareWorker], shot: Shot, concurrency: number) {
  const sums = both.map((worker) => ({ worker, micros: 0, seconds: 0 }));
  for (const worker of both) await fire(worker.url, shot, REQUESTS, concurrency);
  for (let round = 0; round < ROUNDS; round++) {
    for (const sum of round % 2 === 0 ? sums : sums.toReversed()) {
      const before = sum.worker.cpuMicros();
      sum.seconds += (await fire(sum.worker.url, shot, REQUESTS, concurrency)).seconds;
      sum.micros += sum.worker.cpuMicros() - before;
    }
  }
  const [ours, theirs] = sums;
  return {
    cost: (ours?.micros ?? 0) / (theirs?.micros ?? 1),
    time: (ours?.seconds ?? 0) / (theirs?.seconds ?? 1),
  };
}

type Headers = Readonly<Record<string, string>>;

function shotsFor(json: Headers, session: string): Record<string, Shot> {
  const modernHello = (meta: object = {}) => modern(json, 'tools/call', hello, 'hello', meta);
  const asking = { ...json, 'mcp-session-id': session };
  const progress = { ...hello, _meta: { progressToken: 7 } };
  return {
    [PLAINEST]: modernHello(),
    'hello, MCP 2026-07-28, can ask its person': modernHello(asks),
    'hello, MCP 2026-07-28, shows progress': modernHello({ progressToken: 7 }),
    'hello, MCP 2026-07-28, both, and log lines': modernHello({
      ...asks,
      progressToken: 7,
      [`${PROTOCOL}logLevel`]: 'info',
    }),
    'hello, MCP 2025': legacy(json, 'tools/call', hello),
    'hello, MCP 2025, can ask its person': legacy(asking, 'tools/call', hello),
    'hello, MCP 2025, shows progress': legacy(json, 'tools/call', progress),
    'hello, REST': { path: '/tools/hello', headers: json, body: '{"name":"Ada"}' },
    'tools/list, MCP 2026-07-28': modern(json, 'tools/list', {}),
    'tools/list, MCP 2025': legacy(json, 'tools/list', {}),
  };
}

/** Begins as a 2025 client that can ask its person, and gives the session that says so. */
async function sessionOf(url: string, json: Headers): Promise<string> {
  const capabilities = { elicitation: { form: {}, url: {} } };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'bench', version: '1' } };
  const { path, headers, body } = legacy(json, 'initialize', params);
  const response = await fetch(url + path, { method: 'POST', headers, body });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

function modern(json: Headers, method: string, params: object, name?: string, meta: object = {}): Shot {
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

function legacy(json: Headers, method: string, params: object): Shot {
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
