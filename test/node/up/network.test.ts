import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { networks } from '../../../local-bridge/local/up/runtime/network.ts';
import { NAT64, refusedRanges } from '../../../src/web/address.ts';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

it('keeps what the gateway fetches to public addresses, and away from all that are special', () => {
  const internet = networks({}).find(({ name }) => name === 'internet');
  expect(internet).toMatchObject({ network: { allow: ['public', NAT64], deny: refusedRanges() } });
  expect(refusedRanges()).toEqual(
    expect.arrayContaining([
      '100.64.0.0/10',
      '198.18.0.0/15',
      '0.0.0.0/8',
      '64:ff9b::10.0.0.0/104',
      '2002:a00:0::/24',
    ]),
  );
});

it('trusts the certificates that the computer’s user named, on both ways', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-certificates-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'more.pem');
  writeFileSync(file, `# two\n${CERTIFICATE}\n${CERTIFICATE}\n`);
  const tlsOptions = { trustBrowserCas: true, trustedCertificates: [CERTIFICATE, CERTIFICATE] };
  for (const way of networks({ NODE_EXTRA_CA_CERTS: file }))
    expect(way).toMatchObject({ network: { tlsOptions } });
});
