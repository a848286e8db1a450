import { describe, expect, it } from 'vitest';
import { callNamed, connect, type Device, enrolDevice, greetAs, textIn } from './device.ts';

const COPIED = { code: 4410, reason: 'another copy of this machine has been connected since' };

/** Connects, and stores the connection as a machine does. */
async function join(
  device: Device,
  stored: { journal: string; epoch: number; moved?: boolean },
  protocols?: readonly number[],
) {
  const socket = await greetAs(device, stored, protocols);
  const { epoch } = await socket.next('welcome');
  socket.say({ type: 'holding', calls: [] });
  return Object.assign(socket, { epoch });
}

describe('two computers with one machine’s key and journal', () => {
  it('lets in the one that stored the last connection, and turns the other away for good', async () => {
    const device = await enrolDevice();
    const first = await join(device, { journal: 'j1', epoch: 0 });
    expect(first.epoch).toBe(1);
    const copy = await greetAs(device, { journal: 'j1', epoch: 0 });
    expect(await copy.end()).toEqual(COPIED);
    expect(first.isClosed()).toBe(false);
    const again = await join(device, { journal: 'j1', epoch: 1 });
    expect(again.epoch).toBe(2);
    expect(await first.end()).toMatchObject({ code: 4409 });
  });

  it('lets in a machine that never got its last welcome', async () => {
    const device = await enrolDevice();
    await join(device, { journal: 'j1', epoch: 0 });
    await (await greetAs(device, { journal: 'j1', epoch: 1 })).next('welcome');
    const again = await join(device, { journal: 'j1', epoch: 1 });
    expect(again.epoch).toBe(3);
  });

  it('sends nothing that changes something before the machine stored the connection', async () => {
    const device = await enrolDevice();
    const socket = await greetAs(device, { journal: 'j1', epoch: 0 });
    await socket.next('welcome');
    const answer = device.stub().call(callNamed('c1'));
    const read = device.stub().call(callNamed('r1', { effect: false }));
    const { n, id } = await socket.next('call');
    expect(id).toBe('r1');
    socket.answer(n, { kind: 'ok', output: 'read' });
    expect(textIn(await read)).toContain('read');
    socket.say({ type: 'holding', calls: [] });
    const call = await socket.next('call');
    expect(call.id).toBe('c1');
    socket.answer(call.n, { kind: 'ok', output: 'done' });
    expect(textIn(await answer)).toContain('done');
  });

  it('says that a call did not run if the machine cannot store the connection', async () => {
    const device = await enrolDevice();
    await (await greetAs(device, { journal: 'j1', epoch: 0 })).next('welcome');
    expect(await device.stub().call(callNamed('c1'))).toEqual({ kind: 'not_run', why: 'disk' });
  });

  it('gives no call of the earlier one to a journal that lies elsewhere', async () => {
    const device = await enrolDevice();
    const first = await join(device, { journal: 'j1', epoch: 0 });
    const answer = device.stub().call(callNamed('c1'));
    await first.next('call');
    const copy = await greetAs(device, { journal: 'j1', epoch: 1, moved: true });
    expect(await copy.end()).toEqual(COPIED);
    first.close();
    const moved = await join(device, { journal: 'j1', epoch: 1, moved: true });
    expect(await answer).toEqual({ kind: 'unknown' });
    const next = device.stub().call(callNamed('c2'));
    const { n, id } = await moved.next('call');
    expect(id).toBe('c2');
    moved.answer(n, { kind: 'ok', output: 'done' });
    await next;
  });

  it('takes a new journal for the machine, and then turns away the old one', async () => {
    const device = await enrolDevice();
    await join(device, { journal: 'j1', epoch: 0 });
    await join(device, { journal: 'j2', epoch: 0 });
    expect(await (await greetAs(device, { journal: 'j1', epoch: 1 })).end()).toEqual(COPIED);
  });

  it('turns away the copy that an older version made, and lets an older version in with a journal of its own', async () => {
    const device = await enrolDevice();
    await connect(device, 'j1');
    const upgraded = await join(device, { journal: 'j1', epoch: 0 });
    await expect(connect(device, 'j1').then(() => 'let in')).rejects.toThrow();
    expect(upgraded.isClosed()).toBe(false);
    expect((await connect(device, 'j9')).welcome).toMatchObject({ protocol: 2 });
  });
});

describe('the reason of a caller', () => {
  const reason = 'The tests need it.';

  it('travels with the call, also when the call is sent again', async () => {
    const device = await enrolDevice();
    const first = await join(device, { journal: 'j1', epoch: 0 }, [4, 3, 2]);
    const read = device.stub().call(callNamed('r1', { effect: false, reason }));
    expect((await first.next('call')).reason).toBe(reason);
    const effect = device.stub().call(callNamed('c1', { reason }));
    expect((await first.next('call')).reason).toBe(reason);
    first.close();
    const again = await join(device, { journal: 'j1', epoch: 1 }, [4, 3, 2]);
    const calls = [await again.next('call'), await again.next('call')];
    expect(calls.map((call) => call.reason)).toEqual([reason, reason]);
    for (const { n } of calls) again.answer(n, { kind: 'ok', output: 'done' });
    await Promise.all([read, effect]);
  });

  it.each([[3], [2]])(
    'is not sent to a machine of protocol %i, which would refuse the frame',
    async (protocol) => {
      const device = await enrolDevice();
      const socket =
        protocol === 2 ? await connect(device) : await join(device, { journal: 'j1', epoch: 0 }, [protocol]);
      const answer = device.stub().call(callNamed('c1', { reason }));
      const call = await socket.next('call');
      expect(call).not.toHaveProperty('reason');
      socket.answer(call.n, { kind: 'ok', output: 'done' });
      await answer;
    },
  );
});

describe('a gateway that was put back to an older state', () => {
  it('asks nobody to run again what it does not know to have ended', async () => {
    const device = await enrolDevice();
    const first = await join(device, { journal: 'j1', epoch: 0 });
    const answer = device.stub().call(callNamed('c1'));
    await first.next('call');
    // The machine knows of connections that this gateway has never heard of.
    const again = await join(device, { journal: 'j1', epoch: 9 });
    expect(again.epoch).toBe(10);
    expect(await answer).toEqual({ kind: 'unknown' });
    expect(
      again.heard.filter((one) => typeof one === 'object' && 'type' in one && one.type === 'call'),
    ).toEqual([]);
  });
});
