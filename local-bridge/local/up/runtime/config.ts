import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import * as z from 'zod';
import { loopbackAddresses } from '../../../lib/processes.ts';
import { capnpText } from './capnp-text.ts';
import { networks } from './network.ts';

/** The part of workerd's configuration that each start of a built Worker has in common. */
export const templateShape = z.object({
  /** The variables of its `wrangler.toml`. */
  vars: z.record(z.string(), z.unknown()),
  gateway: z.looseObject({ bindings: z.array(z.unknown()) }),
  /** The folders of the data, by the names that the services use. */
  disks: z.array(z.string()),
  stores: z.array(z.unknown()),
  extensions: z.array(z.unknown()),
});

export type Template = z.infer<typeof templateShape>;

export interface Start {
  readonly port: number;
  readonly stateFolder: string;
  /** More variables, which override those of the settings. */
  readonly vars: Readonly<Record<string, string>>;
  /** A file with more variables, for those that nobody else may see. */
  readonly envFile?: string | undefined;
}

/**
 * Lets the Worker free what its requests left behind (`src/http/collect.ts`), and keeps V8 from growing for bursts that a
 * computer of one person does not have. V8 keeps the pages that a collection freed, to use them again, until a later
 * collection finds them older than a time limit: with none, the next one gives them back to the system.
 */
const V8_FLAGS = ['--expose-gc', '--max-semi-space-size=2', '--memory-pool-timeout=0'];

/**
 * Makes workerd's configuration: one Worker on one port, under each of this computer's own addresses, and nothing else
 * that listens.
 *
 * It includes neither wrangler's server nor Miniflare's. Both answer on ports of their own, where anybody on this
 * computer may read every object, the bucket, and files of this user.
 */
export function runtimeConfig(template: Template, start: Start, file: string): string {
  const addresses = loopbackAddresses().map((one) => {
    return one.includes(':') ? `[${one}]:${start.port}` : `${one}:${start.port}`;
  });
  const config = {
    sockets: addresses.map((address) => ({ name: address, address, http: {}, service: { name: 'gateway' } })),
    services: [
      {
        name: 'gateway',
        worker: {
          ...template.gateway,
          bindings: [...variables(template, start), ...template.gateway.bindings],
        },
      },
      ...template.disks.map((name) => disk(name, join(start.stateFolder, 'gateway', 'v3'))),
      ...template.stores,
      ...networks(process.env),
    ],
    extensions: template.extensions,
    v8Flags: V8_FLAGS,
  };
  const text = capnpText(config, (path) => relative(dirname(file), path));
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${text};\n`;
}

function variables({ vars }: Template, start: Start) {
  const secrets = start.envFile === undefined ? {} : parseEnv(readFileSync(start.envFile, 'utf8'));
  // This holds because the network `internet` denies private addresses.
  const all = { ...vars, ...secrets, ...start.vars, FETCHES_STAY_PUBLIC: 'yes' };
  return Object.entries(all).map(([name, value]) => {
    return typeof value === 'string' ? { name, text: value } : { name, json: JSON.stringify(value) };
  });
}

/** Gives a service that keeps files. Its layout is Miniflare's, so that what `wrangler dev` wrote stays readable. */
function disk(name: string, data: string) {
  const path = join(data, name);
  mkdirSync(path, { recursive: true });
  return { name: `${name}:storage`, disk: { path, writable: true } };
}
