import type { Control } from './control.ts';

const RUNTIME = ['test/e2e/local-runtime.test.ts'];
const NAMES = ['test/e2e/named-inside.test.ts'];
const STATE = ['test/e2e/state-folder.test.ts'];

/** The gateway on the owner's own computer. */
export const local: readonly Control[] = [
  {
    id: 'runtime-one-port',
    promise: 'A local gateway’s runtime listens on one port, where the Worker answers and nothing else.',
    file: 'local-bridge/up/runtime/config.ts',
    find: "({ name: address, address, http: {}, service: { name: 'gateway' } })),",
    replace:
      "({ name: address, address, http: {}, service: { name: 'gateway' } })).concat([{ name: 'more', address: '127.0.0.1:0', http: {}, service: { name: 'r2:entry' } }]),",
    tests: RUNTIME,
    only: 'on no other port',
  },
  {
    id: 'runtime-both-addresses',
    promise:
      'A local gateway holds its port under both addresses of `localhost`, so that nobody else is asked in its place.',
    file: 'local-bridge/up/processes.ts',
    find: "? ['127.0.0.1', '::1'] :",
    replace: "? ['127.0.0.1'] :",
    tests: [...RUNTIME, 'test/node/up/progress.test.ts'],
    only: 'localhost',
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
  {
    id: 'ready-file-no-key',
    promise: 'The ready-file names the file of the owner key and holds no key.',
    file: 'local-bridge/commands/up.ts',
    find: 'owner_key_file: secrets.ownerKeyFile,',
    replace: 'owner_key_file: secrets.ownerKeyFile, owner_key: secrets.ownerKey,',
    tests: STATE,
    only: 'names the file',
  },
  {
    id: 'ready-file-real-path',
    promise: 'A link in the way of the ready-file has no other file closed in its place.',
    file: 'local-bridge/up/ready-file.ts',
    find: 'const path = join(realPath(folder), basename(resolve(asked)));',
    replace: 'const path = join(folder, basename(resolve(asked)));',
    tests: ['test/node/up/state.test.ts'],
  },
  {
    id: 'private-file-new',
    promise: 'A private file is never written to a file or link that somebody put beside it.',
    file: 'local-bridge/private-file.ts',
    find: "`${path}.${randomBytes(8).toString('hex')}`;\n  try {\n    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' }",
    replace: '`${path}.${process.pid}`;\n  try {\n    writeFileSync(temporary, text, { mode: 0o600 }',
    tests: ['test/node/up/state.test.ts'],
  },
  {
    id: 'closed-without-links',
    promise: 'What is closed to commands by way of a link stays closed when a command replaces the link.',
    file: 'local-bridge/terminal/terminal.ts',
    find: 'const place = { ...asked, home, alsoClosed };',
    replace: 'const place = { ...asked };',
    tests: ['test/node/terminal/closed-links.test.ts'],
  },
  {
    id: 'ready-file-closed',
    promise: 'The ready-file is closed to tools and commands, also in an open folder.',
    file: 'local-bridge/up/bridge.ts',
    find: 'const closed = [bowlineHome(), stateFolder, ...more];',
    replace: 'const closed = [bowlineHome(), stateFolder, ...more.slice(9)];',
    tests: STATE,
    only: 'shows no',
  },
  {
    id: 'namespace-covers-files',
    promise: 'Without a sandbox, a namespace covers closed files as well as folders.',
    file: 'local-bridge/terminal/namespace.ts',
    find: 'mount --bind /dev/null "$1" || exit 125',
    replace: ':',
    tests: STATE,
    only: 'set to off, .* shows no command',
  },
  {
    id: 'closed-places-moved',
    promise: 'Tools and commands stop when Bowline’s own folder is no longer where it was.',
    file: 'local-bridge/workspace/closed-places.ts',
    find: 'areMoved: () => watched.some((one) => one.isMoved()),',
    replace: 'areMoved: () => false && watched.some((one) => one.isMoved()),',
    tests: STATE,
    only: 'after a command moved',
  },
  {
    id: 'state-folder-theirs',
    promise: 'A folder that holds more than Bowline’s files is not closed to others, but refused.',
    file: 'local-bridge/up/state.ts',
    find: "if (!names.includes('owner-key') &&",
    replace: "if (names.includes('no-key') &&",
    tests: ['test/node/up/state.test.ts'],
  },
  {
    id: 'state-folder-mended',
    promise: 'A state folder that other users may enter is closed to them at the start.',
    file: 'local-bridge/up/state.ts',
    find: 'if ((mode & OTHERS) === 0 ||',
    replace: 'if ((mode & OTHERS) !== -1 ||',
    tests: STATE,
    only: 'mends',
  },
  {
    id: 'local-names',
    promise:
      'A local gateway fetches nothing from this computer or its network, whatever a name resolves to.',
    file: 'local-bridge/up/runtime/config.ts',
    find: "globalOutbound: { name: 'internet' },",
    replace: "globalOutbound: { name: 'inside' },",
    tests: NAMES,
    only: 'is not connected to for',
  },
  {
    id: 'local-names-special',
    promise:
      'A local gateway connects to no special address, those included that its runtime takes for public.',
    file: 'local-bridge/up/runtime/network.ts',
    find: 'deny: refusedRanges(),',
    replace: 'deny: [],',
    tests: ['test/node/up/network.test.ts'],
  },
  {
    id: 'local-names-ranges',
    promise: 'The local runtime refuses the addresses that the check by address refuses.',
    file: 'src/web/address.ts',
    find: 'return [...[...SPECIAL_V4, ...SPECIAL_V6].map(({ text }) => text), ...inNat64, ...in6to4];',
    replace: 'return [...[...SPECIAL_V4, ...SPECIAL_V6].map(({ text }) => text), ...inNat64];',
    tests: ['test/node/web/refused-ranges.test.ts'],
  },
];
