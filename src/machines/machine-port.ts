import type { Sandbox } from '../../contracts/sandboxes.ts';

/** The state of a machine, as its object knows it from the last connection. */
export interface MachineStatus {
  readonly online: boolean;
  /** The time since which it is connected or away; null if it never was connected. */
  readonly since: number | null;
  readonly roots: readonly { readonly name: string; readonly path: string }[];
  readonly tools: readonly string[];
  readonly version: string | null;
  /** What keeps commands apart on it; null if it never said. */
  readonly sandbox: Sandbox | null;
  readonly lastSeen: number | null;
}

/** The part of a machine's object that pairing and listing use. */
export interface MachinePort {
  enrol(machine: { id: string; name: string; publicKey: string; origin: string }): Promise<unknown>;
  rename(name: string): Promise<unknown>;
  /** Closes its sockets and forgets its key. */
  revoke(): Promise<unknown>;
  status(): Promise<MachineStatus>;
  /** Asks the place where it runs its tools; null if that fails. */
  ping(): Promise<{ readonly ms: number; readonly tools: number } | null>;
}
