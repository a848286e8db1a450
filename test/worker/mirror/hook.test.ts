import { describe, expect, it, vi } from 'vitest';
import { githubHook } from '../../../src/mirror/github-hook.ts';
import { SOON_MS } from '../../support/soon.ts';
import { send } from '../http.ts';
import { archive, COMMIT, deliver, file, payload, SECRET, sign, standIn } from './github.ts';
import { commitOf, inMirror, newMirror } from './support.ts';

const wantedIn = (mirror: ReturnType<typeof newMirror>) =>
  inMirror(mirror, (sql) => sql.exec<{ commit_sha: string }>('SELECT commit_sha FROM wanted').toArray());

// What is taken is fetched at once; here, nothing is there to be had, unless a test has it.
const internet = vi
  .spyOn(globalThis, 'fetch')
  .mockImplementation(async () => new Response('', { status: 404 }));

describe('the webhook of GitHub', () => {
  it('has the commit mirrored, with no machine awake', async () => {
    const mirror = newMirror();
    const packed = await archive([file('docs/a.md', 'from GitHub')]);
    internet.mockImplementation(async (input, init) => {
      const answer = await standIn(packed)(input, init);
      const next = answer.headers.get('location');
      return next === null ? answer : standIn(packed)(next);
    });
    expect((await deliver(mirror, payload())).status).toBe(202);
    await vi.waitFor(async () => expect((await mirror.stub().status()).commit).toBe(COMMIT), SOON_MS);
    const { pushedBy, problem, branch } = await mirror.stub().status();
    expect({ pushedBy, problem, branch }).toEqual({ pushedBy: 'github', problem: null, branch: 'main' });
    internet.mockImplementation(async () => new Response('', { status: 404 }));
  });

  it('says in the status what went wrong with fetching', async () => {
    const mirror = newMirror();
    await deliver(mirror, payload());
    await vi.waitFor(async () => expect((await mirror.stub().status()).problem).toContain('404'), SOON_MS);
  });

  it('takes a push that GitHub signed', async () => {
    const mirror = newMirror();
    const response = await deliver(mirror, payload());
    expect(response.status).toBe(202);
    expect(await wantedIn(mirror)).toEqual([{ commit_sha: COMMIT }]);
  });

  it('takes one that is sent as a form', async () => {
    const mirror = newMirror();
    const body = new URLSearchParams({ payload: payload() }).toString();
    const response = await deliver(mirror, body, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(response.status).toBe(202);
    expect(await wantedIn(mirror)).toHaveLength(1);
  });

  it.each<[string, string | null]>([
    ['missing', null],
    ['empty', ''],
    ['of another secret', sign(payload(), 'another secret of some length')],
    ['of another body', sign(payload({ after: commitOf('other') }))],
    ['cut short', sign(payload()).slice(0, -2)],
    ['with something after it', `${sign(payload())}00`],
    ['in capitals', sign(payload()).toUpperCase()],
    ['without its kind', sign(payload()).slice('sha256='.length)],
    ['said to be SHA-1', sign(payload()).replace('sha256', 'sha1')],
    ['that is no hex', `sha256=${'z'.repeat(64)}`],
    ['twice', `${sign(payload())}, ${sign(payload())}`],
  ])('refuses a signature that is %s', async (_, signature) => {
    const mirror = newMirror();
    const response = await deliver(mirror, payload(), { 'x-hub-signature-256': signature });
    expect(response.status).toBe(401);
    expect(await wantedIn(mirror)).toEqual([]);
  });

  it('refuses a body that was changed in one byte', async () => {
    const mirror = newMirror();
    const body = payload();
    const changed = body.replace('refs/heads/main', 'refs/heads/maim');
    expect((await deliver(mirror, changed, { 'x-hub-signature-256': sign(body) })).status).toBe(401);
  });

  it('refuses a delivery that it took before, under its own id or another', async () => {
    const mirror = newMirror();
    const id = { 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' };
    expect((await deliver(mirror, payload(), id)).status).toBe(202);
    expect((await deliver(mirror, payload(), id)).status).toBe(409);
    // The id is not signed: whoever replays a body can write another.
    expect((await deliver(mirror, payload())).status).toBe(409);
    const again = payload({ head_commit: null });
    expect((await deliver(mirror, again, id)).status).toBe(409);
    expect((await deliver(mirror, again)).status).toBe(202);
  });

  it('does not go back to a push from before', async () => {
    const mirror = newMirror();
    const at = (pushed_at: number | string, after: string) =>
      payload({ after: commitOf(after), repository: { full_name: 'ada/notes', pushed_at } });
    expect((await deliver(mirror, at(2_000, 'later'))).status).toBe(202);
    expect((await deliver(mirror, at(1_999, 'earlier'))).status).toBe(409);
    expect((await deliver(mirror, at('1970-01-01T00:33:21Z', 'last'))).status).toBe(202);
    expect(await wantedIn(mirror)).toEqual([{ commit_sha: commitOf('last') }]);
  });

  it.each<[string, number, object, Record<string, string>]>([
    ['of another repo', 403, { repository: { full_name: 'eve/notes', pushed_at: 1 } }, {}],
    ['of another branch', 202, { ref: 'refs/heads/main2' }, {}],
    ['of a tag', 202, { ref: 'refs/tags/main' }, {}],
    ['that takes the branch away', 202, { deleted: true, after: '0'.repeat(40) }, {}],
    ['of no commit', 400, { after: '../../../etc' }, {}],
    ['without a repo', 400, { repository: undefined }, {}],
    ['that is no push', 202, {}, { 'x-github-event': 'issues' }],
    ['that only says hello', 200, {}, { 'x-github-event': 'ping' }],
    ['without a delivery', 400, {}, { 'x-github-delivery': '' }],
  ])('does nothing about one %s', async (_, status, over, headers) => {
    const mirror = newMirror();
    expect((await deliver(mirror, payload(over), headers)).status).toBe(status);
    expect(await wantedIn(mirror)).toEqual([]);
  });

  it('is not there unless a repo and a long enough secret are set', async () => {
    const body = payload();
    const settings = [
      { repo: undefined, branch: 'main', secret: SECRET },
      { repo: 'ada/notes', branch: 'main', secret: undefined },
      { repo: 'ada/notes', branch: 'main', secret: 'short' },
      { repo: 'ada/notes', branch: 'main', secret: '' },
    ];
    for (const github of settings) {
      const app = githubHook({ github, announce: () => Promise.reject(new Error('announced')) });
      const headers = { 'x-hub-signature-256': sign(body, github.secret ?? '') };
      expect((await app.request('/hooks/github', { method: 'POST', body, headers })).status).toBe(404);
    }
    expect((await send('/hooks/github', { method: 'POST', body })).status).toBe(404);
  });

  it('takes no more than a large push, and nothing without a signature', async () => {
    const body = ' '.repeat(4 * 1024 * 1024 + 1);
    const signed = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    expect((await deliver(newMirror(), body, signed)).status).toBe(413);
    expect((await deliver(newMirror(), body, { 'x-hub-signature-256': 'sha256=00' })).status).toBe(401);
  });
});
