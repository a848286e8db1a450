import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dropJournal } from '../../local-bridge/agent/link/drop-journal.ts';
import { EXIT } from '../../local-bridge/lib/exit.ts';
import type { Running } from '../support/bridge.ts';
import { ENDS_WITHIN_MS, endsWith } from './ends-with.ts';
import { type Break, FAULTS, isBack, type Scene } from './faults.ts';
import { GATEWAY_FAULTS } from './gateway-faults.ts';
import { onceMore } from './owner.ts';
import { type Side, whileStopped } from './processes.ts';
import type { Product } from './product.ts';
import type { Random } from './random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Everything takes a while to come through, in both directions. */
const slow: Break = async ({ product, random }) => {
  product.proxy.delay(50 + random.whole(400));
  await wait(1_000 + random.whole(3_000));
  product.proxy.delay(0);
};

/** The process stands still, as on a computer that sleeps, and then goes on. */
const hangs = (side: Side): Break => {
  return async ({ product, random }) => whileStopped(product, side, () => wait(500 + random.whole(5_000)));
};

/** A second bridge is started on the same folder, and sees that it is one too many. */
const startTwice: Break = async ({ product }) => {
  const second = product.startOther(product.home);
  await endsWith(second, EXIT.failed, /already/);
};

/** A copy of the folder runs beside the original. The copy has to stop, and the original to go on. */
const copyFolder: Break = async ({ product }) => {
  const copied = join(product.base, 'copied');
  // A bridge that runs adds and removes files meanwhile, and a copy of that would be of no one time.
  await whileStopped(product, 'bridge', () => cpSync(product.home, copied, { recursive: true }));
  rmSync(join(copied, 'link', 'lock'), { force: true, recursive: true });
  try {
    await endsWith(product.startOther(copied), EXIT.copied, /copy/);
  } finally {
    rmSync(copied, { recursive: true, force: true });
  }
};

/** The folder comes back from a backup: its bridge has to stop until it is paired in place of the later one. */
const restoreFolder: Break = async (scene) => {
  const { product } = scene;
  const [link, earlier] = [join(product.home, 'link'), join(product.base, 'earlier')];
  await whileStopped(product, 'bridge', () => cpSync(join(link, 'journal'), earlier));
  await product.endBridge('SIGKILL');
  product.startBridge();
  await isBack(product);
  await product.endBridge(scene.random.pick(['SIGKILL', 'SIGTERM']));
  cpSync(earlier, join(link, 'journal'));
  rmSync(earlier);
  await endsWith(product.startOther(product.home), EXIT.copied, /pair --replace/);
  await replace(product);
  product.startBridge();
};

/** As `bowline pair --replace` does it. */
async function replace(product: Product): Promise<void> {
  await product.pair();
  dropJournal(join(product.home, 'link'));
}

/** The owner revokes the machine. Its bridge has to stop, and works again only after it was paired again. */
const revoke: Break = async ({ product, load }) => {
  // Without any machine, clients would only collect refusals.
  const { promise: isPaired, resolve } = Promise.withResolvers<void>();
  const bridge = product.letBridgeEnd();
  const { machines } = (await product.owner.call('GET', 'machines')) as { machines: { id: string }[] };
  for (const { id } of machines) await product.owner.call('DELETE', `machines/${id}`);
  void load.pause(isPaired);
  try {
    if (bridge) await endsWith(bridge, EXIT.approval, /refused \(revoked\)/);
    await product.pair();
  } finally {
    resolve();
  }
  product.startBridge();
};

/** What can happen to a journal. */
const DAMAGE: readonly ((path: string, random: Random) => void)[] = [
  (path) => rmSync(path),
  (path) => truncateSync(path, 0),
  (path, { whole }) => truncateSync(path, whole(readFileSync(path).length + 1)),
  (path) => writeFileSync(path, 'garbage\n'),
  (path, { whole }) => {
    const bytes = readFileSync(path);
    const at = whole(Math.max(1, bytes.length));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << whole(8));
    writeFileSync(path, bytes);
  },
];

