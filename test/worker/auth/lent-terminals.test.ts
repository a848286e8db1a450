import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import { approvalIn, gateCall, seqIn } from '../gate/gate-calls.ts';
import { gateNamed } from '../gate/rig.ts';
import { GATEWAY } from '../http.ts';
import { callNamed, connect, enrolDevice } from '../machines/device.ts';
import {
  api,
  approve,
  bearer,
  codeIn,
  connectedApp,
  exchange,
  type OwnerBrowser,
  openConsent,
  owner,
  personalToken,
  signedIn,
} from './support.ts';

/** The gate that the product itself asks. */
const gate = gateNamed('owner');
let count = 0;

/** Has the owner lend a terminal to a caller. Gives a way to see whether it still is lent. */
async function lentTo(principal: string, machineId = 'm_1'): Promise<() => Promise<boolean>> {
  const session = `work-${++count}`;
  const args = canonicalJson({ session });
  const asked = gateCall({
    ...{ tool: 'terminal_start', machine: 'mini', machineId, risk: 'dangerous', principal },
    ...{ args, shownArgs: args, digest: session },
    shown: {
      preview: { facts: [], files: null, diff: null, state: null, lasting: { session, startedBy: null } },
    },
  });
  const { code } = approvalIn(await gate.admit(asked, []));
  await gate.decide(code, 'lend', 'the owner', true);
  seqIn(await gate.admit(asked, []));
  return async () => (await gate.loans()).some((loan) => loan.session === session);
}

describe('a terminal that was lent to a script', () => {
  it.each([
    ['over the API', (visitor: OwnerBrowser, id: string) => api(visitor, 'DELETE', `tokens/${id}`)],
    [
      'on the page',
      (visitor: OwnerBrowser, id: string) =>
        visitor.submit('/connections/tokens/revoke', { csrf: visitor.csrf, id }),
    ],
  ])('is taken back with its token, and no other is, %s', async (_, revoke) => {
    const { secret } = await personalToken();
    const id = (await owner().token(secret))?.id ?? '';
    const [isLent, others] = [await lentTo(`token:${id}`), await lentTo('token:other')];
    await revoke(await signedIn(), id);
    expect([await isLent(), await others()]).toEqual([false, true]);
  });

  it('is taken back when the script ends its own token', async () => {
    const { secret } = await personalToken();
    const isLent = await lentTo(`token:${(await owner().token(secret))?.id}`);
    const request = new Request(`${GATEWAY}/api/token`, { method: 'DELETE', headers: bearer(secret) });
    expect((await exports.default.fetch(request)).status).toBe(200);
    expect(await isLent()).toBe(false);
  });
});

describe('a terminal that was lent to an app', () => {
  it('is taken back when the app is shut out', async () => {
    const { clientId } = await connectedApp();
    const isLent = await lentTo(`app:${clientId}`);
    const visitor = await signedIn();
    const { apps } = await (await api(visitor, 'GET', 'access')).json<{
      apps: { id: string; clientId: string }[];
    }>();
    await api(visitor, 'DELETE', `apps/${apps.find((app) => app.clientId === clientId)?.id}`);
    expect(await isLent()).toBe(false);
  });

  it('is taken back when the app ends its own access', async () => {
    const { clientId, access_token } = await connectedApp();
    const isLent = await lentTo(`app:${clientId}`);
    const headers = bearer(access_token);
    const request = new Request(`${GATEWAY}/api/token`, { method: 'DELETE', headers });
    expect((await exports.default.fetch(request)).status).toBe(200);
    expect(await isLent()).toBe(false);
  });

  it('is not lent to an app that is let in anew under the same name', async () => {
    const { clientId } = await connectedApp();
    const isLent = await lentTo(`app:${clientId}`);
    const visitor = await signedIn();
    const code = codeIn(await approve(visitor, await openConsent(visitor, clientId)));
    expect((await exchange(clientId, code)).status).toBe(200);
    expect(await isLent()).toBe(false);
  });
});

describe('what waits at a machine to be typed into a lent terminal', () => {
  const revoke = async (visitor: OwnerBrowser, principal: string) =>
    void (await api(visitor, 'DELETE', `tokens/${principal.slice('token:'.length)}`));
  const loanOf = async (principal: string) =>
    (await gate.loans()).find((loan) => loan.principal === principal)?.id ?? '';
  it.each<[string, (visitor: OwnerBrowser, principal: string) => Promise<void>]>([
    ['its caller is revoked', revoke],
    [
      'it is taken back over the API',
      async (visitor, principal) => void (await api(visitor, 'DELETE', `loans/${await loanOf(principal)}`)),
    ],
    [
      'it is taken back on the page',
      async (visitor, principal) =>
        void (await visitor.submit('/loans/take-back', {
          csrf: visitor.csrf,
          id: await loanOf(principal),
        })),
    ],
    ['all are taken back', async (visitor) => void (await api(visitor, 'DELETE', 'loans'))],
  ])('is cancelled there when %s, and nothing else is', async (_, end) => {
    const principal = `token:${(await owner().token((await personalToken()).secret))?.id}`;
    const device = await enrolDevice();
    const socket = await connect(device);
    await lentTo(principal, device.id);
    const args = canonicalJson({ session: `work-${count}`, text: 'ls', program: true });
    const typed = gateCall({
      ...{ tool: 'terminal_send', machine: 'mini', machineId: device.id, risk: 'dangerous', principal },
      ...{ args, shownArgs: args, digest: `typed ${count}`, shown: null },
    });
    seqIn(await gate.admit(typed, []));
    const [other, waiting] = ['call_other', typed.callId].map((id) =>
      device.stub().call(callNamed(`${id}`, { tool: 'terminal_send', principal })),
    );
    const [first, second] = [await socket.next('call'), await socket.next('call')];
    await end(await signedIn(), principal);
    const pinged = device.stub().ping();
    const probed = socket.next('probe');
    const told = await Promise.race([socket.next('cancel'), probed]);
    expect(told).toMatchObject({ type: 'cancel', id: typed.callId });
    const { n } = await probed;
    socket.say({ type: 'probed', n, running: 0, queued: 0, tools: 1 });
    expect(await pinged).toMatchObject({ tools: 1 });
    socket.say({ type: 'cancelled', n: told.n, why: 'asked' });
    expect(await waiting).toEqual({ kind: 'not_run', why: 'asked' });
    socket.answer(first.id === typed.callId ? second.n : first.n, { kind: 'ok', output: {} });
    expect(await other).toMatchObject({ kind: 'result', isOk: true });
    socket.close();
  });
});

describe('every lent terminal', () => {
  it('is taken back with everything else that is let in', async () => {
    const isLent = await lentTo('token:any');
    await api(await signedIn(), 'POST', 'revoke-everything');
    expect(await isLent()).toBe(false);
  });

  it('is taken back by its owner’s session alone, on the page of a form of theirs', async () => {
    const isLent = await lentTo('token:any');
    const [{ id = '' } = {}] = await gate.loans();
    const visitor = await signedIn();
    await visitor.submit('/loans/take-back', { csrf: 'wrong', id });
    await visitor.submit('/loans/take-back', { csrf: visitor.csrf });
    expect(await isLent()).toBe(true);
    const stale = await visitor.submit('/loans/take-back', { csrf: 'wrong', id });
    expect([stale.status, await stale.text()]).toEqual([403, expect.stringContaining('Take back')]);
    const back = await visitor.submit('/loans/take-back', { csrf: visitor.csrf, id, from: '/machines' });
    expect([back.status, back.headers.get('location'), await isLent()]).toEqual([303, '/machines', false]);
  });
});
