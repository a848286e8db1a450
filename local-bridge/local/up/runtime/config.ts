import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  buildObjectEntryProps,
  type Config,
  KV_NAMESPACE_OBJECT_CLASS_NAME,
  objectEntryWorker,
  type Service,
  SharedBindings,
  serializeConfig,
  type Worker_Binding,
} from 'miniflare';
import { unstable_readConfig } from 'wrangler';
import * as z from 'zod';
import { networks } from './network.ts';

/** The settings that the local gateway needs from a `wrangler.toml`, as wrangler reads it. */
const settingsShape = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.unknown()),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
  // A deploy gives it an id; here its name identifies it, as under `wrangler dev`.
  kv_namespaces: z.array(z.object({ binding: z.string(), id: z.string().optional() })),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })),
});

type Settings = z.infer<typeof settingsShape>;

export function readSettings(file: string): Settings {
  return settingsShape.parse(unstable_readConfig({ config: file }));
}

interface Runtime {
  readonly settings: Settings;
  /** More variables, which override those of the settings. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** The folder of the built Worker. Its `worker.js` is the one that runs. */
  readonly modules: string;
  /** The addresses where it listens: one port, under each of this computer's own addresses. */
  readonly addresses: readonly string[];
  /** The folder for all data. Its layout is Miniflare's, so that what `wrangler dev` wrote stays readable. */
  readonly data: string;
}

/**
 * Makes workerd's configuration: one Worker on one port, and nothing else that listens.
 *
 * It includes neither wrangler's server nor Miniflare's. Both answer on ports of their own, where anybody on this
 * computer may read every object, the bucket, and files of this user.
 */
export function runtimeConfig({ settings, vars, modules, addresses, data }: Runtime): Buffer {
  const objects = settings.durable_objects.bindings;
  const classes = new Set(objects.map(({ class_name }) => class_name));
  const config: Config = {
    sockets: addresses.map((address) => ({ name: address, address, http: {}, service: { name: 'gateway' } })),
    services: [
      {
        name: 'gateway',
        worker: {
          compatibilityDate: settings.compatibility_date,
          compatibilityFlags: settings.compatibility_flags,
          modules: modulesIn(modules),
          bindings: [
            // True because of what `internet` denies.
            ...Object.entries({ ...settings.vars, ...vars, FETCHES_STAY_PUBLIC: 'yes' }).map(variable),
            { name: 'INSIDE', service: { name: 'inside' } },
            ...objects.map(({ name, class_name: className }) => ({
              ...{ name, durableObjectNamespace: { className, serviceName: 'gateway' } },
            })),
            ...settings.kv_namespaces.map(({ binding, id = binding }) => ({
              ...{ name: binding, kvNamespace: entryOf('kv', id) },
            })),
            ...settings.r2_buckets.map(({ binding, bucket_name }) => ({
              ...{ name: binding, r2Bucket: entryOf('r2', bucket_name) },
            })),
          ],
          durableObjectNamespaces: [...classes].map((className) => {
            return { className, enableSql: true, uniqueKey: `${settings.name}-${className}` };
          }),
          durableObjectStorage: { localDisk: 'do:storage' },
          globalOutbound: { name: 'internet' },
        },
      },
      disk('do', data),
      ...simulator('kv', 'kv/namespace.worker.js', KV_NAMESPACE_OBJECT_CLASS_NAME, data),
      ...simulator('r2', 'r2/bucket.worker.js', 'R2BucketObject', data),
      ...networks(process.env),
    ],
    extensions: [
      {
        modules: [
          { name: 'miniflare:shared', esModule: scriptOf('shared/index.worker.js') },
          { name: 'miniflare:zod', esModule: scriptOf('shared/zod.worker.js') },
        ],
      },
    ],
  };
  return serializeConfig(config);
}

function modulesIn(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  // The first is the one that runs.
  return names
    .toSorted((a, b) => Number(b === 'worker.js') - Number(a === 'worker.js'))
    .map((name) => ({ name, esModule: readFileSync(join(folder, name), 'utf8') }));
}

function variable([name, value]: [string, unknown]): Worker_Binding {
  return typeof value === 'string' ? { name, text: value } : { name, json: JSON.stringify(value) };
}

/** Adds one of Miniflare's stand-ins for Cloudflare's stores. An object keeps the names, a folder the contents. */
function simulator(kind: 'kv' | 'r2', script: string, className: string, data: string): Service[] {
  const serviceName = `${kind}:object`;
  return [
    disk(kind, data),
    {
      name: serviceName,
      worker: {
        compatibilityDate: '2023-07-24',
        compatibilityFlags: ['nodejs_compat', 'experimental'],
        modules: [{ name: 'object.worker.js', esModule: scriptOf(script) }],
        durableObjectNamespaces: [{ className, uniqueKey: `miniflare-${className}` }],
        durableObjectStorage: { localDisk: `${kind}:storage` },
        bindings: [{ name: SharedBindings.MAYBE_SERVICE_BLOBS, service: { name: `${kind}:storage` } }],
      },
    },
    { name: `${kind}:entry`, worker: objectEntryWorker({ serviceName, className }) },
  ];
}

function entryOf(kind: 'kv' | 'r2', id: string) {
  return { name: `${kind}:entry`, props: { json: JSON.stringify(buildObjectEntryProps(id)) } };
}

function disk(kind: string, data: string): Service {
  const path = join(data, kind);
  mkdirSync(path, { recursive: true });
  return { name: `${kind}:storage`, disk: { path, writable: true } };
}

function scriptOf(path: string): string {
  return readFileSync(join(dirname(miniflareFile()), 'workers', path), 'utf8');
}

function miniflareFile(): string {
  return createRequire(import.meta.url).resolve('miniflare');
}
