import type { MlxHost } from './host.ts';
import { HostUnreachable } from './host.ts';
import type { Registry, Server } from './registry.ts';
import * as scripts from './scripts.ts';
import { numberIn, standingOf } from './servers.ts';
import type { MlxSettings } from './settings.ts';

/** Why a model cannot be loaded now. Nothing was started. */
export interface LoadRefusal {
  readonly kind: 'not_configured' | 'model_not_found' | 'port_busy' | 'not_enough_memory';
  readonly message: string;
}

/** What a load would find. */
export type BeforeLoad =
  | LoadRefusal
  /** The port already serves this very model. */
  | { readonly kind: 'serving'; readonly server: Server & { readonly pid: number } }
  /** Sizes in bytes; undefined if the host does not say. */
  | { readonly kind: 'can_load'; readonly size: number | undefined; readonly free: number | undefined };

/** A model needs room for its weights and for its work. */
const ROOM_FACTOR = 1.2;

/** Looks at everything that can be known before a load. Finding out the size of a large model takes a while. */
export async function lookBeforeLoad(
  { model, port, sizeMs }: { readonly model: string; readonly port: number; readonly sizeMs: number },
  host: MlxHost,
  registry: Registry,
  settings: MlxSettings,
): Promise<BeforeLoad> {
  const standing = await standingOf(port, host, registry);
  if (standing.kind === 'foreign') {
    return { kind: 'port_busy', message: `Port ${port} is taken by something that Bowline did not start.` };
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
  const measured = await measure(model, host, sizeMs);
  if (measured === 'missing') {
    return { kind: 'model_not_found', message: `${model} is not downloaded ${on(host).toLowerCase()}.` };
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

async function measure(model: string, host: MlxHost, ms: number): Promise<number | 'missing' | 'late'> {
  try {
    return numberIn((await host.run(scripts.findModel(model), ms)).stdout) ?? 'missing';
  } catch (error) {
    if (error instanceof HostUnreachable && error.isLate) return 'late';
    throw error;
  }
}

export function on(host: MlxHost): string {
  return host.isRemote ? `On ${host.name}` : 'On this machine';
}

export function gigabytes(bytes: number): string {
  return `${(bytes / 1_073_741_824).toFixed(1)} GiB`;
}