/** The journal of a bridge that was killed is damaged: what was open is unknown, and nothing runs again. */
const damageJournal: Break = async ({ product, random }) => {
  await product.endBridge('SIGKILL');
  const journal = join(product.home, 'link', 'journal');
  if (existsSync(journal)) random.pick(DAMAGE)(journal, random);
  const bridge = product.startOther(product.home);
  const isOver = new AbortController();
  const code = await Promise.race([bridge.ended, untilOnline(bridge, isOver.signal)]);
  isOver.abort();
  if (code === 'online') await bridge.end('SIGKILL');
  // What was lost says which connection it stored last, so that it is an older state.
  else if (code === EXIT.copied) await replace(product);
  else
    throw new Error(`A bridge with a damaged journal ended with ${code}: ${bridge.output().slice(-1_500)}`);
  product.startBridge();
};

/** A key or a setting is damaged: the bridge names the file and does not start, until the file is back. */
const damageFile: Break = async ({ product, random }) => {
  const name = random.pick(['machine-key', 'machine.json', 'bridge.json']);
  const path = join(product.home, name);
  const kept = readFileSync(path);
  await product.endBridge(random.pick(['SIGKILL', 'SIGTERM']));
  writeFileSync(path, random.pick(['garbage\n', '{', '\0\0\0\0']));
  try {
    await endsWith(product.startOther(product.home), undefined, new RegExp(name.replace('.', '\\.')));
  } finally {
    writeFileSync(path, kept);
  }
  product.startBridge();
};

/** The machine's clock jumps, and later goes right again. */
const setClock = (sign: 1 | -1): Break => {
  return async ({ product, random }) => {
    writeFileSync(product.clockMark, String(sign * (HOUR_MS + random.whole(72 * HOUR_MS))));
    await wait(1_500 + random.whole(2_000));
    if (random.whole(2) === 1) {
      await product.endBridge('SIGKILL');
      product.startBridge();
      await isBack(product);
    }
    rmSync(product.clockMark);
  };
};

/** Both sides are killed at the same time, and come back in either order. */
const killBoth: Break = async ({ product, random }) => {
  await Promise.all([product.endGateway('SIGKILL'), product.endBridge('SIGKILL')]);
  const isBridgeFirst = random.whole(2) === 1;
  if (isBridgeFirst) product.startBridge();
  await product.startGateway();
  if (!isBridgeFirst) product.startBridge();
};

async function untilOnline(bridge: Running, signal: AbortSignal): Promise<'online' | 'late'> {
  for (const until = Date.now() + ENDS_WITHIN_MS; !signal.aborted && Date.now() < until; await wait(50)) {
    if (bridge.output().includes('● online')) return 'online';
  }
  return 'late';
}

/** What a chaos breaks besides all that a soak breaks. */
export const CHAOS_FAULTS: Readonly<Record<string, Break>> = {
  ...FAULTS,
  ...GATEWAY_FAULTS,
  'network slow': slow,
  'hung bridge': hangs('bridge'),
  'hung gateway': hangs('gateway'),
  'gateway and bridge killed': killBoth,
  'second bridge': startTwice,
  'folder copied': copyFolder,
  'folder restored': restoreFolder,
  'machine revoked': revoke,
  'journal damaged': damageJournal,
  'file damaged': damageFile,
  'clock forward': setClock(1),
  'clock back': setClock(-1),
};

/** What a rule forbids all the time. */
export const FORBIDDEN = 'made/forbidden';

/** Adds the rule that no fault may weaken. */
export async function forbid({ owner }: Product): Promise<void> {
  await owner.call('POST', 'rules', {
    ...{
      tool: 'create_directory',
      machine: null,
      effect: 'deny',
      expiresAt: Date.now() + DAY_MS,
      maxUses: null,
    },
    ...{ note: 'chaos', match: { kind: 'arguments', fields: { path: { equals: FORBIDDEN } } } },
    examples: { must: [JSON.stringify({ path: FORBIDDEN })], mustNot: ['{"path":"other"}'] },
  });
}

/** Refusals of what is forbidden: by the rule, or before the rules are asked. */
const STILL_REFUSED: ReadonlySet<unknown> = new Set(['denied_by_rule', 'machine_offline', 'rate_limited']);

/** Asks for what is forbidden. */
export async function stillForbidden({ product, load }: Scene): Promise<void> {
  const ask = () =>
    fetch(`${product.url}/tools/create_directory`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${product.token}` },
      body: JSON.stringify({ path: FORBIDDEN }),
    });
  const response = await onceMore(ask);
  const { code } = (await response.json()) as { code?: string };
  if (STILL_REFUSED.has(code)) return;
  const what = `What a rule forbids was answered with ${code ?? response.status}`;
  load.wrong.push({ kind: 'approval', what, at: Date.now() });
}
