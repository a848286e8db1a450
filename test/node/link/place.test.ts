import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { catalogue } from '../../../contracts/index.ts';
import { type OwnerSession, signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import { toolSet } from '../../../src/core/tools.ts';
import {
  connectTestMachine,
  pairTestMachine,
  startLinkGateway,
  type TestMachine,
} from '../../support/link-gateway.ts';

const ROOTS = [
  { name: 'shop', path: '/home/ada/shop' },
  { name: 'notes', path: '/home/ada/notes' },
];
const { read_file: example } = catalogue;

/** What each machine ran, as `machine tool root`. */
const ran: string[] = [];
const open = new Map<string, { stop(): void }>();

function toolsOf(machine: string) {
  return toolSet(
    { create_directory: catalogue.create_directory, read_file: catalogue.read_file },
    {
      create_directory: ({ path, root }, call) => {
        ran.push(`${machine} ${root} ${path}`);
        return call.ok({ ...catalogue.create_directory.examples[0].output });
      },
      read_file: ({ path, root }, call) => {
        ran.push(`${machine} ${root} ${path}`);
        return call.ok({ ...example.examples[0].output });
      },
    },
    {
      ...NO_LEDGER,
      newCallId: () => 'call_here',
      admit: () => ADMITTED,
      report: (error) => {
        throw error;
      },
    },
    undefined,
    { create_directory: () => ({ kind: 'none', why: 'These machines have no folders.' }) },
  );
}

describe('where a call runs is settled before rules and the owner are asked', () => {
  let worker: BareWorker;
  let owner: OwnerSession;
  let token: string;
  const machines: Record<string, TestMachine> = {};
  beforeAll(async () => {
    const gateway = await startLinkGateway();
    worker = gateway.worker;
    owner = await signInAsOwner(worker.url, gateway.ownerKey);
    token = (await owner.createToken({ name: 'tests', scopes: ['machine', 'read'], days: 1 })).secret;
    for (const name of ['mini', 'vm']) machines[name] = await pairTestMachine(worker, name);
  });
  afterEach(async () => {
    for (const link of open.values()) link.stop();
    open.clear();
    ran.length = 0;
    const { rules } = (await owner.call('GET', 'rules')) as { rules: { id: string }[] };
    for (const { id } of rules) await owner.call('DELETE', `rules/${id}`);
  });
  afterAll(async () => {
    for (const machine of Object.values(machines)) machine.forget();
    await worker?.stop();
  });

  const online = async (...names: string[]) => {
    for (const [name, link] of open) {
      if (names.includes(name)) continue;
      link.stop();
      open.delete(name);
      await until(async () => !(await isOnline(name)));
    }
    for (const name of names) {
      const machine = machines[name];
      if (!machine || open.has(name)) continue;
      const about = { roots: ROOTS, version: '0.0.0' };
      open.set(name, await connectTestMachine(machine, worker.url, toolsOf(name), { about }));
    }
  };
  const isOnline = async (name: string) => {
    const { machines: list } = (await owner.call('GET', 'machines')) as {
      machines: { name: string; online: boolean }[];
    };
    return list.find((one) => one.name === name)?.online === true;
  };
  const send = async (tool: string, args: object) => {
    const response = await fetch(`${worker.url}/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    return (await response.json()) as { code?: string; success?: boolean };
  };
  const never = (machine: string, more: object = {}) =>
    owner.call('POST', 'rules', {
      tool: 'create_directory',
      machine,
      effect: 'deny',
      match: { kind: 'any' },
      examples: { must: ['{"path":"a"}'], mustNot: [] },
      ...more,
    });
  /** Sends a call that waits, and gives it with the approval that it opened. */
  const asking = async (args: object) => {
    const before = await waiting();
    const answer = send('create_directory', args);
    let code = '';
    await until(async () => {
      code = (await waiting()).find((one) => !before.includes(one)) ?? '';
      return code !== '';
    });
    return { answer, code };
  };
  const waiting = async () => {
    const { approvals } = (await owner.call('GET', 'approvals')) as {
      approvals: { code: string; state: string }[];
    };
    return approvals.filter(({ state }) => state === 'pending').map(({ code }) => code);
  };
  const decide = (code: string, decision: 'approve' | 'deny') =>
    owner.call('POST', `approvals/${code}`, { decision });
  const idOf = (name: string) => machines[name]?.id ?? '';

  // First, because which machines are online is believed for a second.
  it('a machine or a folder that is not there ends the call before anybody is asked', async () => {
    await online('mini', 'vm');
    const before = await waiting();
    expect(await send('create_directory', { path: 'a', machine: 'minj' })).toMatchObject({
      code: 'unknown_machine',
    });
    expect(await send('create_directory', { path: 'a' })).toMatchObject({ code: 'ambiguous_machine' });
    expect(await send('create_directory', { path: 'a', machine: 'mini', root: 'Shop' })).toMatchObject({
      code: 'unknown_root',
    });
    expect(await waiting()).toEqual(before);
    expect(ran).toEqual([]);
  });

  it('the owner sees the machine and the folder, and the ledger keeps the machine', async () => {
    await online('mini');
    const asked = await asking({ path: 'e', machine: 'mini' });
    expect(await owner.call('GET', `approvals/${asked.code}`)).toMatchObject({
      machine: 'mini',
      root: 'shop',
      full: expect.stringContaining('Machine: mini\nFolder: shop\n'),
    });
    await decide(asked.code, 'approve');
    await asked.answer;
    await send('read_file', { path: 'f', machine: 'mini' });
    const { entries } = (await owner.call('GET', 'ledger?limit=2')) as {
      entries: { tool: string; machine: string | null }[];
    };
    expect(entries.map(({ tool, machine }) => [tool, machine])).toEqual([
      ['read_file', 'mini'],
      ['create_directory', 'mini'],
    ]);
  });

  it.each(['vm', 'VM', 'Vm'])(
    '“never on %s” holds however the caller writes the name, or leaves it out',
    async (name) => {
      await online('vm');
      await never(name);
      for (const machine of ['vm', 'VM', 'vM', undefined]) {
        const answer = await send('create_directory', { path: 'a', ...(machine ? { machine } : {}) });
        expect(answer).toMatchObject({ code: 'denied_by_rule' });
      }
      expect(ran).toEqual([]);
    },
  );

  it('“never on vm” holds while vm is the default of two', async () => {
    await online('mini', 'vm');
    await owner.call('POST', `machines/${idOf('vm')}`, { is_default: true });
    await never('vm');
    expect(await send('create_directory', { path: 'a' })).toMatchObject({ code: 'denied_by_rule' });
    await owner.call('POST', `machines/${idOf('vm')}`, { is_default: false });
    expect(ran).toEqual([]);
  });

  it('“never on vm” holds after vm has another name', async () => {
    await online('vm');
    await never('vm');
    await owner.call('POST', `machines/${idOf('vm')}`, { name: 'box' });
    for (const args of [{ path: 'a' }, { path: 'a', machine: 'box' }])
      expect(await send('create_directory', args)).toMatchObject({ code: 'denied_by_rule' });
    await owner.call('POST', `machines/${idOf('vm')}`, { name: 'vm' });
    expect(ran).toEqual([]);
  });

  it('“never in shop” holds where shop is the folder of whoever names none', async () => {
    await online('mini');
    await never('mini', {
      match: { kind: 'arguments', fields: { root: { equals: 'shop' } } },
      examples: { must: ['{"path":"a","root":"shop"}'], mustNot: ['{"path":"a","root":"notes"}'] },
    });
    for (const args of [{ path: 'a' }, { path: 'a', root: 'shop' }])
      expect(await send('create_directory', { machine: 'mini', ...args })).toMatchObject({
        code: 'denied_by_rule',
      });
    const elsewhere = await asking({ path: 'a', root: 'notes', machine: 'mini' });
    await decide(elsewhere.code, 'approve');
    expect(await elsewhere.answer).toMatchObject({ success: true });
    expect(ran).toEqual(['mini notes a']);
  });

  it('an absolute path below an open folder names that folder, and every rule sees the path from there', async () => {
    await online('mini');
    await never('mini', {
      match: { kind: 'arguments', fields: { path: { regex: '^secret/.*$' } } },
      examples: { must: ['{"path":"secret/a"}'], mustNot: ['{"path":"a"}'] },
    });
    expect(
      await send('create_directory', { path: '/home/ada/shop/secret/a', machine: 'mini' }),
    ).toMatchObject({
      code: 'denied_by_rule',
    });
    const written = [
      '/home/ada/shop/f',
      '/home/ada/notes/a/b',
      '/home/ada/notes',
      '/home/ada/notesmore/f',
      '/etc/passwd',
    ];
    for (const path of written) await send('read_file', { path, machine: 'mini' });
    await send('read_file', { path: '/home/ada/notes/c', root: 'shop', machine: 'mini' });
    expect(ran).toEqual([
      'mini shop f',
      'mini notes a/b',
      'mini notes .',
      // A machine refuses what stays absolute.
      'mini shop /home/ada/notesmore/f',
      'mini shop /etc/passwd',
      'mini shop /home/ada/notes/c',
    ]);
  });

  it('a yes for one machine runs on no other, whichever is online when the call comes back', async () => {
    await online('mini');
    const first = await asking({ path: 'b', machine: 'mini' });
    await online('vm');
    await decide(first.code, 'approve');
    // It runs on the machine that it was approved for, or not at all.
    expect((await first.answer).code).toBe('machine_offline');
    // The same call on the other machine is another call, which nobody has said yes to.
    const again = await asking({ path: 'b', machine: 'vm' });
    await decide(again.code, 'deny');
    expect(await again.answer).toMatchObject({ code: 'approval_denied' });
    expect(ran).toEqual([]);
  });

  it('a yes for one machine runs on no other, whichever is the default by then', async () => {
    await online('mini', 'vm');
    await owner.call('POST', `machines/${idOf('mini')}`, { is_default: true });
    const first = await asking({ path: 'c' });
    const { machine } = (await owner.call('GET', `approvals/${first.code}`)) as { machine: string };
    const other = machine === 'mini' ? 'vm' : 'mini';
    await owner.call('POST', `machines/${idOf(other)}`, { is_default: true });
    await decide(first.code, 'approve');
    expect(await first.answer).toMatchObject({ success: true });
    await owner.call('POST', `machines/${idOf(other)}`, { is_default: false });
    expect(ran).toEqual([`${machine} shop c`]);
  });

  it('a yes for one machine runs on none that has taken its name', async () => {
    await online('mini', 'vm');
    const first = await asking({ path: 'd', machine: 'mini' });
    await owner.call('POST', `machines/${idOf('mini')}`, { name: 'old' });
    await owner.call('POST', `machines/${idOf('vm')}`, { name: 'mini' });
    await decide(first.code, 'approve');
    expect(await first.answer).toMatchObject({ success: true });
    const again = await asking({ path: 'd', machine: 'mini', repeat: true });
    expect(again.code).not.toBe(first.code);
    await decide(again.code, 'deny');
    await again.answer;
    await owner.call('POST', `machines/${idOf('vm')}`, { name: 'vm' });
    await owner.call('POST', `machines/${idOf('mini')}`, { name: 'mini' });
    expect(ran).toEqual(['mini shop d']);
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((done) => setTimeout(done, 20));
}
