import { errorText } from '../core/error-text.ts';
import type { MachineStatus } from '../machines/machine-port.ts';

/** How one thing that the gateway stands on answered. */
export interface Probe {
  readonly name: string;
  readonly ok: boolean;
  /** Why it did not answer, for the owner. */
  readonly why?: string;
}

/** What the gateway's own state is read from. None of it is changed. */
export interface HealthPorts {
  readonly version: string;
  readonly origin: string;
  readonly settings: {
    readonly owner_key: boolean;
    readonly memory_key: boolean;
    /** What the web is searched with; null if that was not set up. */
    readonly search: string | null;
    /** The repo on GitHub that is followed, and whether its deliveries can be told from forged ones. */
    readonly github: { readonly repo: string; readonly secret: boolean } | null;
  };
  /** What it is bound to by name; each is asked for something that need not be there. */
  readonly storage: Readonly<Record<string, () => Promise<unknown>>>;
  memory(): Promise<{ seq: number; head: string; checkpoint: number; locked: string | null }>;
  mirror(): Promise<object>;
  machines(): Promise<readonly (MachineStatus & { readonly id: string; readonly name: string })[]>;
  now(): number;
}

/** Everything the gateway knows of its own state, each part whether or not the others answer. */
export async function healthOf(ports: HealthPorts) {
  const { version, origin, settings, storage, now } = ports;
  const [probes, memory, mirror, machines] = await Promise.all([
    Promise.all(Object.entries(storage).map(([name, ask]) => probeOf(name, ask))),
    partOf(ports.memory),
    partOf(ports.mirror),
    partOf(ports.machines),
  ]);
  return { version, origin, time: now(), settings, storage: probes, memory, mirror, machines };
}

async function probeOf(name: string, ask: () => Promise<unknown>): Promise<Probe> {
  const asked = await partOf(ask);
  return 'why' in asked ? { name, ok: false, why: asked.why } : { name, ok: true };
}

async function partOf<T>(read: () => Promise<T>): Promise<{ value: T } | { why: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    // The answer is for the owner alone, and what failed is what they look for.
    return { why: errorText(error).slice(0, 300) };
  }
}
