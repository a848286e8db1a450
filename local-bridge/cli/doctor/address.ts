import * as z from 'zod';
import { VERSION } from '../../../src/core/version.ts';
import { visible } from '../../../src/core/visible.ts';
import type { Answered } from './ask.ts';
import { type Finding, failed, ok, type Section, warning } from './finding.ts';
import { isHere, type Subject } from './subject.ts';
import { troubleOnTheWay } from './trouble.ts';

/** The largest harmless difference between two clocks. Tokens, certificates and approvals depend on the clock. */
export const MAX_SKEW_MS = 60_000;

const healthz = z.object({ ok: z.literal(true), version: z.string() });
const resourceShape = z.looseObject({ resource: z.string() });

/** Checks whether the address leads to a gateway, and whether that gateway knows the address as its own. */
export function addressSection(subject: Subject, reached: (is: boolean) => void): Section {
  return {
    title: 'Address',
    async *look() {
      yield checkHttps(subject);
      const asked = performance.now();
      const answer = await subject.ask(`${subject.url}/healthz`, { headers: { accept: '*/*' } });
      const trouble = troubleOnTheWay(answer, 'this computer', subject.budgetMs);
      if (trouble || answer.kind === 'nothing') {
        reached(false);
        yield failed('reach the gateway', trouble?.found ?? '', trouble?.cure ?? '');
        return;
      }
      const reach = checkReach(answer);
      yield reach;
      reached(reach.state === 'ok');
      if (reach.state !== 'ok') return;
      yield checkVersion(answer);
      yield checkClock(answer, performance.now() - asked, subject.now());
      yield await checkOwnAddress(subject);
    },
  };
}

function checkHttps({ url }: Subject): Finding {
  const check = 'https';
  if (url.startsWith('https:')) return ok(check, url);
  if (isHere(url)) return ok(check, `${url} is on this computer, which needs none`);
  return failed(
    check,
    `${url} is not encrypted; Claude and ChatGPT take only https.`,
    'Use the https:// address.',
  );
}

function checkReach({ status, json, ms }: Answered): Finding {
  const check = 'reach the gateway';
  if (status === 200 && healthz.safeParse(json).success) return ok(check, `answered in ${ms} ms`);
  return failed(
    check,
    `Something answers (${status}), but it is not a Bowline gateway.`,
    'Check the address, without /mcp at its end. At Cloudflare, see that the Worker is deployed and that the route or domain leads to it.',
  );
}

function checkVersion({ json }: Answered): Finding {
  const { version } = healthz.parse(json);
  if (version === VERSION) return ok('version', version);
  return warning(
    'version',
    `The gateway runs ${visible(version, 40)}, and this command is ${VERSION}.`,
    'Bring both to the same version: `git pull && npm ci` here, then `bowline deploy`.',
  );
}

function checkClock({ headers }: Answered, tookMs: number, now: number): Finding {
  const check = 'clock';
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return ok(check, 'the gateway does not say what time it is');
  // Subtract what is uncertain: the header has whole seconds, and was written before the answer arrived.
  const off = Math.max(0, Math.abs(now - theirs) - tookMs - 1_000);
  const by = Math.round(off / 1_000);
  if (off <= MAX_SKEW_MS) return ok(check, by === 0 ? 'right' : `within ${by + 1} seconds`);
  return failed(
    check,
    `This computer's clock is ${by} seconds ${now > theirs ? 'ahead of' : 'behind'} the gateway's.`,
    'Set it by network time: on a Mac System Settings › Date & Time, on Linux `timedatectl set-ntp true`.',
  );
}

async function checkOwnAddress({ url, ask, budgetMs }: Subject): Promise<Finding> {
  const check = 'own address';
  const answer = await ask(`${url}/.well-known/oauth-protected-resource/mcp`, { headers: { accept: '*/*' } });
  const trouble = troubleOnTheWay(answer, 'this computer', budgetMs);
  if (trouble) return failed(check, trouble.found, trouble.cure);
  const said = answer.kind === 'answer' ? resourceShape.safeParse(answer.json) : undefined;
  if (!said?.success) {
    return failed(
      check,
      'The gateway does not say which resource it guards, so no app finds its sign-in.',
      'See that /.well-known/* reaches the Worker and is not served by something in front of it.',
    );
  }
  if (said.data.resource === `${url}/mcp`) return ok(check, `it knows itself as ${url}`);
  const theirs = visible(said.data.resource.replace(/\/mcp$/, ''), 200);
  return failed(
    check,
    `The gateway says that its address is ${theirs}, not ${url}. Its tokens work only there.`,
    `Use ${theirs}/mcp in the connector, or set PUBLIC_URL: \`bowline deploy --url ${url}\`.`,
  );
}
