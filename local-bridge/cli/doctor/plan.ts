import type { DayFacts } from './facts.ts';
import { type Finding, ok, warning } from './finding.ts';

/** What the free plan holds a day. docs/operations.md compares it with the paid one. */
const FREE_PLAN = {
  requests: { most: 100_000, name: 'requests' },
  objects: { most: 100_000, name: 'requests to objects' },
  rows_read: { most: 5_000_000, name: 'rows read' },
  rows_written: { most: 100_000, name: 'rows written' },
} as const;
/** From this share on, one busier day can reach the limit. */
const NEAR = 0.7;

/** Says how much of a day of Cloudflare's free plan yesterday's calls took. */
export function planFinding(use: DayFacts): Finding {
  const check = 'plan';
  const shares = (Object.keys(FREE_PLAN) as (keyof typeof FREE_PLAN)[]).map((what) => ({
    name: FREE_PLAN[what].name,
    share: use[what] / FREE_PLAN[what].most,
  }));
  const share = Math.max(...shares.map((one) => one.share));
  const name = shares.find((one) => one.share === share)?.name;
  const percent = share > 0 && share < 0.01 ? 'under 1 %' : `some ${Math.round(share * 100)} %`;
  const calls = use.calls === 1 ? '1 call' : `${use.calls.toLocaleString('en')} calls`;
  const what = `the ${calls} of yesterday took ${percent} of a day of the free plan (${name})`;
  return share < NEAR
    ? ok(check, what)
    : warning(
        check,
        `${what[0]?.toUpperCase()}${what.slice(1)}.`,
        'On the free plan, Cloudflare refuses what goes beyond its limit until midnight UTC. The paid plan has none a day.',
      );
}
