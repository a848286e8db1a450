/** A Durable Object's database holds 10 GB. */
export const FULL_BYTES = 9_000_000_000;

/** What a gate is told of the database it works on. */
export interface GateOptions {
  /** Promises that nobody else writes to the database. */
  readonly isAlone?: boolean;
  /** How much of the database is in use; without it, the database is never taken to be full. */
  readonly usedBytes?: () => number;
  readonly fullBytes?: number;
}
