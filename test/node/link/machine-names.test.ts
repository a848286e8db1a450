import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { catalogue } from '../../../contracts/index.ts';
import { type OwnerSession, signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import { enrolmentText, fingerprintOf } from '../../../src/core/machine-proof.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { connectTestMachine, startLinkGateway, type TestMachine } from '../../support/link-gateway.ts';

const { create_directory } = catalogue;
const ORIGIN = 'http://127.0.0.1';

/** What each machine ran. */
const ran: string[] = [];

function toolsOf(machine: string) {
  return toolSet(
    { create_directory },
    {
      create_directory: ({ path }, call) => {
        ran.push(`${machine} ${path}`);
        return call.ok({ ...create_directory.examples[0].output });
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
    { create_directory: () => ({ kind: 'none', why: 'Tests show none.' }) },
  );
}

describe('a rule for a machine speaks of that machine, and of no other that gets its name', () => {
  let worker: BareWorker;
  let owner: OwnerSession;
  let token: string;
  const stops: (() => void)[] = [];
  beforeAll(async () => {
    const gateway = await startLinkGateway();
    worker = gateway.worker;
    owner = await signInAsOwner(worker.url, gateway.ownerKey);
    token = (await owner.createToken({ name: 'tests', scopes: ['machine', 'read'], days: 1 })).secret;
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop();
    ran.length = 0;
    for (const { id } of await rules()) await owner.call('DELETE', `rules/${id}`);
    const { machines } = (await owner.call('GET', 'machines')) as { machines: { id: string }[] };
    for (const { id } of machines) await owner.call('DELETE', `machines/${id}`);
  });
  afterAll(() => worker?.stop());

  type Rule = { id: string; machine: string; effect: string; enabled: boolean };
  const rules = async () => ((await owner.call('GET', 'rules')) as { rules: Rule[] }).rules;
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(worker.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  /** Pairs a machine by the way that owners do, and connects it. */
  const paired = async (name: string, as = name): Promise<TestMachine> => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ format: 'jwk' }).x ?? '';
    const signed = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url');
    const text = enrolmentText({ origin: ORIGIN, name, publicKey: key });
    const { code } = await post('/api/pair', { name, public_key: key, signature: signed(text) });
    const fingerprint = await fingerprintOf(key);
    const { machine } = (await owner.call('POST', `machines/pair/${code}`, {
      decision: 'confirm',
      fingerprint,
    })) as { machine: { id: string } };
    await fetch(`${worker.url}/test-origin/${machine.id}`, {
      method: 'POST',
      body: JSON.stringify({ id: machine.id, name, publicKey: key, origin: worker.url }),
    });
    const folder = mkdtempSync(join(tmpdir(), 'bowline-names-'));
    const paired: TestMachine = {
      id: machine.id,
      name,
      folder,
      key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
      sign: async (said) => signed(said),
      forget: () => rmSync(folder, { recursive: true, force: true }),
    };
    const about = { roots: [{ name: 'shop', path: '/home/ada/shop' }], version: '0.0.0' };
    const link = await connectTestMachine(paired, worker.url, toolsOf(as), { about });
    stops.push(() => {
      link.stop();
      paired.forget();
    });
    await untilKnown(name);
    return paired;
  };
  /**
   * The gateway believes a list of machines for a second; a folder that nobody has tells what it believes. Each time a
   * caller of its own asks, for one who names what is not there too often has to wait.
   */
  const untilKnown = async (name: string) => {
    const { secret } = await owner.createToken({ name: 'asks', scopes: ['machine'], days: 1 });
    for (;;) {
      const args = { path: 'a', machine: name, root: 'nowhere' };
      const { message } = await post('/tools/create_directory', args, { authorization: `Bearer ${secret}` });
      if (String(message).startsWith(`${name} has no open folder`)) return;
      await new Promise((done) => setTimeout(done, 100));
    }
  };
  const rename = async (id: string, name: string) => {
    await owner.call('POST', `machines/${id}`, { name });
    await untilKnown(name);
  };
  const revoke = (id: string) => owner.call('DELETE', `machines/${id}`);
  type Said = { readonly code?: string; readonly asked?: string };
  /** How a call ends; or under which code it waits for the owner, and then nobody waits for it. */
  const send = async (args: object): Promise<Said> => {
    const before = await waiting();
    const left = new AbortController();
    const answer = fetch(`${worker.url}/tools/create_directory`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(args),
      signal: left.signal,
    }).then((response) => response.json() as Promise<Said>);
    const ended = answer.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([ended, false]))) {
      const asked = (await waiting()).find((code) => !before.includes(code));
      if (asked === undefined) continue;
      left.abort();
      await ended;
      return { asked };
    }
    return answer;
  };
  const waiting = async () => {
    const { approvals } = (await owner.call('GET', 'approvals')) as {
      approvals: { code: string; state: string }[];
    };
    return approvals.filter(({ state }) => state === 'pending').map(({ code }) => code);
  };
  const ASKED = { asked: expect.any(String) };
  const allowOn = (machine: string) =>
    owner.call('POST', 'rules', {
      tool: 'create_directory',
      machine,
      effect: 'allow',
      match: { kind: 'arguments', fields: { path: { equals: 'a' } } },
      examples: { must: ['{"path":"a"}'], mustNot: ['{"path":"b"}'] },
    });
  const denyOn = (machine: string) =>
    owner.call('POST', 'rules', {
      tool: 'create_directory',
      machine,
      effect: 'deny',
      match: { kind: 'any' },
      examples: { must: ['{"path":"a"}'], mustNot: [] },
    });

  it('a yes for a machine that was revoked is none for another that is paired under its name', async () => {
    const first = await paired('mini', 'first');
    await allowOn('mini');
    await send({ path: 'a', machine: 'mini' });
    expect(ran).toEqual(['first a']);
    await revoke(first.id);
    await paired('MINI', 'second');
    expect(await send({ path: 'a', machine: 'mini' })).toMatchObject(ASKED);
    expect(ran).toEqual(['first a']);
    expect(await rules()).toMatchObject([{ effect: 'allow', enabled: false }]);
  });

  it('a yes for a machine that was revoked is none for another that is given its name', async () => {
    const first = await paired('mini', 'first');
    const other = await paired('vm', 'second');
    await allowOn('mini');
    await revoke(first.id);
    await rename(other.id, 'Mini');
    expect(await send({ path: 'a', machine: 'mini' })).toMatchObject(ASKED);
    expect(ran).toEqual([]);
  });

  it('a yes goes on with its machine under another name, and a name written otherwise loses nothing', async () => {
    const { id } = await paired('mini', 'first');
    await allowOn('mini');
    await rename(id, 'Mini');
    await rename(id, 'box');
    await send({ path: 'a', machine: 'box' });
    expect(ran).toEqual(['first a']);
  });

  it('a no stays with its machine when another is refused its name', async () => {
    const mini = await paired('mini', 'first');
    const vm = await paired('vm', 'second');
    await denyOn('mini');
    await expect(rename(vm.id, 'mini')).rejects.toThrow();
    for (const machine of ['mini', 'Mini'])
      expect(await send({ path: 'a', machine })).toMatchObject({ code: 'denied_by_rule' });
    expect(await send({ path: 'a', machine: 'vm' })).toMatchObject(ASKED);
    expect(mini.id).not.toBe(vm.id);
    expect(await rules()).toMatchObject([{ effect: 'deny', machine: 'mini' }]);
  });

  it('“always” for a call that waits is about the machine that was asked for, under whatever name', async () => {
    const first = await paired('mini', 'first');
    const other = await paired('vm', 'second');
    const { asked: code } = await send({ path: 'a', machine: 'mini' });
    await rename(first.id, 'old');
    await rename(other.id, 'mini');
    await owner.call('POST', `approvals/${code}`, { decision: 'always' }).catch(() => undefined);
    expect(await rules()).toMatchObject([{ effect: 'allow', machine: 'old' }]);
    expect(await send({ path: 'a', machine: 'mini' })).toMatchObject(ASKED);
    expect(ran).not.toContain('second a');
  });

  it('“always” for a call that waited for a machine that is gone allows nothing', async () => {
    const first = await paired('mini', 'first');
    const { asked: code } = await send({ path: 'a', machine: 'mini' });
    await revoke(first.id);
    await paired('MINI', 'second');
    await owner.call('POST', `approvals/${code}`, { decision: 'always' }).catch(() => undefined);
    expect(await send({ path: 'a', machine: 'mini' })).toMatchObject(ASKED);
    expect(ran).toEqual([]);
  });

  it('“never” about the machine as an argument holds in whatever case it is written', async () => {
    await paired('VM', 'first');
    await owner.call('POST', 'rules', {
      tool: 'create_directory',
      machine: null,
      effect: 'deny',
      match: { kind: 'arguments', fields: { machine: { equals: 'vm' } } },
      examples: { must: ['{"path":"a","machine":"vm"}'], mustNot: ['{"path":"a","machine":"mini"}'] },
    });
    for (const args of [{}, { machine: 'vm' }, { machine: 'VM' }])
      expect(await send({ path: 'a', ...args })).toMatchObject({ code: 'denied_by_rule' });
  });
});
