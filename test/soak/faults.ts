import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, Violation } from './history.ts';
import type { Load } from './load.ts';
import { LONG_FILE, type Product } from './product.ts';
import type { Random } from './random.ts';
import { outlived } from './sessions.ts';

export interface Scene {
  readonly product: Product;
  readonly load: Pick<Load, 'pause' | 'wrong'>;
  readonly owner: { pause(until: Promise<unknown>): void };
  readonly random: Random;
  /** How long nothing is broken at most, between one fault and the next. */
  readonly pauseMs: number;
}

export type Break = (scene: Scene) => Promise<void>;

/** Longer than the ten seconds after which an object that nobody asks goes to sleep. */
const ASLEEP_MS = 12_500;
/** Far longer than it takes, on a busy computer too. */
const BACK_MS = 60_000;
const READERS = 2;
const SIP_BYTES = 256 * 1_024;

const bridgeEnds = (how: 'SIGKILL' | 'SIGTERM'): Break => {
  return async ({ product, random }) => {
    await product.endBridge(how);
    await wait(random.whole(1_500));
    product.startBridge();
  };
};

const gatewayEnds = (how: 'SIGKILL' | 'SIGTERM'): Break => {
  return async ({ product, random }) => {
    await product.endGateway(how);
    await wait(random.whole(1_000));
    await product.startGateway();
  };
};

/** Every connection is reset, and those that are made meanwhile. */
const cut: Break = async ({ product, random }) => {
  const until = Date.now() + random.whole(3_000);
  do {
    product.proxy.cut();
    await wait(25);
  } while (Date.now() < until);
};

/** Nothing comes through and nobody is told; what was sent meanwhile is lost. */
const goDead: Break = async ({ product, random }) => {
  product.proxy.deafen(true);
  await wait(1_000 + random.whole(3_000));
  product.proxy.cut();
  product.proxy.deafen(false);
};

/** The bridge's disk takes in nothing for a while; at times it also loses its connection then, or is ended. */
const fillDisk: Break = async ({ product, random }) => {
  product.fillDisk(true);
  try {
    await wait(700 + random.whole(1_500));
    const more = random.whole(3);
    if (more === 1) product.proxy.cut();
    if (more === 2) await product.endBridge('SIGKILL');
    await wait(random.whole(1_000));
    if (more !== 2) return;
  } finally {
    product.fillDisk(false);
  }
  product.startBridge();
};

/** Everybody is silent until the objects sleep; the machine's socket stays open meanwhile. */
const sleep: Break = async ({ load, owner }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await load.pause(promise);
  owner.pause(promise);
  await wait(ASLEEP_MS);
  resolve();
};

const readSlowly: Break = async ({ product, load }) => {
  const at = Date.now();
  const read = async () => {
    const problem = await readOnce(product);
    // On a busy computer a read may run out of time. It then says so, and is sent again.
    return problem?.includes('"code":"timeout"') ? readOnce(product) : problem;
  };
  const all = await Promise.all(Array.from({ length: READERS }, read));
  for (const problem of all)
    if (problem !== undefined) load.wrong.push({ kind: 'answer', what: `A slow reader ${problem}`, at });
};

/** What is wrong with a long file that is read in sips, if anything is. */
async function readOnce({ url, token }: Product): Promise<string | undefined> {
  const body = await new Promise<Readable>((done, failed) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const outgoing = request(`${url}/tools/read_file`, { method: 'POST', headers }, done);
    outgoing.once('error', failed);
    outgoing.end(JSON.stringify({ path: LONG_FILE.path }));
  });
  let text = '';
  let pause = SIP_BYTES;
  for await (const chunk of body.setEncoding('utf8')) {
    text += chunk;
    if (text.length < pause) continue;
    pause += SIP_BYTES;
    await wait(60);
  }
  const lines = text.split(LONG_FILE.line.trimEnd()).length - 1;
  return lines === LONG_FILE.lines
    ? undefined
    : `got ${lines} of ${LONG_FILE.lines} lines: ${text.slice(0, 200)}`;
}

/** Takes longest and breaks least, so it comes last: a short run has the others first. */
const LAST = 'objects asleep';

/** The fault that only a gateway with a disk of its own can have. */
export const NEEDS_DISK = 'full gateway disk';

/** What a soak breaks. */
export const FAULTS: Readonly<Record<string, Break>> = {
  'bridge killed': bridgeEnds('SIGKILL'),
  'bridge stopped': bridgeEnds('SIGTERM'),
  'gateway killed': gatewayEnds('SIGKILL'),
  'gateway stopped': gatewayEnds('SIGTERM'),
  'network cut': cut,
  'network dead': goDead,
  'disk full': fillDisk,
  'slow readers': readSlowly,
  [LAST]: sleep,
};

/** What is broken, for how long and how often, and what has to hold after each time. */
export interface Plan {
  readonly faults: Readonly<Record<string, Break>>;
  readonly until: number;
  readonly most: number;
  held?(scene: Scene): Promise<void>;
}

/** Breaks one thing after the other, in a seeded order that has each kind once, then in another, until it is time. */
export async function breakThings(scene: Scene, plan: Plan, done: (fault: Fault) => void): Promise<void> {
  const others = Object.keys(plan.faults).filter((one) => one !== LAST);
  const last = Object.keys(plan.faults).filter((one) => one === LAST);
  for (let broken = 0; ; ) {
    for (const kind of [...scene.random.shuffled(others), ...last]) {
      await wait(300 + scene.random.whole(scene.pauseMs));
      if (Date.now() >= plan.until || broken >= plan.most) return;
      const at = Date.now();
      try {
        await plan.faults[kind]?.(scene);
        await isBack(scene.product);
        scene.load.wrong.push(...(await outlived(scene.product)));
        await plan.held?.(scene);
      } finally {
        broken += 1;
        done({ kind, at, until: Date.now() });
      }
    }
  }
}

/** Waits for the machine to take calls that change something; that it comes back is part of what is promised. */
export async function isBack(product: Product): Promise<void> {
  let kept: string | undefined = '';
  for (const until = Date.now() + BACK_MS; Date.now() < until; await wait(100)) {
    kept = await product.keptFromBridge().catch(String);
    if (kept === undefined) return;
  }
  const said = `The gateway last said: ${kept}. The bridge last said: ${product.bridgeSaid()}`;
  throw new Error(`The machine is away for ${BACK_MS / 1_000} s. ${said}`);
}

/** A violation as a fault that did not mend itself makes one. */
export function notMended(error: unknown): Violation {
  const { message = String(error), cause } = error instanceof Error ? error : {};
  const why = cause === undefined ? '' : ` (${String(cause)})`;
  return { kind: 'process', what: `What was broken did not recover: ${message}${why}`, at: Date.now() };
}
