import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { redact } from '../../src/core/redact.ts';
import type { MlxHost } from './host.ts';
import type { Registry, Server } from './registry.ts';
import * as scripts from './scripts.ts';
import { alive, numberIn, standingOf, stop } from './servers.ts';
import type { MlxSettings } from './settings.ts';

export type LoadOutcome =
  | { readonly kind: 'loaded'; readonly wasLoaded: boolean }
  | {
      readonly kind:
        | 'not_configured'
        | 'model_not_found'
        | 'port_busy'
        | 'not_enough_memory'
        | 'launch_failed';
      readonly message: string;
    };

export type UnloadOutcome =
  | { readonly kind: 'unloaded'; readonly model: string }
  | { readonly kind: 'not_listening' | 'not_ours' | 'stop_failed'; readonly message: string };

export interface LoadedModel extends Server {
  readonly memoryBytes: number | null;
}

/** The model servers that this machine starts and stops, here or on the host it controls. */
export interface MlxController {
  readonly host: string;
  load(model: string, port: number, watch: Watch): Promise<LoadOutcome>;
  unload(port: number): Promise<UnloadOutcome>;
  list(): Promise<readonly LoadedModel[]>;
  /** Asks the model on one of our ports; `undefined` if there is none or it gives no answer. */
  ask(port: number, path: string, body: string): Promise<{ status: number; body: string } | undefined>;
  /** Unloads what answered nobody for the time that is set; runs by itself every minute. */
  sweep(): Promise<void>;
  close(): void;
}

interface Watch {
  readonly signal: AbortSignal;
  progress(seconds: number, message: string): void;
}

/** A model needs its weights, and room to work in. */
const ROOM_FACTOR = 1.2;
const SWEEP_EVERY_MS = 60_000;
const ASK_SECONDS = 300;

export function openMlx(host: MlxHost, registry: Registry, settings: MlxSettings): MlxController {
  const turns = new Map<number, Promise<unknown>>();
  /** One thing at a time happens to a port. */
  const inTurn = <T>(port: number, act: () => Promise<T>): Promise<T> => {
    const mine = (turns.get(port) ?? Promise.resolve()).then(act, act);
    turns.set(port, mine);
    return mine;
  };
  const unloadNow = (port: number) => unload(port, host, registry, settings);
  const sweep = async () => {
    for (const { port, state } of registry.all().filter((server) => server.host === host.name)) {
      if (state !== 'ready') continue;
      const looked = await host.run(scripts.idleCheck(port, settings.idle_minutes));
      if (settings.idle_minutes > 0 && looked.stdout.includes('idle'))
        await inTurn(port, () => unloadNow(port));
    }
  };
  // A host that cannot be reached now is looked at again in a minute.
  const sweeping = setInterval(() => void sweep().catch(() => undefined), SWEEP_EVERY_MS);
  sweeping.unref();
  return {
    host: host.name,
    load: (model, port, watch) => inTurn(port, () => load(model, port, watch, host, registry, settings)),
    unload: (port) => inTurn(port, () => unloadNow(port)),
    list: () => list(host, registry),
    ask: async (port, path, body) => {
      const standing = await standingOf(port, host, registry);
      return standing.kind === 'ours' ? host.ask(port, path, body, ASK_SECONDS) : undefined;
    },
    sweep,
    close: () => clearInterval(sweeping),
  };
}

async function load(
  model: string,
  port: number,
  watch: Watch,
  host: MlxHost,
  registry: Registry,
  settings: MlxSettings,
): Promise<LoadOutcome> {
  const standing = await standingOf(port, host, registry);
  if (standing.kind === 'foreign') {
    return { kind: 'port_busy', message: `Port ${port} is taken by something that Bowline did not start.` };
  }
  if (standing.kind === 'ours') {
    const { server } = standing;
    if (server.model !== model) return { kind: 'port_busy', message: `Port ${port} serves ${server.model}.` };
    // It may be one whose loading nobody saw the end of.
    const outcome = await untilReady(server, watch, host, registry, settings);
    return outcome.kind === 'loaded' ? { kind: 'loaded', wasLoaded: true } : outcome;
  }
  const [program] = settings.command;
  if ((await host.run(scripts.findCommand(settings.command))).code === 3) {
    return { kind: 'not_configured', message: `${on(host)} there is no command ${program}.` };
  }
  const size = numberIn((await host.run(scripts.findModel(model), 60_000)).stdout);
  if (size === undefined) {
    return { kind: 'model_not_found', message: `${model} is not downloaded ${on(host).toLowerCase()}.` };
  }
  const free = numberIn((await host.run(scripts.FREE_MEMORY)).stdout);
  const needed = Math.ceil(size * ROOM_FACTOR) + settings.reserve_bytes;
  if (free !== undefined && free < needed) {
    const message = `${model} needs about ${gigabytes(needed)} with the reserve, and ${gigabytes(free)} are free.`;
    return { kind: 'not_enough_memory', message };
  }
  const argv = [...settings.command, `--model=${model}`, '--host', '127.0.0.1', '--port', String(port)];
  const server: Server = {
    id: randomUUID(),
    host: host.name,
    port,
    model,
    pid: null,
    since: null,
    startedAt: Date.now(),
    state: 'loading',
  };
  // Before it runs: whatever happens next, there is a note of it.
  registry.put(server);
  await host.run(scripts.start(server.id, port, argv));
  return untilReady(server, watch, host, registry, settings);
}

