import type { Control } from './control.ts';

const ADDRESS = ['web/address.test.ts'];

/** One class of addresses, by its line in the list. */
function range(id: string, what: string, line: string, list = 'SPECIAL_V4'): Control {
  return {
    id: `address-${id}`,
    promise: `Pages are fetched only from public addresses: not from ${what}.`,
    tests: ADDRESS,
    in: list,
    remove: line,
  };
}

/** The addresses and names that nothing is fetched from. */
export const addresses: readonly Control[] = [
  range('loopback', 'this computer', "['127.0.0.0/8', 'loopback']"),
  range('ten', 'private networks (10)', "['10.0.0.0/8', 'private']"),
  range('private', 'private networks (172.16)', "['172.16.0.0/12', 'private']"),
  range('home', 'private networks (192.168)', "['192.168.0.0/16', 'private']"),
  range(
    'link-local',
    'link-local addresses, where clouds keep their keys',
    "['169.254.0.0/16', 'link-local']",
  ),
  range('carrier', "a carrier's inner network", "['100.64.0.0/10', 'carrier NAT']"),
  range('this-network', 'this network', "['0.0.0.0/8', 'this network']"),
  range('multicast', 'multicast addresses', "['224.0.0.0/4', 'multicast']"),
  range('reserved', 'reserved addresses', "['240.0.0.0/4', 'reserved']"),
  range('benchmarks', 'networks for benchmarks', "['198.18.0.0/15', 'benchmarking']"),
  range(
    'v6-inside',
    'IPv6 addresses that are not global unicast',
    "['8000::/1', 'not global unicast']",
    'SPECIAL_V6',
  ),
  range('v6-loopback', 'this computer in IPv6', "['::/3', 'not global unicast']", 'SPECIAL_V6'),
  range('v6-mapped', 'IPv4 mapped into IPv6', "['::ffff:0:0/96', 'IPv4-mapped']", 'CARRIERS'),
  range('nat64', 'IPv4 behind NAT64', "[NAT64, 'NAT64']", 'CARRIERS'),
  {
    id: 'address-6to4',
    promise: 'Pages are fetched only from public addresses: not from IPv4 within 6to4.',
    tests: ADDRESS,
    in: 'embeddedIpv4',
    find: 'SIX_TO_FOUR.some((range) => covers(range, bits, 128))',
    replace: 'false',
  },
  {
    id: 'address-names',
    promise: 'Names of inner networks are not looked up.',
    tests: ADDRESS,
    in: 'objectionToHost',
    find: 'LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))',
    replace: 'false',
  },
  {
    id: 'address-single-words',
    promise: 'Names without a dot are not looked up.',
    tests: ADDRESS,
    in: 'objectionToHost',
    remove: "!name.includes('.')",
  },
  {
    id: 'address-dots',
    promise: 'A dot at the end does not make a name out of an address.',
    tests: ADDRESS,
    in: 'objectionToHost',
    find: "hostname.replace(/(?<!\\.)\\.+$/, '')",
    replace: 'hostname',
  },
  {
    id: 'address-scheme',
    promise: 'Only http and https are fetched.',
    tests: ADDRESS,
    in: 'objectionTo',
    find: "url.protocol !== 'https:' && url.protocol !== 'http:'",
    replace: 'false',
  },
  {
    id: 'address-credentials',
    promise: 'A URL with a user name or password is not fetched.',
    tests: ADDRESS,
    in: 'objectionTo',
    find: 'url.username || url.password',
    replace: 'false',
  },
  {
    id: 'address-ports',
    promise: 'Only default ports are fetched.',
    tests: ADDRESS,
    in: 'objectionTo',
    find: "url.port !== ''",
    replace: 'false',
  },
];
