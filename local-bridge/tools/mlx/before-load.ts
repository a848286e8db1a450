import type { MlxHost } from './host.ts';
import { HostUnreachable } from './host.ts';
import type { Registry, Server } from './registry.ts';
import * as scripts from './scripts.ts';
import { numberIn, standingOf } from './servers.ts';
import type { MlxSettings } from './settings.ts';

/** The reason why a model cannot be loaded now. Nothing was started. */
export interface LoadRefusal {
  readonly kind: 'not_configured' | 'model_not_found' | 'port_busy' | 'not_enough_memory';
  readonly message: string;
}

/** The situation that a load would find. */
export type BeforeLoad =
  | LoadRefusal
  /** The port already serves this very model. */
  | { readonly kind: 'serving'; readonly server: Server & { readonly pid: number } }
  /** Sizes in bytes; undefined if the host does not say. */
  | { readonly kind: 'can_load'; readonly size: number | undefined; readonly free: number | undefined };

/** A model needs room for its weights and for its work. */
const ROOM_FACTOR = 1.2;

/** Checks everything that can be known before a load. Measuring a large model takes a while. */
export async function lookBeforeLoad(
  { model, port, sizeMs }: { readonly model: string; readonly port: number; readonly sizeMs: number },
  host: MlxHost,
  registry: Registry,
  settings: MlxSettings,
): Promise<BeforeLoad> {
  const standing = await standingOf(port, host, registry);
  if (standing.kind === 'foreign') {
    return { kind: 'port_busy', message: `Port ${port} is taken by a program that Bowline did not start.` };
  }
  if (standing.kind === 'ours') {
    const { server } = standing;
    if (server.model === model) return { kind: 'serving', server };
    return { kind: 'port_busy', message: `Port ${port} serves ${server.model}.` };
  }
  const [program] = settings.command;
  if ((await host.run(scripts.findCommand(settings.command))).code === 3) {
    return { kind: 'not_configured', message: `${on(host)} there is no command ${program}.` };
  }
  const measured = await measure(model, settings.folders, host, sizeMs);
  if (measured === 'missing') {
    const why = isPath(model) ? 'is not a model folder that the owner named' : 'is not downloaded';
    return { kind: 'model_not_found', message: `${model} ${why} ${on(host).toLowerCase()}.` };
  }
  const free = numberIn((await host.run(scripts.FREE_MEMORY)).stdout);
  const size = measured === 'late' ? undefined : measured;
  const needed = Math.ceil((size ?? 0) * ROOM_FACTOR) + settings.reserve_bytes;
  if (free !== undefined && free < needed) {
    const message = `${model} needs about ${gigabytes(needed)} with the reserve, and ${gigabytes(free)} are free.`;
    return { kind: 'not_enough_memory', message };
  }
  return { kind: 'can_load', size, free };
}

async function measure(
  model: string,
  folders: readonly string[],
  host: MlxHost,
  ms: number,
): Promise<number | 'missing' | 'late'> {
  // Accept a folder only as the owner spelled it: any other path could lead to a place that they never named.
  const find = folders.includes(model) ? scripts.findModelIn(model) : scripts.findModel(model);
  try {
    return numberIn((await host.run(find, ms)).stdout) ?? 'missing';
  } catch (error) {
    if (error instanceof HostUnreachable && error.isLate) return 'late';
    throw error;
  }
}

/** Recognises a path. No name of a model in the cache begins like one. */
function isPath(model: string): boolean {
  return model.startsWith('/');
}

export function on(host: MlxHost): string {
  return host.isRemote ? `On ${host.name}` : 'On this machine';
}

export function gigabytes(bytes: number): string {
  return `${(bytes / 1_073_741_824).toFixed(1)} GiB`;
}
