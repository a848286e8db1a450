import type { Env } from './env.ts';

/** Keeps work running after the answer has left. */
export type Later = (work: Promise<unknown>) => void;

/** Gives the Durable Objects: one of each, and one for each machine. */
export function objectsOf(env: Env) {
  return {
    gate: () => env.GATE.get(env.GATE.idFromName('owner')),
    owner: () => env.OWNER.get(env.OWNER.idFromName('owner')),
    events: () => env.EVENTS.get(env.EVENTS.idFromName('owner')),
    memory: () => env.MEMORY.get(env.MEMORY.idFromName('owner')),
    mirror: () => env.MIRROR.get(env.MIRROR.idFromName('owner')),
    machine: (id: string) => env.MACHINE.get(env.MACHINE.idFromName(id)),
  };
}

/** The parts that every area is wired with. */
export interface Parts {
  readonly env: Env;
  readonly origin: string;
  readonly objects: ReturnType<typeof objectsOf>;
  readonly later: Later;
}
