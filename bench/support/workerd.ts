import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { workerdProgram } from '../../local-bridge/local/up/wrangler.ts';
import { buildWorker } from '../../scripts/build-worker.ts';

/** A Worker under bare workerd. Wrangler's entry proxy would cost more than most of what is measured here. */
export interface BareWorker {
  readonly name: string;
  readonly url: string;
  /** Gives the processor time that it has used so far, in microseconds. */
  cpuMicros(): number;
  /** Gives the memory that it holds, in bytes. */
  rssBytes(): number;
  /** Kills it and starts it again, with its data and at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const FLAGS = ['global_fetch_strictly_public', 'enable_request_signal'];

/** A Worker's files by name. `worker.js` is the one that runs. */
export type Modules = Readonly<Record<string, string>>;

/**
 * Bundles the gateway as a deploy would, or another Worker with its objects. What only has to run need not be minified,
 * which takes more than half of the time.
 */
export async function bundleGateway(
  entry = 'src/worker.ts',
  how: { readonly minify?: boolean } = {},
): Promise<Modules> {
  const out = mkdtempSync(join(tmpdir(), 'bowline-bundle-'));
  try {
    await buildWorker(resolve(import.meta.dirname, '..', '..', entry), out, how);
    const names = readdirSync(out).filter((name) => name.endsWith('.js'));
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(out, name), 'utf8')]));
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** What a Worker gets besides its code. */
export interface Bindings {
  readonly vars?: Readonly<Record<string, string>>;
  /** Durable Object classes by binding name. They keep their data on disk. */
  readonly objects?: Readonly<Record<string, string>>;
  /** KV namespaces, all of them empty, so nothing that is measured may need one. */
  readonly kv?: readonly string[];
}

/** The gateway's bindings, as `wrangler.toml` names them. */
export const GATEWAY_OBJECTS = { OWNER: 'OwnerObject', GATE: 'GateObject', MEMORY: 'MemoryLog' };

/** Starts workerd on a Worker: its one file, or all of them. */
export async function startWorkerd(
  name: string,
  source: string | Modules,
  bindings: Bindings = {},
): Promise<BareWorker> {
  const modules = typeof source === 'string' ? { 'worker.js': source } : source;
  const folder = mkdtempSync(join(tmpdir(), 'bowline-workerd-'));
  for (const [file, text] of Object.entries(modules)) writeFileSync(join(folder, file), text);
  mkdirSync(join(folder, 'objects'));
  writeFileSync(
    join(folder, 'config.capnp'),
    config(bindings, Object.keys(modules), join(folder, 'objects')),
  );
  const file = join(folder, 'config.capnp');
  const begin = async () => {
    const child = spawn(workerdProgram(), ['serve', file, '--control-fd=3'], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    return { child, port: await listeningPort(child.stdio[3] as Readable) };
  };
  const end = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  let { child, port } = await begin();
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    cpuMicros: () => cpuMicrosOf(child.pid),
    rssBytes: () => rssOf(child.pid),
    restart: async () => {
      await end(child);
      writeFileSync(file, readFileSync(file, 'utf8').replace('"127.0.0.1:0"', `"127.0.0.1:${port}"`));
      ({ child, port } = await begin());
    },
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Adds up the time of all threads, which the kernel counts in nanoseconds. The time of the process comes in ticks of 10 ms. */
function cpuMicrosOf(pid: number | undefined): number {
  const nanos = readdirSync(`/proc/${pid}/task`).map((task) => {
    return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  });
  return nanos.reduce((sum, one) => sum + one, 0) / 1000;
}

/** Gives the memory that a process holds, in bytes. */
export function rssOf(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1_024;
}

async function listeningPort(control: Readable): Promise<number> {
  let text = '';
  for await (const chunk of control) {
    text += chunk;
    const port = /"event":"listen".*?"port":(\d+)/.exec(text)?.[1];
    if (port) return Number(port);
  }
  throw new Error(`workerd never listened; it said ${text}`);
}

function config(
  { vars = {}, objects = {}, kv = [] }: Bindings,
  files: readonly string[],
  disk: string,
): string {
  // The first is the one that runs.
  const modules = files
    .toSorted((a, b) => Number(b === 'worker.js') - Number(a === 'worker.js'))
    .map((file) => `(name = "${file}", esModule = embed "${file}")`);
  const all = [
    ...Object.entries(vars).map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`),
    ...Object.entries(objects).map(
      ([name, type]) => `(name = "${name}", durableObjectNamespace = "${type}")`,
    ),
    ...kv.map((name) => `(name = "${name}", kvNamespace = "empty")`),
  ];
  const classes = Object.values(objects).map(
    (type) => `(className = "${type}", uniqueKey = "${type}", enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "empty", worker = .empty),
    (name = "disk", disk = (path = ${JSON.stringify(disk)}, writable = true))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [${modules.join(', ')}],
  compatibilityDate = "2026-09-15",
  compatibilityFlags = [${FLAGS.map((flag) => JSON.stringify(flag)).join(', ')}],
  bindings = [${all.join(', ')}],
  durableObjectNamespaces = [${classes.join(', ')}],
  durableObjectStorage = (localDisk = "disk")
);
const empty :Workerd.Worker = (
  modules = [(name = "empty.js", esModule = "export default { fetch: () => new Response(null, { status: 404 }) }")],
  compatibilityDate = "2026-09-15"
);
`;
}
