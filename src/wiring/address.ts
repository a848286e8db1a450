import { LOOPBACK } from '../http/doorstep.ts';

/** More addresses than a gateway of one port has on its own computer: a host name and an address in each family. */
const MAX_ADDRESSES = 4;

/**
 * Makes a function that adds the gateway's own address to the settings. A gateway without a configured one (`wrangler
 * dev`, on whatever port) uses the address of the request, which must be this computer's: a name could lead anywhere.
 */
export function addressFollower<Settings extends { readonly PUBLIC_URL: string }>() {
  const known = new WeakMap<Settings, Map<string, Settings>>();
  return (settings: Settings, asked: string): Settings => {
    if (settings.PUBLIC_URL) return settings;
    const origin = ownOrigin(asked);
    const all = known.get(settings) ?? new Map<string, Settings>();
    known.set(settings, all);
    const there = all.get(origin) ?? { ...settings, PUBLIC_URL: origin };
    // A request may name any port, so keep only the latest few.
    all.delete(origin);
    all.set(origin, there);
    for (const oldest of all.keys()) {
      if (all.size <= MAX_ADDRESSES) break;
      all.delete(oldest);
    }
    return there;
  };
}

function ownOrigin(asked: string): string {
  const { hostname, origin } = new URL(asked);
  return LOOPBACK.has(hostname) ? origin : 'http://localhost';
}
