import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  buildObjectEntryProps,
  KV_NAMESPACE_OBJECT_CLASS_NAME,
  objectEntryWorker,
  SharedBindings,
} from 'miniflare';
import { unstable_readConfig } from 'wrangler';
import * as z from 'zod';
import type { Template } from './config.ts';

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

const MINIFLARE_SCRIPTS = join(dirname(createRequire(import.meta.url).resolve('miniflare')), 'workers');

/**
 * Makes the part of workerd's configuration that each start of a built Worker has in common: the Worker with what it is
 * bound to, and Miniflare's stand-ins for Cloudflare's stores.
 */
export function runtimeTemplate(config: string, modules: string): Template {
  const settings = settingsShape.parse(unstable_readConfig({ config }));
  const objects = settings.durable_objects.bindings;
  const classes = new Set(objects.map(({ class_name }) => class_name));
  return {
    vars: settings.vars,
    gateway: {
      compatibilityDate: settings.compatibility_date,
      compatibilityFlags: settings.compatibility_flags,
      modules: modulesIn(modules),
      bindings: [
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
    disks: ['do', 'kv', 'r2'],
    stores: [
      ...simulator('kv', 'kv/namespace.worker.js', KV_NAMESPACE_OBJECT_CLASS_NAME),
      ...simulator('r2', 'r2/bucket.worker.js', 'R2BucketObject'),
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
}

function modulesIn(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  // The first is the one that runs.
  return names
    .toSorted((a, b) => Number(b === 'worker.js') - Number(a === 'worker.js'))
    .map((name) => ({ name, esModule: { embed: join(folder, name) } }));
}

/** Adds one of Miniflare's stand-ins for Cloudflare's stores. An object keeps the names, a folder the contents. */
function simulator(kind: 'kv' | 'r2', script: string, className: string) {
  const serviceName = `${kind}:object`;
  return [
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

function scriptOf(path: string) {
  return { embed: join(MINIFLARE_SCRIPTS, path) };
}
