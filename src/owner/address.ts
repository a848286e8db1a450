/** Gives the address that a request comes from. */
export type AddressOf = (request: Request) => string;

/**
 * Reads the one header that the platform in front of the Worker sets, and no other. Without a platform, as on
 * the owner's own computer, a client could write anything into the header, so all requests then count as one
 * address.
 */
export function addressFrom(header: string | undefined): AddressOf {
  return (request) => (header && request.headers.get(header)) || 'local';
}

/**
 * Gives the network that limits count. Whoever has one IPv6 address has at least 2^64 of them, so its first
 * half counts.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [left = '', right = ''] = address.toLowerCase().split('::', 2);
  const groups = (text: string) => text.split(':').filter(Boolean);
  const tail = address.includes('::') ? groups(right) : [];
  const head = groups(left);
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const whole = [...head, ...(address.includes('::') ? zeros : []), ...tail];
  return `${whole.slice(0, 4).join(':')}::/64`;
}
