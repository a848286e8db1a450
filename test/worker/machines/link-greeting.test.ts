import { env, exports } from 'cloudflare:workers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { challengeText } from '../../../src/core/machine-proof.ts';
import {
  about,
  connect,
  type Device,
  type DeviceSocket,
  enrolDevice,
  greetSaying,
  openSocket,
} from './device.ts';

describe('a machine that dials in', () => {
  it('is welcomed once it has signed, and is then online', async () => {
    const device = await enrolDevice();
    expect(await device.stub().status()).toMatchObject({ online: false, since: null, version: null });
    const socket = await connect(device);
    expect(socket.welcome).toMatchObject({ protocol: 2, epoch: 1, limits: { running: 8 } });
    expect(await device.stub().status()).toMatchObject({ online: true, ...about });
    socket.close();
    await socket.end();
  });

  it('is kept alive by words that wake nobody', async () => {
    const socket = await connect(await enrolDevice());
    socket.say('ping');
    await socket.word('pong');
  });

  it.each([
    ['speaks before it has greeted', { type: 'accepted', n: 1 }, 4400],
    ['proves before it was asked', { type: 'proof', signature: 'x', journal: 'j', about }, 4400],
    ['speaks no version that both do', { type: 'hello', protocols: [99], machine: '?' }, 4400],
    ['is another machine', { type: 'hello', protocols: [2], machine: 'm_other' }, 4401],
    ['says more than the frame holds', { type: 'hello', protocols: [2], machine: '?', extra: 1 }, 4400],
    ['says nothing that is a frame', 'what?', 4400],
    ['says too much', { type: 'hello', protocols: [2], machine: 'm'.repeat(300_000) }, 4400],
  ])('is shut out when it %s', async (_, frame, code) => {
    const device = await enrolDevice();
    const socket = await openSocket(device);
    socket.say(
      typeof frame === 'string'
        ? frame
        : { ...frame, ...('machine' in frame && frame.machine === '?' ? { machine: device.id } : {}) },
    );
    expect(await socket.end()).toMatchObject({ code });
    expect(await device.stub().status()).toMatchObject({ online: false });
  });

  it('is shut out without a signature by its own key over this very challenge', async () => {
    const device = await enrolDevice();
    const other = await enrolDevice();
    const earlier = await connect(device);
    const forgeries = {
      'a proof from before': () => earlier.signature,
      'another key': (text: string) => other.sign(text),
      'another origin': (_: string, parts: Parameters<typeof challengeText>[0]) =>
        device.sign(challengeText({ ...parts, origin: 'http://evil.example' })),
      'another machine': (_: string, parts: Parameters<typeof challengeText>[0]) =>
        device.sign(challengeText({ ...parts, machine: other.id })),
      nothing: () => 'x',
    };
    for (const [what, forge] of Object.entries(forgeries)) {
      const socket = await openSocket(device);
      socket.say({ type: 'hello', protocols: [2], machine: device.id });
      const parts = { ...(await socket.next('challenge')), machine: device.id };
      socket.say({ type: 'proof', signature: forge(challengeText(parts), parts), journal: 'j', about });
      expect((await socket.end()).code, what).toBe(4401);
    }
    // The one that was there stays.
    expect(await device.stub().status()).toMatchObject({ online: true });
  });

  it('gets one try at a challenge', async () => {
    const device = await enrolDevice();
    const socket = await openSocket(device);
    socket.say({ type: 'hello', protocols: [2], machine: device.id });
    const challenge = await socket.next('challenge');
    const signature = device.sign(challengeText({ ...challenge, machine: device.id }));
    socket.say({ type: 'proof', signature: 'x', journal: 'j', about });
    socket.say({ type: 'proof', signature, journal: 'j', about });
    await socket.end();
    expect(await device.stub().status()).toMatchObject({ online: false });
  });

  it('takes the place of its own older connection', async () => {
    const device = await enrolDevice();
    const older = await connect(device);
    const newer = await connect(device);
    expect(await older.end()).toMatchObject({ code: 4409 });
    expect(newer.welcome.epoch).toBe(2);
    expect(newer.isClosed()).toBe(false);
  });

  it('is hung up on when it is revoked, and not let in again', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    await device.stub().revoke();
    expect(await socket.end()).toMatchObject({ code: 4403 });
    expect(await device.stub().status()).toMatchObject({ online: false });
    const again = new Request('http://localhost/link', { headers: { upgrade: 'websocket' } });
    expect((await device.stub().fetch(again)).status).toBe(404);
  });
});

