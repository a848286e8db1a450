import { figure } from './support/figures.ts';
import { closeConnections, fire, type Shot, send } from './support/load.ts';
import { bundleGateway, GATEWAY_OBJECTS, startWorkerd } from './support/workerd.ts';

/**
 * Measures appends a second to the memory, chained and indexed, against a Durable Object that does one INSERT. Also
 * measures appending and reading the end once there are many entries. Rounds alternate between them.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2_000);
const MANY = Number(process.env.BENCH_ENTRIES ?? 100_000);

const worker = await startWorkerd('memory', await bundleGateway('bench/memory-worker.ts'), {
  vars: { PUBLIC_URL: 'http://127.0.0.1' },
  objects: { ...GATEWAY_OBJECTS, BARE: 'BareLog' },
  kv: ['OAUTH_KV'],
});
const shot = (path: string): Shot => ({ path, headers: {}, body: '' });

/** Measures requests a second for each path, with so many callers. */
async function rates(paths: readonly string[], callers: number): Promise<number[]> {
  const seconds = paths.map(() => 0);
  for (const path of paths) await fire(worker.url, shot(path), 300, callers);
  for (let round = 0; round < ROUNDS; round++) {
    const order = paths.map((path, i) => ({ path, i }));
    for (const { path, i } of round % 2 === 0 ? order : order.toReversed()) {
      seconds[i] = (seconds[i] ?? 0) + (await fire(worker.url, shot(path), REQUESTS, callers)).seconds;
    }
  }
  return seconds.map((spent) => (ROUNDS * REQUESTS) / spent);
}

const row = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);

console.log(`${ROUNDS} interleaved rounds of ${REQUESTS} requests\n`);
console.log('| writers | one INSERT, a second | append, a second | INSERT / append |\n|---|---|---|---|');
for (const callers of [1, 16, 64]) {
  const [bare = 0, memory = 0] = await rates([`/bare/of-${callers}`, `/append/of-${callers}`], callers);
  row([callers, bare.toFixed(0), memory.toFixed(0), (bare / memory).toFixed(2)]);
  figure(`memory append, ${callers === 1 ? '1 writer' : `${callers} writers`}`, bare / memory);
}

await send(worker.url, shot('/fill/few/100'));
await send(worker.url, shot(`/fill/many/${MANY}`));
// Read first, because appending changes the number of entries.
console.log(`\n| what | callers | of 100, a second | of ${MANY}, a second | ratio |\n|---|---|---|---|---|`);
for (const what of ['tail', 'append']) {
  let worst = 0;
  for (const callers of [1, 16]) {
    const [few = 0, many = 0] = await rates([`/${what}/few`, `/${what}/many`], callers);
    row([what, callers, few.toFixed(0), many.toFixed(0), (few / many).toFixed(2)]);
    worst = Math.max(worst, few / many);
  }
  if (what === 'append') figure('memory append, 100,000 entries', worst);
}
await worker.stop();
closeConnections();
