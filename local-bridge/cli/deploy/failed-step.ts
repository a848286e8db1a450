import { visible } from '../../../src/core/visible.ts';
import { CliError } from '../../lib/exit.ts';
import type { WranglerRan } from './wrangler-command.ts';

/** Messages of wrangler for problems that can be solved, and how. */
const CURES: readonly (readonly [says: RegExp, cure: string])[] = [
  [
    /enable R2|code: 10042/i,
    'R2 is not on for this account. Open https://dash.cloudflare.com/?to=/:account/r2 and turn it on (the free amount is enough).',
  ],
  [
    /register a workers\.dev subdomain/i,
    'Choose a workers.dev name once at https://dash.cloudflare.com/?to=/:account/workers/onboarding, or give your own with --url.',
  ],
  [
    /CLOUDFLARE_API_TOKEN|not authenticated|not logged in|Authentication error|code: 10000/i,
    'Sign in with `npx wrangler login`. An API token in CLOUDFLARE_API_TOKEN needs to edit Workers scripts, KV and R2.',
  ],
  [
    /code: 10097|free plan/i,
    'The account’s plan does not allow this. Durable Objects with SQLite run on the free plan. See what wrangler says above.',
  ],
  [/exceeds the size limit|code: 10027/i, 'The Worker is too large for the plan. Is the clone unchanged?'],
  [
    /could not find zone|code: 1000[13]|zone/i,
    'A name given with --url has to belong to a domain in this Cloudflare account.',
  ],
  [
    /fetch failed|ENOTFOUND|ECONNRE|ETIMEDOUT|code: 10013|internal error/i,
    'Cloudflare could not be reached, or is busy. Try again in a minute.',
  ],
];

/** Lines that tell an owner nothing: wrangler's own stack, its log, which is removed, and where to report bugs of it. */
const NOISE = /^\s*$|^\s+at |Logs were written to|workers-sdk\/issues|newer version of Wrangler/;

const AGAIN = 'Then run `bowline deploy` again. It keeps what is done and continues from there.';

/** Describes a failed step in words, with wrangler's own last lines. */
export function stepFailed(step: string, { code, stdout, stderr }: WranglerRan): CliError {
  const said = `${stdout}\n${stderr}`;
  const cure = CURES.find(([says]) => says.test(said))?.[1];
  const lines = (stderr.trim() || stdout.trim())
    .split('\n')
    .filter((line) => !NOISE.test(line))
    .slice(-6)
    .join('\n  ');
  return new CliError(
    `${step} did not work (wrangler ended with ${code}). It last said:\n  ${visible(lines, 1_500)}`,
    `${cure ?? 'See what wrangler says.'} ${AGAIN}`,
  );
}
