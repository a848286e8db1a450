import type { Control } from './control.ts';

const RUNTIME = ['test/e2e/local-runtime.test.ts'];

/** The gateway on the owner's own computer. */
export const local: readonly Control[] = [
  {
    id: 'runtime-one-port',
    promise: 'A local gateway’s runtime listens on one port, where the Worker answers and nothing else.',
    file: 'local-bridge/up/runtime/config.ts',
    find: "sockets: [{ name: 'http', address, http: {}, service: { name: 'gateway' } }],",
    replace:
      "sockets: [{ name: 'http', address, http: {}, service: { name: 'gateway' } }, { name: 'more', address: '127.0.0.1:0', http: {}, service: { name: 'r2:entry' } }],",
    tests: RUNTIME,
    only: 'listens on',
  },
  {
    id: 'runtime-private-files',
    promise: 'What a local gateway’s runtime writes, its user alone can read.',
    file: 'local-bridge/up/gateway.ts',
    find: 'process.umask(0o077)',
    replace: 'process.umask(0o022)',
    tests: RUNTIME,
    only: 'no record',
  },
  {
    id: 'wrangler-dev',
    promise:
      'The gateway is not built for `wrangler dev`, which would serve its data to everybody on the computer.',
    file: 'scripts/build-worker.ts',
    find: "if (WRANGLER_COMMAND !== 'dev' ||",
    replace: "if (WRANGLER_COMMAND !== 'never' ||",
    tests: RUNTIME,
    only: 'wrangler dev',
  },
];