describe('a machine’s sandbox', () => {
  const said = async (protocols: readonly number[], sandbox?: string) => {
    const device = await enrolDevice();
    const epoch = protocols.includes(3) ? { epoch: 0 } : {};
    const socket = await greetSaying(device, protocols, { ...epoch, ...(sandbox ? { sandbox } : {}) });
    await socket.next('welcome');
    return { device, status: await device.stub().status() };
  };

  it.each([
    [[5, 4, 3, 2], 'none', 'none'],
    [[5, 4, 3, 2], 'bubblewrap', 'bubblewrap'],
    [[5, 4, 3, 2], undefined, null],
    [[5, 4, 3, 2], 'x'.repeat(32), null],
    [[4, 3, 2], undefined, null],
    [[2], undefined, null],
  ])('of a bridge that speaks %j and says %s is %s', async (protocols, sandbox, known) => {
    const { status } = await said(protocols, sandbox);
    expect(status).toMatchObject({ online: true, sandbox: known, ...about });
  });

  it('is forgotten when the machine comes back with an older bridge', async () => {
    const { device } = await said([5, 4, 3, 2], 'none');
    const older = await greetSaying(device, [4, 3, 2], { epoch: 1 });
    await older.next('welcome');
    expect(await device.stub().status()).toMatchObject({ online: true, sandbox: null });
  });

  it('is a short word', async () => {
    const device = await enrolDevice();
    const socket = await greetSaying(device, [5], { epoch: 0, sandbox: 'x'.repeat(33) });
    expect(await socket.end()).toMatchObject({ code: 4400 });
  });
});

describe('sockets that greet and prove nothing', () => {
  /** Opens sockets of four addresses, four of each: as many as there may be. */
  const fill = async (device: Device, says?: object) => {
    const sockets: DeviceSocket[] = [];
    for (let i = 0; i < 16; i++) {
      const socket = await openSocket(device, `203.0.113.${i % 4}`);
      if (says) {
        socket.say({ ...says, machine: device.id });
        await socket.next('challenge');
      }
      sockets.push(socket);
    }
    return sockets;
  };
  const closedOf = (sockets: readonly DeviceSocket[]) => sockets.filter((socket) => socket.isClosed());
  const hello = { type: 'hello', protocols: [2] };

  it('are few at a time', async () => {
    const device = await enrolDevice();
    await fill(device);
    await expect(openSocket(device, '198.51.100.1')).rejects.toThrow('503');
  });

  it('take places from their own address only: the one that said nothing goes first', async () => {
    const device = await enrolDevice();
    const [first, second, ...rest] = await fill(device);
    first?.say({ ...hello, machine: device.id });
    await first?.next('challenge');
    await openSocket(device, '203.0.113.1');
    expect(await second?.end()).toMatchObject({ code: 4408 });
    await openSocket(device, '203.0.113.0');
    expect(await rest[2]?.end()).toMatchObject({ code: 4408 });
    expect(closedOf([...(first ? [first] : []), ...rest])).toHaveLength(1);
  });

  it('do not keep away a machine that connects from the same address', async () => {
    const device = await enrolDevice();
    for (let i = 0; i < 40; i++) await openSocket(device, 'local');
    expect((await connect(device, 'j1', 'local')).welcome.epoch).toBe(1);
  });

  it('make room for a machine at the address where it was before, whatever they said', async () => {
    const device = await enrolDevice();
    (await connect(device, 'j1', '198.51.100.7')).close();
    const sockets = await fill(device, hello);
    await expect(openSocket(device, '198.51.100.8')).rejects.toThrow('503');
    expect((await connect(device, 'j1', '198.51.100.7')).welcome.epoch).toBe(2);
    expect(closedOf(sockets)).toHaveLength(1);
  });

  it('make room for others once they were silent for two seconds', async () => {
    const device = await enrolDevice();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const sockets = await fill(device);
    vi.setSystemTime(Date.now() + 2_000);
    await expect(openSocket(device, '198.51.100.8')).rejects.toThrow('503');
    vi.setSystemTime(Date.now() + 1);
    expect((await connect(device, 'j1', '198.51.100.8')).welcome.epoch).toBe(1);
    expect(closedOf(sockets)).toHaveLength(1);
  });
});

describe('the address that machines dial', () => {
  const dial = (query: string, headers: Record<string, string> = {}) =>
    exports.default.fetch(new Request(`http://localhost/link${query}`, { headers }));

  it('knows only machines that are paired', async () => {
    for (const query of ['', '?machine=m_nobody', '?machine=../x', `?machine=${'m'.repeat(65)}`]) {
      expect((await dial(query, { upgrade: 'websocket' })).status).toBe(404);
    }
  });

  it('wants a socket, by its own name, and from no page', async () => {
    const owner = env.OWNER.get(env.OWNER.idFromName('owner'));
    const publicKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const opened = await owner.openEnrolment({ name: 'dialled', publicKey, address: 'a' });
    if (typeof opened === 'string') throw new Error(opened);
    const paired = await owner.confirmEnrolment({ code: opened.enrolment.code, publicKey, name: 'dialled' });
    if (typeof paired === 'string') throw new Error(paired);
    const query = `?machine=${paired.id}`;
    expect((await dial(query)).status).toBe(426);
    expect((await dial(query, { upgrade: 'websocket', host: 'evil.example' })).status).toBe(403);
    expect((await dial(query, { upgrade: 'websocket', origin: 'https://evil.example' })).status).toBe(403);
  });
});
