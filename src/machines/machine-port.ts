/** What a machine's object says of it, as of its last connection. */
export interface MachineStatus {
  readonly online: boolean;
  /** Since when it is, or is not, connected; null if it never was. */
  readonly since: number | null;
  readonly roots: readonly { readonly name: string; readonly path: string }[];
  readonly tools: readonly string[];
  readonly version: string | null;
  readonly lastSeen: number | null;
}

/** What pairing and listing ask of a machine's object. */
export interface MachinePort {
  enrol(machine: { id: string; name: string; publicKey: string; origin: string }): Promise<unknown>;
  rename(name: string): Promise<unknown>;
  /** Closes its sockets and forgets its key. */
  revoke(): Promise<unknown>;
  status(): Promise<MachineStatus>;
  /** Goes to where its tools are run and back; null if that fails. */
  ping(): Promise<{ readonly ms: number; readonly tools: number } | null>;
}
