import { cpSync, existsSync, globSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { EXIT } from '../../local-bridge/lib/exit.ts';
import { noteDatabases } from '../../local-bridge/local/up/check-state.ts';
import { endsWith } from './ends-with.ts';
import { type Break, isBack, NEEDS_DISK } from './faults.ts';

const HOUR_MS = 3_600_000;

/** Two more `npm start` at once on the folder of a gateway that runs: both see that they are too many. */
const startTwice: Break = async ({ product }) => {
  const says = /Bowline is already running with the state in/;
  const started = [product.startUp(), product.startUp()];
  await Promise.all(started.map((one) => endsWith(one, EXIT.failed, says)));
};

/** The gateway's disk takes in nothing for a while, and then there is room again. */
const fillDisk: Break = async ({ product, random }) => {
  const at = Date.now();
  product.gatewayDisk?.fill(true);
  try {
    await wait(1_000 + random.whole(3_000));
  } finally {
    product.gatewayDisk?.fill(false);
    product.gateway.outages.push({ is: 'full', at, until: Date.now() });
  }
};

/** Less than a token or a session lasts, and more than any approval. */
const CLOCK_HOURS = 11;

/** The gateway's clock jumps, everything works by it, and later it goes right again, at times with a new process. */
const setClock = (sign: 1 | -1): Break => {
  return async ({ product, random }) => {
    await product.gateway.setClock(sign * (HOUR_MS + random.whole(CLOCK_HOURS * HOUR_MS)));
    await isBack(product);
    await wait(500 + random.whole(2_000));
    if (random.whole(3) > 0) return product.gateway.setClock(0);
    await product.endGateway('SIGKILL');
    await product.startGateway();
  };
};

/** What becomes of a database. What it holds besides its file is put into the file first. */
const DAMAGE: readonly ((path: string) => void)[] = [
  (path) => rmSync(path),
  (path) => truncateSync(path, 0),
  (path) => writeFileSync(path, 'garbage\n'.repeat(1_000)),
];

/** A file of the gateway's is damaged: `npm start` names it and does not start, until the file is back. */
const damageFile: Break = async ({ product, random }) => {
  const { state } = product;
  await product.endGateway(random.pick(['SIGKILL', 'SIGTERM']));
  noteDatabases(state);
  const objects = random.pick(['GateObject', 'MemoryLog', 'OwnerObject', 'memory-key', 'owner-key']);
  const isKey = objects.endsWith('-key');
  const path = isKey ? join(state, objects) : random.pick(databasesOf(state, objects));
  if (!isKey) settle(path);
  const kept = join(product.base, 'kept');
  mkdirSync(kept);
  cpSync(path, join(kept, basename(path)));
  if (isKey) writeFileSync(path, 'garbage\n');
  else random.pick(DAMAGE)(path);
  try {
    await endsWith(
      product.startUp(),
      EXIT.failed,
      new RegExp(`${basename(path).replaceAll('.', '\\.')} is damaged`),
    );
  } finally {
    for (const more of ['-wal', '-shm']) rmSync(path + more, { force: true });
    cpSync(join(kept, basename(path)), path);
    rmSync(kept, { recursive: true });
  }
  await product.startGateway();
};

function databasesOf(state: string, objects: string): string[] {
  return globSync(`gateway/v3/*/*${objects}/*.sqlite`, { cwd: state })
    .filter((name) => !name.includes('metadata'))
    .map((name) => join(state, name));
}

/** Puts what stands in a database's log into its file. */
function settle(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  if (existsSync(`${path}-wal`)) throw new Error(`${path} is still open.`);
}

/** What a chaos breaks of the gateway's, besides its process. */
export const GATEWAY_FAULTS: Readonly<Record<string, Break>> = {
  'second start': startTwice,
  'gateway file damaged': damageFile,
  [NEEDS_DISK]: fillDisk,
  'gateway clock forward': setClock(1),
  'gateway clock back': setClock(-1),
};
