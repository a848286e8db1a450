import { figure } from './support/figures.ts';
import { startGateway } from './support/gateway.ts';
import { closeConnections, fire, type Shot } from './support/load.ts';
import { type BareWorker, startWorkerd } from './support/workerd.ts';

/**
 * Measures calls a second through the gate, with sign-in, exact limits, policy and ledger, against a Durable Object
 * that only counts in its database. Rounds alternate between the two.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2_000);

const counter = await startWorkerd(
  'counter',
  `import { DurableObject } from 'cloudflare:workers';
export class Counter extends DurableObject {
  constructor(state, env) {
    super(state, env);
    this.sql = state.storage.sql;
    this.sql.exec('CREATE TABLE IF NOT EXISTS count (id INTEGER PRIMARY KEY, n INTEGER)');
    this.sql.exec('INSERT OR IGNORE INTO count VALUES (1, 0)');
  }
  add() {
    return this.sql.exec('UPDATE count SET n = n + 1 RETURNING n').one().n;
  }
}
export default {
  async fetch(request, env) {
    await request.text();
    const n = await env.COUNTER.get(env.COUNTER.idFromName('one')).add();
    return Response.json({ greeting: 'Hello, Ada!', message: 'Hello, Ada!', timestamp: new Date().toISOString(), n });
  },
};`,
  { objects: { COUNTER: 'Counter' } },
);
const { worker: gateway, token } = await startGateway();
const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
const shot: Shot = { path: '/tools/hello', headers, body: '{"name":"Ada"}' };

console.log(`${ROUNDS} interleaved rounds of ${REQUESTS} calls\n`);
console.log('| callers | counter, calls/s | gate, calls/s | gate / counter |\n|---|---|---|---|');
for (const callers of [1, 16, 64]) {
  const seconds = new Map<BareWorker, number>();
  for (const worker of [counter, gateway]) await fire(worker.url, shot, 500, callers);
  for (let round = 0; round < ROUNDS; round++) {
    for (const worker of round % 2 === 0 ? [counter, gateway] : [gateway, counter]) {
      const burst = await fire(worker.url, shot, REQUESTS, callers);
      seconds.set(worker, (seconds.get(worker) ?? 0) + burst.seconds);
    }
  }
  const rate = (worker: BareWorker) => (ROUNDS * REQUESTS) / (seconds.get(worker) ?? 1);
  const [plain, gated] = [rate(counter), rate(gateway)];
  console.log(`| ${callers} | ${plain.toFixed(0)} | ${gated.toFixed(0)} | ${(gated / plain).toFixed(2)} |`);
  const who = callers === 1 ? '1 caller' : `${callers} callers`;
  figure(`\`hello\` over REST, an object's counts a second over ours, ${who}`, plain / gated);
}
await Promise.all([counter.stop(), gateway.stop()]);
closeConnections();
