import type { ForeignServers } from '../../contracts/link-foreign.ts';

/** Who has to hear of it. */
export interface Told {
  readonly gate: {
    /** Gives whether the list of tools is another one now. */
    takeMachineServers(machine: { id: string; name: string }, servers: ForeignServers): Promise<boolean>;
  };
  readonly events: { publish(event: string): unknown };
}

/** Tells the gate which servers a machine has joined, and every open stream if that changes the list of tools. */
export async function tellJoined(
  { id, name }: { readonly id: string; readonly name: string },
  servers: ForeignServers,
  { gate, events }: Told,
): Promise<void> {
  if (await gate.takeMachineServers({ id, name }, servers))
    await events.publish(JSON.stringify({ kind: 'tools_list_changed' }));
}
