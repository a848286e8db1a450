import { type Fetch, guardFetch } from '../web/guarded-fetch.ts';
import { pagePorts } from '../web/web-ports.ts';
import type { HostPorts } from './host-ports.ts';

interface HostParts extends Pick<HostPorts, 'origin' | 'gate' | 'machines' | 'door' | 'events' | 'report'> {
  /** For addresses that anybody may choose. */
  readonly outward: Fetch;
  /** For a developer's own test servers. */
  readonly open: Fetch;
  /** Origins of a developer's own test servers. */
  readonly devOrigins: string | undefined;
}

/** Makes those dependencies. They reach only public servers and a developer's own ones. */
export function makeHost({ outward, open, devOrigins, ...parts }: HostParts): HostPorts {
  return {
    ...parts,
    fetch: pagePorts(devOrigins, guardFetch(outward), open).fetch,
  };
}
