import type { ForeignServers } from '../../contracts/link-foreign.ts';
import type { EventsObject } from '../events/events-object.ts';
import type { GateObject } from '../gate/gate-object.ts';

/** The objects that have to hear of it, as a machine's object finds them. */
export interface ToldObjects {
  readonly GATE: DurableObjectNamespace<GateObject>;
  readonly EVENTS: DurableObjectNamespace<EventsObject>;
}

/** Tells the gate which servers a machine has joined, and every open stream if the list of tools is another one. */
export async function tellJoined(
  machine: { readonly id: string; readonly name: string },
  servers: ForeignServers,
  { GATE, EVENTS }: ToldObjects,
): Promise<void> {
  const { id, name } = machine;
  const isOther = await GATE.get(GATE.idFromName('owner')).takeMachineServers({ id, name }, servers);
  if (isOther)
    await EVENTS.get(EVENTS.idFromName('owner')).publish(JSON.stringify({ kind: 'tools_list_changed' }));
}
