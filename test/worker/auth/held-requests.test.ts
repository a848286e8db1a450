import { env, exports } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SOON_MS } from '../../support/soon.ts';
import { send } from '../http.ts';
import { api, bearer, mcpCall, type OwnerBrowser, owner, personalToken, signedIn, timed } from './support.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a call that waits for a yes', () => {
  const args = { file: 'decisions.jsonl', entry: '{}' };
  const codeOf = async (visitor: OwnerBrowser, principal: string) => {
    const response = await api(visitor, 'GET', 'approvals?state=pending');
    const { approvals } = await response.json<{ approvals: { code: string; principal: string }[] }>();
    return approvals.find((one) => one.principal === principal)?.code ?? '';
  };

  it.each<[string, (secret: string) => Promise<Response>]>([
    [
      'over REST',
      (secret) =>
        send('/tools/write_memory_entry', {
          method: 'POST',
          headers: { ...bearer(secret), 'content-type': 'application/json' },
          body: JSON.stringify(args),
        }),
    ],
    ...(['2025', '2026'] as const).map((era): [string, (secret: string) => Promise<Response>] => [
      `over MCP of ${era}`,
      (secret) => exports.default.fetch(mcpCall(era, bearer(secret), { name: 'write_memory_entry', args })),
    ]),
  ])('%s ends with its token, and there is nothing left to say yes to', async (way, call) => {
    const made = await personalToken(['write']);
    const { secret } = made;
    const { id } = made.token;
    const visitor = await signedIn();
    const answer = call(secret).then(async (response) => {
      const text = await response.text().catch(() => 'cut off');
      return { status: response.status, text };
    });
    const code = await vi.waitFor(async () => {
      const found = await codeOf(visitor, `token:${id}`);
      expect(found).not.toBe('');
      return found;
    }, SOON_MS);
    await owner().revokeToken(id);
    expect(await timed(answer)).toBeLessThan(5_000);
    const { status, text } = await answer;
    expect(text).not.toContain('approval_required');
    // A sender who gets a last word learns that the call may have begun, and no more.
    if (way === 'over REST') {
      expect([status, JSON.parse(text).code]).toEqual([401, 'unauthorized']);
      expect(JSON.parse(text).message).toContain('the call may have run');
    }
    // Its approval is withdrawn with it.
    expect((await api(visitor, 'POST', `approvals/${code}`, { decision: 'approve' })).status).toBe(409);
    await vi.waitFor(
      async () => {
        const { entries } = await (await api(visitor, 'GET', `ledger?principal=token:${id}`)).json<{
          entries: { outcome: string | null }[];
        }>();
        expect(entries.map(({ outcome }) => outcome)).toEqual(['failed']);
      },
      { timeout: SOON_MS },
    );
    const approval = await (await api(visitor, 'GET', `approvals/${code}`)).json();
    expect(approval).toMatchObject({ state: 'expired' });
  });
});

describe('a page that waits for news', () => {
  it.each([
    ['/live', '', 303],
    ['/api/owner/feed', '&wait=25', 401],
  ])('%s ends within five seconds after its session was signed out', async (path, more, status) => {
    const visitor = await signedIn();
    const first = await (await visitor.send(`${path}?after=0`)).json<{ at: number }>();
    const asked = vi.spyOn(env.GATE, 'get');
    const answer = visitor.send(`${path}?after=${first.at}${more}`);
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: SOON_MS });
    await owner().closeSession(visitor.id);
    expect(await timed(answer)).toBeLessThan(5_000);
    expect((await answer).status).toBe(status);
  });
});
