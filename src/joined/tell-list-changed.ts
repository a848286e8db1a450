import type { HostPorts } from './host-ports.ts';
import type { JoinedTools } from './joined-list.ts';

/** Has this isolate read the list of tools again, and tells every open stream that it changed. */
export function tellListChanged(joined: Pick<JoinedTools, 'forget'>, events: HostPorts['events']): void {
  joined.forget();
  events.publish({ kind: 'tools_list_changed' });
}
