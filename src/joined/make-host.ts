import { type Fetch, guardFetch } from '../web/guarded-fetch.ts';
import { pagePorts } from '../web/web-ports.ts';
import type { HostPorts } from './host-ports.ts';

interface HostParts extends Pick<HostPorts, 'origin' | 'gate' | 'machines' | 'door' | 'events' | 'report'> {
  /** For addresses that anybody chose. */
  readonly outward: Fetch;
  /** For a developer's own test servers. */
  readonly open: Fetch;
  /** Origins that a developer's own test servers are on. */
  readonly devOrigins: string | undefined;
}

/** Makes what joining works with. Servers are fetched from public addresses alone, and from a developer's own. */
export function makeHost({ outward, open, devOrigins, ...parts }: HostParts): HostPorts {
  return {
    ...parts,
    fetch: pagePorts(devOrigins, guardFetch(outward), open).fetch,
  };
}
