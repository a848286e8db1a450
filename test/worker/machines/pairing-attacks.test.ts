import { describe, expect, it } from 'vitest';
import { inOwner, later, newAddress, owner } from '../auth/owner.ts';
import { GATEWAY } from '../http.ts';
import { newMachine, openPairing } from './pairing-rig.ts';

const MINUTE = 60_000;
const { gateway, as, visit, start, confirm, paired, answer } = openPairing();

describe('an attacker who wants a machine of theirs paired', () => {
  it('cannot put forward a key they do not hold, nor a name or gateway it was not signed for', async () => {
    const [machine, other] = [newMachine(), newMachine()];
    const honest = machine.request('mini');
    for (const forged of [
      { ...honest, public_key: other.key },
      { ...honest, name: 'studio' },
      { ...machine.request('mini', 'https://evil.example') },
      { ...honest, signature: '' },
      { ...honest, signature: 'A'.repeat(86) },
    ]) {
      const refused = await answer(await gateway.post('/api/pair', forged));
      expect(refused).toMatchObject({ status: 403, code: 'not_signed' });
      expect(refused.suggestion).toContain(GATEWAY);
    }
    expect(await owner().enrolments()).toEqual([]);
  });

  it.each([
    ['no key', { public_key: '' }],
    ['a short key', { public_key: 'A'.repeat(42) }],
    ['a key with bits to spare', { public_key: `${'A'.repeat(42)}B` }],
    ['a name over 64', { name: 'm'.repeat(65) }],
    ['a name with a bidi character', { name: 'mi\u202eni' }],
    ['a name with markup', { name: '<b>mini' }],
    ['another field', { confirmed: true }],
  ])('is turned away with %s', async (_, change) => {
    const sent = { ...newMachine().request('mini'), ...change };
    expect(await answer(await gateway.post('/api/pair', sent))).toMatchObject({
      status: 400,
      code: 'invalid_input',
    });
  });

  it('is not confirmed under the fingerprint of another', async () => {
    const [mine, theirs] = [await start(newMachine(), 'mini'), await start(newMachine(), 'mini')];
    expect(await confirm({ code: theirs.code, fingerprint: mine.fingerprint })).toMatchObject({
      status: 409,
      code: 'wrong_fingerprint',
    });
    expect(await owner().machines()).toEqual([]);
    const page = await as.submit('/machines/pair', {
      code: theirs.code,
      fingerprint: mine.fingerprint,
      name: 'mini',
      decision: 'confirm',
    });
    expect([page.status, await owner().machines()]).toEqual([409, []]);
  });

  it('cannot confirm anything themselves: not without the owner, their ticket, or their own page', async () => {
    const { code, fingerprint } = await start();
    const body = { decision: 'confirm', fingerprint };
    const path = `/api/owner/machines/pair/${code}`;
    expect((await gateway.post(path, body)).status).toBe(401);
    expect((await gateway.post(path, body, { authorization: 'Bearer bwl_pat_x' })).status).toBe(401);
    const cookie = `__Host-bowline=${visit().secret}`;
    expect((await gateway.post(path, body, { cookie })).status).toBe(403);
    const form = { code, fingerprint, name: 'mini', decision: 'confirm' };
    expect((await as.submit('/machines/pair', { ...form, csrf: 'x' })).status).toBe(403);
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await as.submit('/machines/pair', form, evil)).status).toBe(403);
    expect((await as.page(`/machines/pair?code=${code}&decision=confirm`)).status).toBe(200);
    expect(await owner().machines()).toEqual([]);
  });

  it('cannot learn or take another’s secret', async () => {
    await start();
    for (const secret of ['', 'bwl_pair_', `bwl_pair_${'A'.repeat(43)}`, '%']) {
      const refused = await gateway.post('/api/pair/status', { secret });
      expect([400, 401]).toContain(refused.status);
    }
    const kept = await inOwner((sql) => JSON.stringify(sql.exec('SELECT * FROM enrolment').toArray()));
    expect(kept).not.toContain('bwl_pair_');
  });

  it('asks from one address at most ten times in ten minutes, and waits with at most three', async () => {
    const address = newAddress();
    const ask = async () =>
      answer(await gateway.post('/api/pair', newMachine().request('x'), { 'cf-connecting-ip': address }));
    for (let at = 0; at < 3; at++) expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({
      status: 429,
      message: expect.stringContaining('wait to be confirmed'),
    });
    for (let at = 4; at < 10; at++) await ask();
    expect(await ask()).toMatchObject({ status: 429, message: expect.stringContaining('Too many attempts') });
    later(10 * MINUTE);
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('cannot fill more than twenty places from however many addresses', async () => {
    for (let at = 0; at < 20; at++) await start();
    const refused = await gateway.post('/api/pair', newMachine().request('x'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await owner().enrolments()).toHaveLength(20);
  });
});

describe('somebody who only has a session', () => {
  const old = (sql: SqlStorage) => void sql.exec('UPDATE session SET proven_at = ?', Date.now() - 5 * MINUTE);

  it('pairing, renaming and a new default need a fresh proof; denying and revoking do not', async () => {
    const { id } = await paired();
    const waiting = await start();
    await inOwner(old);
    expect(await confirm(waiting)).toMatchObject({ status: 403, code: 'proof_needed' });
    for (const change of [{ name: 'x' }, { is_default: true }]) {
      expect((await as.call('POST', `machines/${id}`, change)).status).toBe(403);
    }
    const form = { code: waiting.code, fingerprint: waiting.fingerprint, name: 'two', decision: 'confirm' };
    expect((await as.submit('/machines/pair', form)).status).toBe(403);
    expect((await as.submit('/machines/rename', { id, name: 'x' })).status).toBe(403);
    expect((await as.submit('/machines/default', { id, on: 'yes' })).status).toBe(403);
    const asked = await (await as.submit('/machines/pair', form)).text();
    expect(asked).toContain('Is it you?');
    expect(await owner().machines()).toMatchObject([{ name: 'mini', isDefault: false }]);
    expect((await as.call('POST', `machines/pair/${waiting.code}`, { decision: 'deny' })).status).toBe(200);
    expect((await as.call('DELETE', `machines/${id}`)).status).toBe(200);
  });
});
