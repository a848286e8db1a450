import { parseArgs } from 'node:util';
import { closeConnections } from '../bench/support/load.ts';
import { startLinkBridge } from '../test/support/link-bridge.ts';
import { pairTestMachine, startLinkGateway } from '../test/support/link-gateway.ts';
import { journalOf, type Memory, makeCalls, memoryOf, readSlowly } from '../test/support/link-load.ts';

/**
 * Calls a machine many times through a real gateway and a real bridge, and shows each side's memory and the size of
 * the machine's journal: `--calls 100000`, and `--seconds 600` to end sooner.
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '3600' },
  },
});
const calls = Number(values.calls);
/** The calls before the first measurement: the memory that a fresh process takes says nothing about leaks. */
const WARM_UP = Math.min(5_000, Math.ceil(calls / 10));
const STEPS = 20;

const { worker } = await startLinkGateway({ minify: true });
const machine = await pairTestMachine(worker, 'leak');
const bridge = await startLinkBridge(machine, worker.url);
const sides = { worker, machine, bridge };
const began = performance.now();
const until = began + Number(values.seconds) * 1_000;
try {
  console.log('| calls | seconds | gateway, MB | bridge, MB | journal, KB |\n|---|---|---|---|---|');
  show(0, memoryOf(sides));
  let made = await makeCalls(sides, { from: 0, count: WARM_UP });
  const warm = memoryOf(sides);
  show(made, warm);
  const step = Math.ceil((calls - WARM_UP) / STEPS);
  while (made < calls && performance.now() < until) {
    const count = Math.min(step, calls - made);
    made += await makeCalls(sides, { from: made, count, isOver: () => performance.now() >= until });
    show(made, memoryOf(sides));
  }
  const end = memoryOf(sides);
  while (journalOf(machine).held.length > 0) await new Promise((done) => setTimeout(done, 20));
  const { bytes } = journalOf(machine);
  console.log(`\nAfter the first ${WARM_UP}: ${grown(warm, end)} over ${made - WARM_UP} calls.`);
  console.log(`The journal holds no call, in ${Math.round(bytes / 1_024)} KB.`);
  console.log('\nMemory that rises while a result goes to a slow reader:');
  for (const tool of ['echo', 'count'] as const) {
    for (const size of [10_000_000, 10_000_001, 20_000_000]) {
      const { length, rose } = await readSlowly(sides, tool, size);
      const what = tool === 'echo' ? 'a read' : 'an effect';
      console.log(`${what} of ${megabytes(length)} MB: ${grown({ gateway: 0, bridge: 0 }, rose)}`);
    }
  }
} finally {
  bridge.child.kill('SIGKILL');
  await bridge.ended;
  machine.forget();
  closeConnections();
  await worker.stop();
}

function show(made: number, { gateway, bridge: own }: Memory): void {
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  const journal = (journalOf(machine).bytes / 1_024).toFixed(0);
  console.log(`| ${made} | ${seconds} | ${megabytes(gateway)} | ${megabytes(own)} | ${journal} |`);
}

function grown(from: Memory, to: Memory): string {
  return `gateway ${megabytes(to.gateway - from.gateway)} MB, bridge ${megabytes(to.bridge - from.bridge)} MB more`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
