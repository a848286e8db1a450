import type { Env } from './env.ts';

/** Keeps work running after the answer has left. */
export type Later = (work: Promise<unknown>) => void;

/** Gives the Durable Objects: one of each, and one for each machine. */
export function objectsOf(env: Env) {
  return {
    gate: theOne(env.GATE),
    owner: theOne(env.OWNER),
    events: theOne(env.EVENTS),
    memory: theOne(env.MEMORY),
    mirror: theOne(env.MIRROR),
    machine: (id: string) => env.MACHINE.get(env.MACHINE.idFromName(id)),
  };
}

/** Works the object's id out once, from its name. A call asks for the gate's object several times. */
function theOne<T extends Rpc.DurableObjectBranded | undefined>(
  objects: DurableObjectNamespace<T>,
): () => DurableObjectStub<T> {
  let id: DurableObjectId | undefined;
  return () => {
    id ??= objects.idFromName('owner');
    return objects.get(id);
  };
}

/** The parts that every area is wired with. */
export interface Parts {
  readonly env: Env;
  readonly origin: string;
  readonly objects: ReturnType<typeof objectsOf>;
  readonly later: Later;
}
