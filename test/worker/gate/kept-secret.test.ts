import { exports } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { announcer } from '../../../src/gate/announce.ts';
import { makeVapidKeys } from '../../../src/gate/web-push.ts';
import { stateKey } from '../../support/mcp-endpoint.ts';
import { api, newAddress, personalToken, signedIn } from '../auth/owner.ts';
import { GATEWAY, send } from '../http.ts';
import { gateNamed, openRig } from './rig.ts';
import { sendBy, sendOn, ways } from './ways.ts';

/** Looks like nothing that a pattern for secrets would know. */
const PLAIN = 'correct-horse-battery-staple';
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const WEBHOOK = { url: 'http://127.0.0.1:9/topic-that-nobody-may-know', token: 'tk_that_nobody_may_know' };

/** Everything that was said on the console. */
const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    vi.spyOn(console, level).mockImplementation((...words) => {
      logged.push(
        words.map((word) => (word instanceof Error ? `${word.stack}` : JSON.stringify(word))).join(' '),
      );
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

function expectKept(texts: readonly string[], secrets: readonly string[]) {
  for (const text of [...texts, ...logged]) {
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(encodeURIComponent(secret));
    }
  }
}

describe('what is said to whoever calls', () => {
  it.each(ways)('by way of %s holds nothing of what went wrong inside', async (way) => {
    const rig = openRig({
      desk: {
        runs: [],
        act: () => {
          throw new Error(`cannot open /Users/ada/.ssh/${PLAIN} with ${TOKEN}`);
        },
      },
    });
    const answer = await sendBy(way, rig, { tool: 'desk_keep' });
    expect(answer).toMatchObject({ kind: 'failed', failure: { code: 'internal_error' } });
    expectKept([JSON.stringify(answer)], [PLAIN, TOKEN, '.ssh', stateKey]);
    // Whoever runs the gateway is told, by way of the report and not of the console.
    expect(rig.reported).toHaveLength(1);
  });

  it('holds nothing of another’s call, whatever becomes of it', async () => {
    const rig = openRig();
    const args = { path: PLAIN, content: TOKEN };
    await sendBy('url', rig, { args });
    const [approval] = rig.announced.all;
    await rig.decide(approval?.code ?? '');
    await sendBy('rest', rig, { args });
    const answers: string[] = [];
    for (const [i, way] of ways.entries()) {
      const answer = sendOn(way, rig, { as: 'mallory', args: { path: way } });
      await rig.decide((await rig.announced.nth(i + 2)).code, 'deny');
      answers.push(JSON.stringify(await answer));
    }
    expectKept(answers, [PLAIN, TOKEN, approval?.code ?? 'none', 'ada']);
  });

  it('holds no more of an approval than its code and its page', async () => {
    const rig = openRig();
    const args = { path: PLAIN, content: TOKEN };
    const asked = await sendBy('form', rig, { args, as: 'ada@example.com' });
    const left = await sendBy('cli', rig, {
      args,
      as: 'ada@example.com',
      caller: { waitsMs: 0 },
    });
    expectKept([JSON.stringify(asked), JSON.stringify(left)], [PLAIN, TOKEN, stateKey]);
  });
});

describe('what is said to the owner', () => {
  it('holds neither signing keys nor sessions, where it refuses or goes wrong', async () => {
    const rig = openRig({ name: 'owner' });
    const visit = await signedIn();
    const { secret } = await personalToken(['read', 'write', 'machine']);
    const vapid = await makeVapidKeys();
    await gateNamed('owner').changeSetting('vapid', vapid);
    await gateNamed('owner').changeSetting('webhooks', [WEBHOOK]);
    await sendBy('url', rig, { args: { path: 'a' } });
    const [{ code = '' } = {}] = rig.announced.all;
    const answers = [
      await api(visit, 'GET', 'settings/vapid'),
      await api(visit, 'GET', 'push-key'),
      await api(visit, 'PUT', 'settings/webhooks', { value: [{ ...WEBHOOK, url: 'ftp://x' }] }),
      await api(visit, 'POST', `approvals/${code}`, { decision: PLAIN }),
      await api(visit, 'POST', `approvals/${PLAIN}`, { decision: 'approve' }),
      await api({ ...visit, csrf: 'x' }, 'POST', `approvals/${code}`, { decision: 'approve' }),
      await send(`/api/owner/approvals/${code}`, { headers: { authorization: `Bearer ${secret}` } }),
      await exports.default.fetch(
        new Request(`${GATEWAY}/approvals/${code}`, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'cf-connecting-ip': newAddress(), authorization: `Bearer ${secret}` },
          body: new URLSearchParams({ csrf: visit.csrf, decision: 'approve' }),
        }),
      ),
    ];
    await gateNamed('owner').changeSetting('webhooks', []);
    const texts = await Promise.all(
      answers.map(async (answer) => JSON.stringify([...answer.headers]) + (await answer.text())),
    );
    expect(texts[1]).toContain(vapid.publicKey);
    expectKept(texts, [vapid.privateKey, visit.secret, visit.csrf, secret, PLAIN, WEBHOOK.token]);
  });

  it('and what is reported of a channel that cannot be reached name only its host', async () => {
    const rig = openRig();
    await rig.gate().changeSetting('webhooks', [WEBHOOK]);
    const reports: string[] = [];
    const announce = announcer({
      gate: rig.gate,
      origin: GATEWAY,
      report: (error, where) => reports.push(`${where}: ${error instanceof Error ? error.stack : error}`),
    });
    await sendBy('url', rig, { args: { path: PLAIN, content: TOKEN } });
    const [approval] = rig.announced.all;
    if (!approval) throw new Error('expected an approval');
    await announce(approval, approval.request);
    expect(reports).toEqual([expect.stringContaining('notify: Error: 127.0.0.1:9 was not asked')]);
    expectKept(reports, [PLAIN, TOKEN, WEBHOOK.token, 'topic-that']);
  });
});
