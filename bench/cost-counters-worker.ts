import type { Bucket } from '../src/storage/bucket.ts';
import type { Env } from '../src/wiring/env.ts';
import type { Cost } from './support/cost.ts';

const nothing = (): Cost => ({
  requests: 0,
  objects: 0,
  messages: 0,
  rowsRead: 0,
  rowsWritten: 0,
  kvReads: 0,
  kvWrites: 0,
  bucketA: 0,
  bucketB: 0,
});

/** The counters. Worker and objects run in one isolate under workerd, so they share them. */
export const cost = nothing();

/** A cursor knows its rows once it was read to its end. */
const cursors: { readonly rowsRead: number; readonly rowsWritten: number }[] = [];

/** Gives what was counted since the last time. */
export function takeCost(): Cost {
  for (const { rowsRead, rowsWritten } of cursors.splice(0)) {
    cost.rowsRead += rowsRead;
    cost.rowsWritten += rowsWritten;
  }
  const taken = { ...cost };
  Object.assign(cost, nothing());
  return taken;
}

let isCounting = false;

/** Counts the rows of every object from now on. Alarms that are set count as a row written. */
export function countRows({ storage }: DurableObjectState): void {
  if (isCounting) return;
  isCounting = true;
  const sql: SqlStorage = Object.getPrototypeOf(storage.sql);
  const { exec } = sql;
  sql.exec = function <T extends Record<string, SqlStorageValue>>(
    this: SqlStorage,
    ...asked: Parameters<SqlStorage['exec']>
  ) {
    const cursor = exec.apply(this, asked) as SqlStorageCursor<T>;
    cursors.push(cursor);
    return cursor;
  };
  const kept: DurableObjectStorage = Object.getPrototypeOf(storage);
  const { setAlarm } = kept;
  kept.setAlarm = function (this: DurableObjectStorage, ...asked: Parameters<typeof setAlarm>) {
    cost.rowsWritten += 1;
    return setAlarm.apply(this, asked);
  };
}

const known = new WeakMap<Env, Env>();

/** Gives the same bindings, but each use of them is counted. Store and bucket are in memory. */
export function counted<E extends Env>(env: E): E {
  const made = (known.get(env) as E | undefined) ?? {
    ...env,
    OWNER: ofObjects(env.OWNER),
    GATE: ofObjects(env.GATE),
    MEMORY: ofObjects(env.MEMORY),
    EVENTS: ofObjects(env.EVENTS),
    MACHINE: ofObjects(env.MACHINE),
    MIRROR: ofObjects(env.MIRROR),
    OAUTH_KV: store as unknown as KVNamespace,
    BLOBS: bucket as unknown as R2Bucket,
  };
  known.set(env, made);
  return made;
}

/** Gives an object of which each method that is called first calls `use`. */
function using<T extends object>(target: T, use: () => void): T {
  return new Proxy(target, {
    get: (_, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...asked: unknown[]) => {
        use();
        return Reflect.apply(value, target, asked);
      };
    },
  });
}

function ofObjects<T extends Rpc.DurableObjectBranded | undefined>(
  objects: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  const stubs: ProxyHandler<DurableObjectNamespace<T>> = {
    get: (_, name) => {
      if (name === 'get')
        return (id: DurableObjectId) =>
          using(objects.get(id), () => {
            cost.objects += 1;
          });
      const value: unknown = Reflect.get(objects, name);
      return typeof value === 'function' ? value.bind(objects) : value;
    },
  };
  return new Proxy(objects, stubs);
}

/** A store that has nothing. The one of bare workerd says so with an error. */
const store = {
  get: async () => {
    cost.kvReads += 1;
    return null;
  },
  put: async () => {
    cost.kvWrites += 1;
  },
  delete: async () => {
    cost.kvWrites += 1;
  },
  list: async () => {
    cost.kvWrites += 1;
    return { keys: [], list_complete: true };
  },
};

const contents = new Map<string, Uint8Array>();
const bucket: Bucket = {
  put: async (name, bytes) => {
    cost.bucketA += 1;
    contents.set(name, bytes.slice());
  },
  get: async (name) => {
    cost.bucketB += 1;
    const bytes = contents.get(name);
    return bytes ? { arrayBuffer: async () => bytes.slice().buffer } : null;
  },
  delete: async (names) => {
    for (const name of names) contents.delete(name);
  },
};
