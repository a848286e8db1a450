import type { AnnouncedServers } from '../../contracts/link-servers.ts';

/** The objects that have to know. */
export interface Told {
  readonly gate: {
    /** Takes a machine's servers. Tells whether the list of tools changed. */
    takeMachineServers(machine: { id: string; name: string }, servers: AnnouncedServers): Promise<boolean>;
  };
  readonly events: { publish(event: string): unknown };
}

/**
 * Tells the gate which servers a machine has joined. If that changes the list of tools, tells every open
 * stream.
 */
export async function tellJoined(
  { id, name }: { readonly id: string; readonly name: string },
  servers: AnnouncedServers,
  { gate, events }: Told,
): Promise<void> {
  if (await gate.takeMachineServers({ id, name }, servers))
    await events.publish(JSON.stringify({ kind: 'tools_list_changed' }));
}
