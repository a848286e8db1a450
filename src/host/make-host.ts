import type { GateStub } from '../gate/gate-stub.ts';
import { type Fetch, guardFetch } from '../web/guarded-fetch.ts';
import { pagePorts } from '../web/web-ports.ts';
import type { HostGate, HostPorts } from './host-ports.ts';

interface HostParts extends Pick<HostPorts, 'origin' | 'machines' | 'door' | 'events' | 'report'> {
  gate(): GateStub;
  /** For addresses that anybody chose. */
  readonly outward: Fetch;
  /** For a developer's own test servers. */
  readonly open: Fetch;
  /** Origins that a developer's own test servers are on. */
  readonly devOrigins: string | undefined;
}

/** Makes what joining works with. Servers are fetched from public addresses alone, and from a developer's own. */
export function makeHost({ gate, outward, open, devOrigins, ...parts }: HostParts): HostPorts {
  return {
    ...parts,
    // The same object; only its types are written out, because those of RPC lose schemas on the way.
    gate: gate as unknown as () => HostGate,
    fetch: pagePorts(devOrigins, guardFetch(outward), open).fetch,
  };
}
