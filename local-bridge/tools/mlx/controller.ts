import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { redact } from '../../../src/core/redact.ts';
import { type BeforeLoad, type LoadRefusal, lookBeforeLoad } from './before-load.ts';
import type { MlxHost } from './host.ts';
import type { Registry, Server } from './registry.ts';
import * as scripts from './scripts.ts';
import { alive, numberIn, type Standing, standingOf, stop } from './servers.ts';
import type { MlxSettings } from './settings.ts';

type LoadOutcome =
  | { readonly kind: 'loaded'; readonly wasLoaded: boolean }
  | LoadRefusal
  | { readonly kind: 'launch_failed'; readonly message: string };

type UnloadOutcome =
  | { readonly kind: 'unloaded'; readonly model: string }
  | { readonly kind: 'not_listening' | 'not_ours' | 'stop_failed' | 'not_wanted'; readonly message: string };

interface LoadedModel extends Server {
  readonly memoryBytes: number | null;
}

/** The model servers that this machine starts and stops, here or on the host it controls. */
export interface MlxController {
  readonly host: string;
  load(model: string, port: number, watch: Watch): Promise<LoadOutcome>;
  /** Stops the server on a port, if `isMeant` confirms that it is the right one. */
  unload(port: number, isMeant?: (server: Server) => boolean): Promise<UnloadOutcome>;
  /** Checks what `load` would find, and changes nothing. */
  lookBeforeLoad(model: string, port: number): Promise<BeforeLoad>;
  /** Tells what is on a port and when it last wrote to its log. Changes nothing. */
  look(port: number): Promise<Standing & { readonly loggedAt?: number }>;
  /** Lists what is loaded. With `onlyLook`, servers that are gone stay in the registry. */
  list(onlyLook?: 'onlyLook'): Promise<readonly LoadedModel[]>;
  /** Asks the model on one of our ports. Gives `undefined` if there is no model or it does not answer. */
  ask(port: number, path: string, body: string): Promise<{ status: number; body: string } | undefined>;
  /** Unloads models that answered nobody for the set time. Runs by itself every minute. */
  sweep(): Promise<void>;
  close(): void;
}

interface Watch {
  /** The client that asked for it. */
  readonly by?: string;
  readonly signal: AbortSignal;
  progress(seconds: number, message: string): void;
}

const SWEEP_EVERY_MS = 60_000;
const ASK_SECONDS = 300;
/** The time that a preview has to find out a model's size. */
const LOOK_MS = 1_500;

export function openMlx(host: MlxHost, registry: Registry, settings: MlxSettings): MlxController {
  const turns = new Map<number, Promise<unknown>>();
  /** Runs one action at a time for each port. */
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
  // If the host cannot be reached, look again in a minute.
  const sweeping = setInterval(() => void sweep().catch(() => undefined), SWEEP_EVERY_MS);
  sweeping.unref();
  return {
    host: host.name,
    load: (model, port, watch) => inTurn(port, () => load(model, port, watch, host, registry, settings)),
    unload: (port, isMeant) => inTurn(port, () => unload(port, host, registry, settings, isMeant)),
    lookBeforeLoad: (model, port) =>
      lookBeforeLoad({ model, port, sizeMs: LOOK_MS }, host, unchanged(registry), settings),
    look: async (port) => {
      const standing = await standingOf(port, host, unchanged(registry));
      if (standing.kind !== 'ours') return standing;
      const seconds = numberIn((await host.run(scripts.loggedAt(port))).stdout);
      return { ...standing, ...(seconds === undefined ? {} : { loggedAt: seconds * 1_000 }) };
    },
    list: (onlyLook) => list(host, onlyLook ? unchanged(registry) : registry),
    ask: async (port, path, body) => {
      const standing = await standingOf(port, host, registry);
      return standing.kind === 'ours' ? host.ask(port, path, body, ASK_SECONDS) : undefined;
    },
    sweep,
    close: () => clearInterval(sweeping),
  };
}

/** Makes a registry for callers that only look: it writes nothing. */
function unchanged(registry: Registry): Registry {
  return { ...registry, put: () => undefined, drop: () => undefined };
}

async function load(
  model: string,
  port: number,
  watch: Watch,
  host: MlxHost,
  registry: Registry,
  settings: MlxSettings,
): Promise<LoadOutcome> {
  const before = await lookBeforeLoad({ model, port, sizeMs: 60_000 }, host, registry, settings);
  if (before.kind === 'serving') {
    // The server may still be loading, with nobody waiting for it any more.
    const outcome = await untilReady(before.server, watch, host, registry, settings);
    return outcome.kind === 'loaded' ? { kind: 'loaded', wasLoaded: true } : outcome;
  }
  if (before.kind !== 'can_load') return before;
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
    ...(watch.by === undefined ? {} : { loadedBy: watch.by }),
  };
  // Record it before it runs, so that a record exists whatever happens next.
  registry.put(server);
  await host.run(scripts.start(server.id, port, argv));
  return untilReady(server, watch, host, registry, settings);
}

/**
 * Waits for the model's first word. Its port opens and its health check passes long before, even if loading fails
 * later.
 */
async function untilReady(
  server: Server,
  { signal, progress }: Watch,
  host: MlxHost,
  registry: Registry,
  settings: MlxSettings,
): Promise<LoadOutcome> {
  const { model, port } = server;
  const begun = performance.now();
  const body = JSON.stringify({ model, prompt: 'Hello', max_tokens: 1 });
  for (;;) {
    const running = await alive(server, host, registry);
    if (!running) {
      registry.drop(server.id);
      return failed('The model server ended while it was loading.', port, host);
    }
    const left = settings.ready_seconds - (performance.now() - begun) / 1_000;
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
    progress(Math.round((performance.now() - begun) / 1_000), `Loading ${model} on port ${port}.`);
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
  isMeant: (server: Server) => boolean = () => true,
): Promise<UnloadOutcome> {
  const standing = await standingOf(port, host, registry);
  if (standing.kind === 'free')
    return { kind: 'not_listening', message: `Nothing is served on port ${port}.` };
  if (standing.kind === 'foreign') {
    return {
      kind: 'not_ours',
      message: `Bowline did not start the program on port ${port}, so it was left alone.`,
    };
  }
  const { model, pid, id } = standing.server;
  if (!isMeant(standing.server))
    return { kind: 'not_wanted', message: `Port ${port} serves another server.` };
  const isGone = await stop(pid, host, settings.stop_seconds);
  if (!isGone || !(await isFreed(port, host, settings.stop_seconds))) {
    return {
      kind: 'stop_failed',
      message: `${model} was told to stop, but ${isGone ? 'the port' : 'it'} is still there.`,
    };
  }
  registry.drop(id);
  return { kind: 'unloaded', model };
}

/** Waits until a port is free. What a server had started may hold it a moment longer than the server. */
async function isFreed(port: number, host: MlxHost, seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1_000;
  while (await host.isListening(port)) {
    if (performance.now() > end) return false;
    await wait(100);
  }
  return true;
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
