import type { CallRecord, Violation } from './history.ts';
import type { Random } from './random.ts';
import type { Wanted } from './send.ts';

/** One hand of a client: it makes one call after the other. */
export interface Lane {
  readonly name: string;
  readonly random: Random;
  readonly origin: string;
  /** The ports for models that nobody else has. */
  readonly modelPorts: readonly number[];
  /** The one file that this lane changes again and again. */
  changing: { readonly path: string; readonly is: string } | undefined;
  /** A file that is known to be there, with its content. */
  known: { readonly path: string; readonly content: string } | undefined;
  /** The last entry that this lane knows to be in the memory. */
  remembered: { readonly file: string; readonly body: string } | undefined;
  newToken(isRefused?: boolean): string;
  send(wanted: Wanted): Promise<CallRecord>;
  /** The call of that tool whose arguments hold that word, if the ledger has it as done. */
  callIdOf(tool: string, token: string): Promise<string | undefined>;
  /** A call that changed something and has ended, if there is one. */
  someCallId(): Promise<string | undefined>;
  /** Whether the client makes no more calls. */
  isOver(): boolean;
  /** By which processes of this run are known. */
  readonly run: string;
  /** A lasting terminal that this lane left running. */
  left: string | undefined;
  /** Marks of lines whose output a lasting terminal gave. */
  readonly seen: Set<string>;
  soFar(): SoFar;
  /** Notes something that must not be so. */
  note(violation: Violation): void;
  /** Takes an answer to a read for wrong unless what is to be in it is there. */
  expect(record: CallRecord, text: string): void;
}

/** What has happened to the product so far. */
export interface SoFar {
  /** How often its bridge was ended or started. */
  readonly bridges: number;
  /** How often the bridge's disk was full. */
  readonly fullDisks: number;
}

export type Job = (lane: Lane) => Promise<unknown>;

/** One call that changes something in so many is one that the owner refuses. */
const REFUSED_IN = 25;

/** What a call that changes something is known by. */
export function change(lane: Lane) {
  const isRefused = lane.random.whole(REFUSED_IN) === 0;
  const token = lane.newToken(isRefused);
  return { token, key: token, isRefused };
}

export function isOk({ attempts }: CallRecord): boolean {
  return attempts.at(-1)?.told.is === 'ok';
}
