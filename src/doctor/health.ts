import { errorText } from '../core/error-text.ts';
import type { MachineStatus } from '../machines/machine-port.ts';

/** The answer of one thing that the gateway depends on. */
interface Probe {
  readonly name: string;
  readonly ok: boolean;
  /** The reason, for the owner, why it did not answer. */
  readonly why?: string;
}

/** The sources of the gateway's own state. Nothing here changes it. */
export interface HealthPorts {
  readonly version: string;
  readonly origin: string;
  readonly settings: {
    readonly owner_key: boolean;
    readonly memory_key: boolean;
    /** The search backend; null if none is set up. */
    readonly search: string | null;
    /** The GitHub repo that is followed, and whether a secret tells its deliveries from forged ones. */
    readonly github: { readonly repo: string; readonly secret: boolean } | null;
  };
  /** The bindings by name. Each is asked for something that need not exist. */
  readonly storage: Readonly<Record<string, () => Promise<unknown>>>;
  memory(): Promise<{ seq: number; head: string; checkpoint: number; locked: string | null }>;
  mirror(): Promise<object>;
  /** What yesterday's calls cost. */
  yesterday(): Promise<object>;
  machines(): Promise<readonly (MachineStatus & { readonly id: string; readonly name: string })[]>;
  now(): number;
}

/** Reports everything that the gateway knows of its own state. No part depends on another's answer. */
export async function healthOf(ports: HealthPorts) {
  const { version, origin, settings, storage, now } = ports;
  const [probes, memory, mirror, machines, yesterday] = await Promise.all([
    Promise.all(Object.entries(storage).map(([name, ask]) => probeOf(name, ask))),
    partOf(ports.memory),
    partOf(ports.mirror),
    partOf(ports.machines),
    partOf(ports.yesterday),
  ]);
  return { version, origin, time: now(), settings, storage: probes, memory, mirror, machines, yesterday };
}

async function probeOf(name: string, ask: () => Promise<unknown>): Promise<Probe> {
  const asked = await partOf(ask);
  return 'why' in asked ? { name, ok: false, why: asked.why } : { name, ok: true };
}

async function partOf<T>(read: () => Promise<T>): Promise<{ value: T } | { why: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    // Only the owner gets this answer, and they need to know what failed.
    return { why: errorText(error).slice(0, 300) };
  }
}
