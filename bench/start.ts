import { gzipSync } from 'node:zlib';
import { figure, RUNS } from './support/figures.ts';
import { bundleGateway, GATEWAY_OBJECTS, type Modules, startWorkerd } from './support/workerd.ts';

/**
 * Measures the gateway's size, and the processor time of a start up to its first answer, against a bare Worker's.
 * Starts alternate between the two.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20);

const BARE: Modules = { 'worker.js': `export default { fetch: () => new Response('{"ok":true}') };` };
const bundle = await bundleGateway();

const sizes = sizesOf(bundle);
console.log('| Worker bundle, minified and gzipped | KiB |\n|---|---|');
console.log(`| what every start reads | ${kib(sizes.atStart)} |`);
console.log(`| parts that are loaded on first use | ${kib(sizes.later)} |`);

figure('Worker that every start reads, gzipped', sizes.atStart / 1_024);
for (let run = 1; run <= RUNS; run++) await measure();

async function measure(): Promise<void> {
  const millis = { bare: [] as number[], gateway: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const which of round % 2 === 0 ? (['bare', 'gateway'] as const) : (['gateway', 'bare'] as const))
      millis[which].push(await startOnce(which === 'bare' ? BARE : bundle));
  }
  const [bare, gateway] = [median(millis.bare), median(millis.gateway)];
  console.log(`\nCPU of a start to its first answer in ms, the median of ${ROUNDS} starts by turns\n`);
  console.log('| bare Worker | Bowline | over bare |\n|---|---|---|');
  console.log(`| ${bare.toFixed(0)} | ${gateway.toFixed(0)} | ${(gateway - bare).toFixed(0)} |`);
  figure('processor time of a start', gateway - bare);
}

async function startOnce(modules: Modules): Promise<number> {
  const worker = await startWorkerd('start', modules, {
    vars: { PUBLIC_URL: 'http://127.0.0.1', ALLOWED_HOSTS: '127.0.0.1' },
    objects: modules === BARE ? {} : GATEWAY_OBJECTS,
    kv: ['OAUTH_KV'],
  });
  const response = await fetch(`${worker.url}/healthz`);
  if (!response.ok) throw new Error(`The Worker answered ${response.status}.`);
  await response.text();
  const spent = worker.cpuMicros() / 1_000;
  await worker.stop();
  return spent;
}

/** Counts the gzipped bytes of the modules that the main one imports at start, and of the rest. */
function sizesOf(modules: Modules): { atStart: number; later: number } {
  const needed = new Set(['worker.js']);
  for (const name of needed) {
    for (const [, path = ''] of (modules[name] ?? '').matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      needed.add(path);
  }
  const sizes = { atStart: 0, later: 0 };
  for (const [name, text] of Object.entries(modules))
    sizes[needed.has(name) ? 'atStart' : 'later'] += gzipSync(text).length;
  return sizes;
}

function kib(bytes: number): string {
  return (bytes / 1_024).toFixed(0);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
