import type { Control } from './control.ts';

const RUNTIME = ['local-runtime.test.ts'];
const NAMES = ['named-inside.test.ts'];
const STATE = ['state-folder.test.ts'];

/** The gateway on the owner's own computer. */
export const local: readonly Control[] = [
  {
    id: 'runtime-one-port',
    promise: 'A local gateway’s runtime listens on one port, where the Worker answers and nothing else.',
    in: 'runtimeConfig',
    find: "addresses.map((address) => ({ name: address, address, http: {}, service: { name: 'gateway' } }))",
    replace:
      "addresses.map((address) => ({ name: address, address, http: {}, service: { name: 'gateway' } })).concat([{ name: 'more', address: '127.0.0.1:0', http: {}, service: { name: 'r2:entry' } }])",
    tests: RUNTIME,
    only: 'on no other port',
  },
  {
    id: 'runtime-both-addresses',
    promise:
      'A local gateway holds its port under both addresses of `localhost`, so that nobody else is asked in its place.',
    in: 'loopbackAddresses',
    find: "['127.0.0.1', '::1']",
    replace: "['127.0.0.1']",
    tests: [...RUNTIME, 'progress.test.ts'],
    only: 'localhost',
  },
  {
    id: 'runtime-private-files',
    promise: 'What a local gateway’s runtime writes, its user alone can read.',
    in: 'startGateway',
    find: 'process.umask(0o077)',
    replace: 'process.umask(0o022)',
    tests: RUNTIME,
    only: 'no record',
  },
  {
    id: 'built-worker-closed',
    promise: 'No tool changes the built Worker that the next start runs, wherever it is kept.',
    in: 'up',
    remove: 'builtWorkerFolder(state.path)',
    tests: STATE,
    only: 'built Worker',
  },
  {
    id: 'runtime-config-gone',
    promise:
      'The configuration of a local gateway’s runtime, with its secrets, is gone once the gateway runs.',
    in: 'startGateway',
    find: 'untilItAnswers(url, ended, tail).finally(() => rmSync(configFile, { force: true }))',
    replace: 'untilItAnswers(url, ended, tail)',
    tests: STATE,
    only: 'no configuration',
  },
  {
    id: 'wrangler-dev',
    promise:
      'The gateway is not built for `wrangler dev`, which would serve its data to everybody on the computer.',
    in: 'refuseWranglerDev',
    find: "'dev'",
    replace: "'never'",
    tests: RUNTIME,
    only: 'wrangler dev',
  },
  {
    id: 'ready-file-no-key',
    promise: 'The ready-file names the file of the owner key and holds no key.',
    in: 'up',
    find: 'pid: process.pid',
    replace: 'owner_key: secrets.ownerKey, pid: process.pid',
    tests: STATE,
    only: 'names the file',
  },
  {
    id: 'ready-file-real-path',
    promise: 'A link in the way of the ready-file has no other file closed in its place.',
    in: 'takeReadyFile',
    find: 'realPath(folder)',
    replace: 'folder',
    tests: ['state.test.ts'],
  },
  {
    id: 'private-file-new',
    promise: 'A private file is never written to a file or link that somebody put beside it.',
    in: 'writePrivate',
    find: "const temporary = `${path}.${randomBytes(8).toString('hex')}`;\n  try {\n    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });\n    renameSync(temporary, path);\n  } catch (error) {\n    rmSync(temporary, { force: true });\n    throw error;\n  }",
    replace:
      'const temporary = `${path}.${process.pid}`;\n  try {\n    writeFileSync(temporary, text, { mode: 0o600 });\n    renameSync(temporary, path);\n  } catch (error) {\n    rmSync(temporary, { force: true });\n    throw error;\n  }',
    tests: ['state.test.ts'],
  },
  {
    id: 'closed-without-links',
    promise: 'What is closed to commands by way of a link stays closed when a command replaces the link.',
    in: 'openTerminal',
    remove: 'home, alsoClosed',
    tests: ['closed-links.test.ts'],
  },
  {
    id: 'autorun-git-paths',
    promise: 'What git’s settings name (hooks, more settings) is unchangeable too, however they are written.',
    in: 'surveyAutorun',
    find: 'holdNamed(here, place, place.absolute)',
    replace: 'Promise.resolve()',
    tests: ['git-paths.test.ts'],
  },
  {
    id: 'ready-file-closed',
    promise: 'The ready-file is closed to tools and commands, also in an open folder.',
    in: 'spawnBridge',
    find: '...more',
    replace: '...more.slice(9)',
    tests: STATE,
    only: 'shows no',
  },
  {
    id: 'namespace-covers-files',
    promise: 'Without a sandbox, a namespace covers closed files as well as folders.',
    in: 'INSIDE',
    text: 'mount --bind /dev/null "$1" || exit 125',
    replace: ':',
    tests: STATE,
    only: 'set to off, .* shows no command',
  },
  {
    id: 'closed-places-moved',
    promise: 'Tools and commands stop when Bowline’s own folder is no longer where it was.',
    in: 'closePlaces',
    find: 'watched.some((one) => one.isMoved())',
    replace: 'false && watched.some((one) => one.isMoved())',
    tests: STATE,
    only: 'after a command moved',
  },
  {
    id: 'state-folder-theirs',
    promise: 'A folder that holds more than Bowline’s files is not closed to others, but refused.',
    in: 'closeToOthers',
    find: "!names.includes('owner-key')",
    replace: "names.includes('no-key')",
    tests: ['state.test.ts'],
  },
  {
    id: 'state-folder-mended',
    promise: 'A state folder that other users may enter is closed to them at the start.',
    in: 'closeToOthers',
    find: '(mode & OTHERS) === 0',
    replace: '(mode & OTHERS) !== -1',
    tests: STATE,
    only: 'mends',
  },
  {
    id: 'local-names',
    promise:
      'A local gateway fetches nothing from this computer or its network, whatever a name resolves to.',
    in: 'runtimeTemplate',
    find: "'internet'",
    replace: "'inside'",
    tests: NAMES,
    only: 'is not connected to for',
  },
  {
    id: 'local-names-special',
    promise:
      'A local gateway connects to no special address, those included that its runtime takes for public.',
    in: 'networks',
    find: 'refusedRanges()',
    replace: '[]',
    tests: ['network.test.ts'],
  },
  {
    id: 'local-names-ranges',
    promise: 'The local runtime refuses the addresses that the check by address refuses.',
    in: 'refusedRanges',
    remove: '...in6to4',
    tests: ['refused-ranges.test.ts'],
  },
];
