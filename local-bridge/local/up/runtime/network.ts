import { readFileSync } from 'node:fs';
import type { Service } from 'miniflare';
import { NAT64, refusedRanges } from '../../../../src/web/address.ts';

/**
 * Makes the local gateway's two ways out. workerd compares the address that it connects to with these ranges, so it
 * does not matter what a name resolves to, or to what else a moment later.
 */
export function networks(env: NodeJS.ProcessEnv): Service[] {
  const tlsOptions = { trustBrowserCas: true, trustedCertificates: extraCertificates(env) };
  return [
    // The longest range that matches an address decides. Between two of the same length, the one that denies wins.
    { name: 'internet', network: { allow: ['public', NAT64], deny: refusedRanges(), tlsOptions } },
    { name: 'inside', network: { allow: ['public', 'private', 'local'], deny: [], tlsOptions } },
  ];
}

/** Reads certificates that this computer's user trusts besides the usual ones. */
function extraCertificates({ NODE_EXTRA_CA_CERTS: file }: NodeJS.ProcessEnv): string[] {
  if (!file) return [];
  return readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
