import { describe, expect, it, vi } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { pairedMachines } from '../../../src/api/pairing-routes.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { listMachines } from '../../../src/tools/list-machines.ts';
import { everyone, WatchedDoor } from '../../support/tools.ts';
import { later, owner, proveAll } from '../auth/owner.ts';
import { GATEWAY } from '../http.ts';
import { newMachine, OFFLINE, openPairing } from './pairing-rig.ts';

const MINUTE = 60_000;
const { gateway, as, start, confirm, paired, stateOf, answer } = openPairing();

describe('pairing a machine', () => {
  it('shows the owner what the machine shows, and makes it theirs when they say yes', async () => {
    const machine = newMachine();
    const started = await start(machine);
    expect(started.code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    expect(await stateOf(started.secret)).toEqual({ state: 'pending' });
    const { pending } = await (await as.call('GET', 'machines')).json<{ pending: object[] }>();
    expect(pending).toMatchObject([{ code: started.code, name: 'mini', fingerprint: started.fingerprint }]);
    expect(await confirm({ ...started, code: started.code.toLowerCase().replace('-', ' ') })).toEqual({
      status: 200,
      machine: { id: expect.stringMatching(/^m_[0-9a-f]{32}$/), name: 'mini' },
    });
    expect(gateway.told).toEqual([`enrol mini ${GATEWAY}`]);
    const [known] = await owner().machines();
    expect(known).toMatchObject({ name: 'mini', publicKey: machine.key, isDefault: false });
    expect(await stateOf(started.secret)).toEqual({
      state: 'confirmed',
      machine: { id: known?.id, name: 'mini' },
    });
  });

  it('may be given another name by the owner', async () => {
    const started = await start();
    expect(await confirm(started, 'studio')).toMatchObject({ machine: { name: 'studio' } });
  });

  it('tells a machine that the owner said no, and does not ask them twice', async () => {
    const started = await start();
    expect((await as.call('POST', `machines/pair/${started.code}`, { decision: 'deny' })).status).toBe(200);
    expect(await stateOf(started.secret)).toEqual({ state: 'denied' });
    expect(await confirm(started)).toMatchObject({ status: 404 });
    expect(gateway.told).toEqual([]);
  });

  it('tells a machine that is paired already what it is, and brings its object up to date', async () => {
    const { id, key } = await paired();
    expect(await start(key, 'other')).toMatchObject({ state: 'confirmed', machine: { id, name: 'mini' } });
    expect(gateway.told).toEqual([`enrol mini ${GATEWAY}`, `enrol mini ${GATEWAY}`]);
  });

  it('replaces what the same machine asked before', async () => {
    const machine = newMachine();
    const first = await start(machine);
    const second = await start(machine);
    expect(await stateOf(second.secret)).toEqual({ state: 'pending' });
    expect((await gateway.post('/api/pair/status', { secret: first.secret })).status).toBe(401);
    expect(await confirm(first)).toMatchObject({ status: 404 });
  });
});

describe('ten minutes', () => {
  it.each([
    ['are enough until the last millisecond', 10 * MINUTE - 1, 'confirmed'],
    ['and no more', 10 * MINUTE, 'expired'],
  ])('%s', async (_, wait, becomes) => {
    later(0);
    const started = await start();
    later(0);
    vi.setSystemTime(started.expires_at - 10 * MINUTE + wait);
    await proveAll();
    await confirm(started);
    expect(await stateOf(started.secret)).toMatchObject({ state: becomes });
    expect(await owner().machines()).toHaveLength(becomes === 'confirmed' ? 1 : 0);
  });
});

describe('the registry itself', () => {
  it('confirms nothing that ran out, was decided, or has another key, whoever asks it to', async () => {
    later(0);
    const machine = newMachine();
    const { code } = await start(machine);
    const confirmed = (publicKey = machine.key) =>
      owner().confirmEnrolment({ code, publicKey, name: 'mini' });
    expect(await confirmed(newMachine().key)).toBe('wrong_fingerprint');
    later(10 * MINUTE);
    expect(await confirmed()).toBe('expired');
    vi.useRealTimers();
    expect(await confirmed()).toMatchObject({ name: 'mini' });
    expect(await confirmed()).toBe('decided');
  });
});

describe('machines', () => {
  it('have names of their own, whatever the case', async () => {
    await paired('mini');
    expect(await confirm(await start(newMachine(), 'MINI'))).toMatchObject({
      status: 409,
      code: 'name_taken',
    });
    const { id } = await paired('studio');
    const renamed = await answer(await as.call('POST', `machines/${id}`, { name: 'Mini' }));
    expect(renamed).toMatchObject({ status: 409, code: 'name_taken' });
    expect((await as.call('POST', `machines/${id}`, { name: 'STUDIO' })).status).toBe(200);
    expect(gateway.told.at(-1)).toBe('rename STUDIO');
    expect((await as.call('POST', `machines/${id}`, { name: 'a b' })).status).toBe(400);
  });

  it('have at most one default among them', async () => {
    const [one, two] = [await paired('one'), await paired('two')];
    const isDefault = async () => (await owner().machines()).filter((m) => m.isDefault).map((m) => m.name);
    await as.call('POST', `machines/${one.id}`, { is_default: true });
    expect(await isDefault()).toEqual(['one']);
    await as.submit('/machines/default', { id: two.id, on: 'yes' });
    expect(await isDefault()).toEqual(['two']);
    await as.call('POST', `machines/${one.id}`, { is_default: false });
    expect(await isDefault()).toEqual(['two']);
    await as.call('POST', `machines/${two.id}`, { is_default: false });
    expect(await isDefault()).toEqual([]);
    expect((await as.call('POST', 'machines/m_none', { is_default: true })).status).toBe(404);
  });

  it('are shut out at once, and can be paired again with the same key and name', async () => {
    const { id, key } = await paired();
    expect((await as.call('DELETE', `machines/${id}`)).status).toBe(200);
    expect(gateway.told.at(-1)).toBe(`revoke ${id}`);
    expect(await owner().machines()).toEqual([]);
    expect((await as.call('DELETE', `machines/${id}`)).status).toBe(404);
    const again = await paired('mini', key);
    expect(again.id).not.toBe(id);
  });

  it('that could not be cut off are off the list, and cut off by the next "revoke everything"', async () => {
    const { id } = await paired();
    gateway.breakObjects(true);
    expect((await as.call('DELETE', `machines/${id}`)).status).toBe(500);
    expect(await owner().machines()).toEqual([]);
    gateway.breakObjects(false);
    expect((await as.call('POST', 'revoke-everything')).status).toBe(200);
    expect(gateway.told.at(-1)).toBe(`revoke ${id}`);
    expect(await owner().revokeAll()).toEqual([]);
  });

  it('all go with "revoke everything", and so does what waits to be paired', async () => {
    const [one, two] = [await paired('one'), await paired('two')];
    const waiting = await start();
    expect((await as.call('POST', 'revoke-everything')).status).toBe(200);
    expect(gateway.told.slice(-2).toSorted()).toEqual([`revoke ${one.id}`, `revoke ${two.id}`].toSorted());
    expect(await owner().machines()).toEqual([]);
    expect((await gateway.post('/api/pair/status', { secret: waiting.secret })).status).toBe(401);
  });

  it('are shown with what they last said, nothing of it as markup or unseen', async () => {
    const { id } = await paired();
    gateway.status.set(id, {
      online: true,
      since: Date.UTC(2026, 0, 9, 8),
      roots: [{ name: '<i>\u202eroot', path: '/home/\u0007me' }],
      tools: ['read_file', '<script>'],
      version: '\u200b1',
      sandbox: null,
      lastSeen: null,
    });
    const html = await (await as.page('/machines')).text();
    expect(html).toMatch(/Connected<\/dt><dd><time datetime="2026-01-09T08:00:00.000Z" data-ago="true">/);
    expect(html).toMatch(/&lt;i&gt;\\u\{202e\}root <span[^>]*>\/home\/\\u\{7\}me</);
    expect(html).toContain('>&lt;script&gt;</code>');
    expect(html).not.toMatch(/\p{Cf}|<script>/u);
    expect(html).not.toContain('\u0007');
    gateway.status.delete(id);
    expect(await (await as.page('/machines')).text()).toMatch(/Last seen<\/dt><dd>never connected/);
  });

  it('are shown with the last call since they were paired, and a way to all of them', async () => {
    await paired('my-mini');
    const shown = async () => (await (await as.page('/machines')).text()).replace(/\s+/g, ' ');
    const at = Date.now() + 1_000;
    const call = { seq: 41, at, tool: 'run_in_<i>\u202e', outcome: 'asked', code: 'approval_required' };
    gateway.lastCalls.set('my-mini', call);
    expect(await shown()).toMatch(
      /Last call<\/dt><dd><a class="mono" href="\/ledger\/41">run_in_&lt;i&gt;\\u\{202e\}<\/a> <span class="badge warn">waited for you<\/span> <time [^>]*>[^<]*<\/time> · <a href="\/ledger\?machine=my-mini">all calls under its name</,
    );
    gateway.lastCalls.set('my-mini', { ...call, at: Date.UTC(2020, 0, 1) });
    expect(await shown()).toContain('Last call</dt><dd>none lately<');
    gateway.lastCalls.clear();
  });

  it.each([
    [null, 'unknown'],
    ['bubblewrap', 'bubblewrap'],
    ['off', 'terminal off'],
    ['none', '<span class="badge warn">no sandbox</span> <span class="quiet">Commands run with all rights'],
  ] as const)('are shown with their sandbox: %s', async (sandbox, shown) => {
    const { id } = await paired('boxed');
    gateway.status.set(id, { ...OFFLINE, online: true, sandbox });
    const html = (await (await as.page('/machines')).text()).replace(/\s+/g, ' ');
    const [, card = ''] = html.split(`id="machine-${id}"`);
    expect(card).toContain(`<dt>Sandbox</dt><dd>${shown}`);
    gateway.status.delete(id);
  });

  it('are listed while the object of one fails, and that one as not connected', async () => {
    const [well, ill] = [await paired('well'), await paired('ill')];
    gateway.status.set(well.id, { ...OFFLINE, online: true, since: Date.UTC(2026, 0, 9), version: '1' });
    gateway.unreachable.add(ill.id);
    const tools = toolSet(
      { list_machines: catalogue.list_machines },
      { list_machines: listMachines },
      new WatchedDoor(),
      { machineList: { machines: () => pairedMachines(gateway.ports) } },
    );
    expect(await tools.get('list_machines')?.call({}, everyone)).toMatchObject({
      kind: 'ok',
      output: {
        machines: [
          { name: 'ill', online: false, roots: [], tools: [], version: null, status: 'offline' },
          { name: 'well', online: true, since: '2026-01-09T00:00:00.000Z', version: '1', status: 'active' },
        ],
      },
    });
    expect(gateway.reported).toHaveLength(1);
    expect(await as.call('GET', 'machines')).toMatchObject({ status: 200 });
    expect(await (await as.page('/machines')).text()).toContain('well');
    gateway.status.delete(well.id);
  });

  it('are nobody else’s business', async () => {
    for (const path of ['/machines', '/machines/pair?code=ABCD-EFGH']) {
      const response = await gateway.send(path);
      expect(response.headers.get('location')).toMatch(/^\/signin\?next=%?\/?/);
      expect(response.status).toBe(303);
    }
    expect((await gateway.send('/api/owner/machines')).status).toBe(401);
  });
});
