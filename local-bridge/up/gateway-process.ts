import { unstable_startWorker } from 'wrangler';
import * as z from 'zod';

/** What this program is told, as its one argument; nothing in it is secret. */
export const gatewayAsked = z.object({
  config: z.string(),
  address: z.string(),
  port: z.int(),
  persistTo: z.string(),
  vars: z.record(z.string(), z.string()),
  envFile: z.string().optional(),
});

export type GatewayAsked = z.infer<typeof gatewayAsked>;

/**
 * Runs the gateway's Worker until it is told to end. A program of its own, because a runtime that dies must
 * not take the one that starts it along.
 */
async function run({ config, address, port, persistTo, vars, envFile }: GatewayAsked): Promise<void> {
  const worker = await unstable_startWorker({
    config,
    ...(envFile === undefined ? {} : { envFiles: [envFile] }),
    bindings: Object.fromEntries(
      Object.entries(vars).map(([name, value]) => [name, { type: 'plain_text', value }]),
    ),
    dev: {
      server: { hostname: address, port },
      inspector: false,
      persist: persistTo,
      logLevel: 'warn',
      // What it was started from may be edited or pulled while it runs; it takes that in when it starts again.
      watch: false,
    },
  });
  // A build that fails leaves it listening to nobody.
  worker.raw.on('buildFailed', () => process.exit(1));
  worker.raw.on('error', (error: unknown) => {
    console.error(error);
    process.exit(1);
  });
  const end = () => void worker.dispose().finally(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, end);
}

await run(gatewayAsked.parse(JSON.parse(process.argv[2] ?? '')));
