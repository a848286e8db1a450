import { expect, it } from 'vitest';
import { CERTAIN_KINDS, secretsIn } from '../../../src/core/secret-scan.ts';

const of = (text: string) => secretsIn('a', Buffer.from(text)).map(({ rule, line }) => `${rule}:${line}`);
const a = (length: number) => 'aB3'.repeat(100).slice(0, length);

// Put together here, so that nobody takes this file for a leak.
const SAMPLES: readonly (readonly [rule: string, text: string])[] = [
  ['private-key', `-----BEGIN ${'OPENSSH'} PRIVATE KEY-----`],
  ['private-key', `-----BEGIN ${'PRIVATE'} KEY-----`],
  ['private-key', `-----BEGIN PGP ${'PRIVATE'} KEY BLOCK-----`],
  ['aws-access-key', `AKIA${'ABCDEFGH12345678'}`],
  ['github-token', `ghp_${a(36)}`],
  ['github-token', `github_pat_${a(82)}`],
  ['gitlab-token', `glpat-${a(20)}`],
  ['slack-token', `xoxb-${a(30)}`],
  ['slack-webhook', `https://hooks.slack.com/services/T${a(8)}/B${a(8)}/${a(24)}`],
  ['stripe-key', `sk_live_${a(24)}`],
  ['google-api-key', `AIza${a(35)}`],
  ['anthropic-key', `sk-ant-${a(40)}`],
  ['openai-key', `sk-${a(48)}`],
  ['openai-key', `sk-proj-${a(60)}`],
  ['npm-token', `npm_${a(36)}`],
  ['pypi-token', `pypi-AgEIcHlwaS5vcmc${a(60)}`],
  ['bowline-key', `bwl_owner_${a(43)}`],
];

it('knows many kinds for certain', () => {
  expect(CERTAIN_KINDS.size).toBeGreaterThan(80);
  for (const [kind] of SAMPLES) expect(CERTAIN_KINDS).toContain(kind);
});

it.each(SAMPLES)('finds %s', (rule, text) => {
  expect(of(text)).toEqual([`${rule}:1`]);
  expect(of(`x\r\n\nkey="${text}";\n`)).toEqual([`${rule}:3`]);
  const wide = secretsIn('a', Buffer.from(`\n${text}`, 'utf16le'));
  expect(wide.map((one) => one.rule)).toEqual([rule]);
  expect(secretsIn('a', Buffer.concat([Buffer.from([0xff, 0x00, 0x80]), Buffer.from(text)]))).toHaveLength(1);
});

it.each([
  'a public key: -----BEGIN PUBLIC KEY-----',
  'AKIA in a sentence, or AKIA1234',
  'ghp_short',
  'the prefix sk-ant- alone',
  'npm_config_cache',
  'sk_test_1234567890abcdefghij',
])('lets %j be', (text) => {
  expect(of(text)).toEqual([]);
});
