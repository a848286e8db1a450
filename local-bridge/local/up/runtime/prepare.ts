import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import * as z from 'zod';
import { loopbackAddresses } from '../../../lib/processes.ts';
import { cloneFolder } from '../wrangler.ts';
import { readSettings, runtimeConfig } from './config.ts';

/** This program's one argument. Nothing in it is secret. */
const asked = z.object({
  /** A `wrangler.toml`. */
  config: z.string(),
  /** The source of the Worker. */
  entry: z.string(),
  port: z.int(),
  stateFolder: z.string(),
  vars: z.record(z.string(), z.string()),
  envFile: z.string().optional(),
});

export type Asked = z.infer<typeof asked>;

/**
 * Builds the Worker and prints workerd's configuration for it. It is a program of its own because it loads wrangler to
 * read the settings, and wrangler takes 200 MB that nobody needs afterwards.
 */
async function prepare({ config, entry, port, stateFolder, vars, envFile }: Asked): Promise<Buffer> {
  const modules = join(stateFolder, 'worker');
  const built = promisify(execFile)(process.execPath, [
    join(cloneFolder(), 'scripts', 'build-worker.ts'),
    ...[entry, modules],
  ]);
  const settings = readSettings(config);
  const secrets = envFile === undefined ? {} : parseEnv(readFileSync(envFile, 'utf8'));
  await built;
  return runtimeConfig({
    ...{ settings, modules },
    vars: { ...secrets, ...vars },
    addresses: loopbackAddresses().map((one) => (one.includes(':') ? `[${one}]:${port}` : `${one}:${port}`)),
    data: join(stateFolder, 'gateway', 'v3'),
  });
}

try {
  process.stdout.write(await prepare(asked.parse(JSON.parse(process.argv[2] ?? ''))));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