/** Waits for a first word of the model: its port is open, and its health fine, long before that and even after failing. */
async function untilReady(
  server: Server,
  { signal, progress }: Watch,
  host: MlxHost,
  registry: Registry,
  settings: MlxSettings,
): Promise<LoadOutcome> {
  const { model, port } = server;
  const begun = Date.now();
  const body = JSON.stringify({ model, prompt: 'Hello', max_tokens: 1 });
  for (;;) {
    const running = await alive(server, host, registry);
    if (!running) {
      registry.drop(server.id);
      return failed('The model server ended while it was loading.', port, host);
    }
    const left = settings.ready_seconds - (Date.now() - begun) / 1_000;
    if (left <= 0 || signal.aborted) {
      await stop(running.pid, host, settings.stop_seconds);
      registry.drop(server.id);
      const why = signal.aborted
        ? 'The loading was cancelled'
        : `It gave no answer within ${settings.ready_seconds} s`;
      return failed(`${why}, and the server was stopped.`, port, host);
    }
    const answer = await host.ask(port, '/v1/completions', body, Math.ceil(Math.min(left, 30)));
    if (answer && isCompletion(answer)) {
      registry.put({ ...running, state: 'ready' });
      return { kind: 'loaded', wasLoaded: false };
    }
    progress(Math.round((Date.now() - begun) / 1_000), `Loading ${model} on port ${port}.`);
    await wait(host.isRemote ? 1_000 : 250);
  }
}

function isCompletion({ status, body }: { status: number; body: string }): boolean {
  if (status !== 200) return false;
  try {
    return Array.isArray(JSON.parse(body)?.choices);
  } catch {
    return false;
  }
}

async function failed(message: string, port: number, host: MlxHost): Promise<LoadOutcome> {
  const log = redact((await host.run(scripts.logTail(port))).stdout.trim());
  return { kind: 'launch_failed', message: log === '' ? message : `${message} It last said:\n${log}` };
}

async function unload(
  port: number,
  host: MlxHost,
  registry: Registry,
  settings: MlxSettings,
): Promise<UnloadOutcome> {
  const standing = await standingOf(port, host, registry);
  if (standing.kind === 'free')
    return { kind: 'not_listening', message: `Nothing is served on port ${port}.` };
  if (standing.kind === 'foreign') {
    return {
      kind: 'not_ours',
      message: `What listens on port ${port} was not started by Bowline, so it was left alone.`,
    };
  }
  const { model, pid, id } = standing.server;
  const isGone = await stop(pid, host, settings.stop_seconds);
  if (!isGone || (await host.isListening(port))) {
    return {
      kind: 'stop_failed',
      message: `${model} was told to stop, but ${isGone ? 'the port' : 'it'} is still there.`,
    };
  }
  registry.drop(id);
  return { kind: 'unloaded', model };
}

async function list(host: MlxHost, registry: Registry): Promise<LoadedModel[]> {
  const models: LoadedModel[] = [];
  for (const known of registry.all().filter((server) => server.host === host.name)) {
    const server = await alive(known, host, registry);
    if (!server) {
      registry.drop(known.id);
      continue;
    }
    const kilobytes = numberIn((await host.run(scripts.memoryOf(server.pid))).stdout);
    models.push({ ...server, memoryBytes: kilobytes === undefined ? null : kilobytes * 1_024 });
  }
  return models.sort((a, b) => a.port - b.port);
}

function on(host: MlxHost): string {
  return host.isRemote ? `On ${host.name}` : 'On this machine';
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1_073_741_824).toFixed(1)} GiB`;
}
