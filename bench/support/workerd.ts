import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { QUIET, wranglerProgram } from '../../local-bridge/up/wrangler.ts';

/** A Worker under bare workerd: wrangler's entry proxy costs more than most of what is measured here. */
export interface BareWorker {
  readonly name: string;
  readonly url: string;
  /** Processor time it has used so far, in microseconds. */
  cpuMicros(): number;
  stop(): Promise<void>;
}

const FLAGS = ['global_fetch_strictly_public'];
const TICK_MICROS = 10_000;

/** Bundles the gateway as a deploy would. */
export async function bundleGateway(): Promise<string> {
  const out = mkdtempSync(join(tmpdir(), 'bowline-bundle-'));
  const project = resolve(import.meta.dirname, '..', '..');
  const args = [wranglerProgram(), 'deploy', '--dry-run', '--minify', '--outdir', out];
  const child = spawn(process.execPath, args, {
    cwd: project,
    stdio: 'ignore',
    env: { ...process.env, ...QUIET },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`wrangler deploy --dry-run ended with ${code}`);
  const source = readFileSync(join(out, 'worker.js'), 'utf8');
  rmSync(out, { recursive: true });
  return source;
}

/** Starts workerd on one module with text bindings. */
export async function startWorkerd(
  name: string,
  source: string,
  vars: Record<string, string> = {},
): Promise<BareWorker> {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-workerd-'));
  writeFileSync(join(folder, 'worker.js'), source);
  writeFileSync(join(folder, 'config.capnp'), config(vars));
  const child = spawn(workerdBinary(), ['serve', join(folder, 'config.capnp'), '--control-fd=3'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const port = await listeningPort(child.stdio[3] as Readable);
  const { pid } = child;
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    cpuMicros: () => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

/** The binary itself: the package's `bin` is a script that starts it, whose processor time says nothing. */
function workerdBinary(): string {
  return createRequire(wranglerProgram())('workerd').default;
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

function config(vars: Record<string, string>): string {
  const bindings = Object.entries(vars).map(
    ([key, value]) => `(name = "${key}", text = ${JSON.stringify(value)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-09-15",
  compatibilityFlags = [${FLAGS.map((flag) => JSON.stringify(flag)).join(', ')}],
  bindings = [${bindings.join(', ')}]
);
`;
}
