/** A Durable Object's database holds 10 GB. */
export const FULL_BYTES = 9_000_000_000;

/** The facts about its database that a gate cannot find out itself. */
export interface GateOptions {
  /** True if nobody else writes to the database. */
  readonly isAlone?: boolean;
  /** Gives the used size of the database. If left out, the database never counts as full. */
  readonly usedBytes?: () => number;
  readonly fullBytes?: number;
  /** Does something after a while. Left out where no memory lives long enough to note reads. */
  readonly after?: (ms: number, work: () => void) => void;
  /** Tells listeners elsewhere that other calls wait now. */
  readonly told?: () => void;
}
