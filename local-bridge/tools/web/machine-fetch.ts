import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { type Objection, objectionToIp } from '../../../src/web/address.ts';
import { BlockedUrl } from '../../../src/web/guarded-fetch.ts';

type Fetch = typeof globalThis.fetch;

export interface MachineFetchPorts {
  /** Resolves a name to all of its addresses. If left out, the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Objects to an address that a name resolved to. */
  readonly objectionTo?: (ip: string) => Objection;
}

/**
 * Makes a fetch that checks the address at the moment it connects, because a name that led outside a moment ago may
 * lead inside now. It follows no redirects, uses no proxy, and keeps no connection for the next request.
 */
export function makeMachineFetch({
  lookup = systemLookup,
  objectionTo = objectionToIp,
}: MachineFetchPorts = {}): Fetch {
  const connect = buildConnector({
    lookup: checkedLookup(lookup, objectionTo),
    allowH2: false,
    maxCachedSessions: 0,
    keepAlive: false,
    // The whole request has its own time limit already.
    timeout: 60_000,
  });
  const dispatcher = new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // An address in digits is not looked up, so check it here.
      const objection = isIP(host) === 0 ? undefined : objectionTo(host);
      if (objection === undefined) connect(options, callback);
      else callback(new BlockedUrl(`${host} is not fetched: ${objection}.`), null);
    },
    // Zero means a connection for each request.
    pipelining: 0,
  });
  // The two libraries' types of the same standard differ in details that no caller here uses.
  return ((input: string | URL, init?: object) =>
    undiciFetch(input, { ...init, redirect: 'manual', dispatcher })) as unknown as Fetch;
}

/** The machine's own way to the web. */
export const machineFetch: Fetch = makeMachineFetch();

/** Lists all addresses that a name leads to from this machine. Throws a `BlockedUrl` if one of them is refused. */
export function addressesOf(
  host: string,
  { lookup = systemLookup, objectionTo = objectionToIp }: MachineFetchPorts = {},
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  return new Promise((resolve, reject) => {
    checkedLookup(lookup, objectionTo)(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve((Array.isArray(found) ? found : []).map(({ address }) => address));
    });
  });
}

/** Refuses a name if any of its addresses is refused, because the system may use any of them. */
function checkedLookup(lookup: LookupFunction, objectionTo: (ip: string) => Objection): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const found = Array.isArray(addresses) ? addresses : [];
      const objection = found.map(({ address }) => objectionTo(address)).find((said) => said !== undefined);
      if (objection !== undefined) {
        return callback(
          new BlockedUrl(`${hostname} is not fetched: it resolves to an address inside, and ${objection}.`),
          '',
        );
      }
      const [first] = found;
      if (!first)
        return callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENODATA' }), '');
      return options.all ? callback(null, found) : callback(null, first.address, first.family);
    });
  };
}
