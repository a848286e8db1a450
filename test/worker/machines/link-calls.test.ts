import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { insertCall } from '../../../src/machines/call-rows.ts';
import {
  callNamed,
  connect,
  type Device,
  decodePiece,
  encodePiece,
  enrolDevice,
  greetAs,
  openSocket,
  textIn,
} from './device.ts';

const ok = (text: string) => ({ kind: 'ok', output: { text } });

/** A call that was sent before the object slept: its row is all that is left of it. */
const begin = (device: Device, id: string, n: number) =>
  runInDurableObject(device.stub(), (_, { storage }) =>
    insertCall(storage.sql, callNamed(id), n, 'j1', Date.now()),
  );

describe('a call', () => {
  it('goes to the machine, and its result comes back, is kept and is acknowledged', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    const answer = device.stub().call(callNamed('c1', { text: '{"a":1}' }));
    const call = await socket.next('call');
    expect(call).toMatchObject({ id: 'c1', tool: 'act', effect: true, text: '{"a":1}', principal: 'ada' });
    socket.answer(call.n, ok('done'));
    expect(textIn(await answer)).toBe(JSON.stringify(ok('done')));
    expect(await socket.next('ack')).toMatchObject({ calls: ['c1'] });
    expect(await device.stub().outcome('c1', 'ada')).toMatchObject({ state: 'done', tool: 'act' });
    expect(await device.stub().outcome('c1', 'eve')).toBe(null);
  });

  it('is answered at once when nobody is there', async () => {
    const device = await enrolDevice();
    const began = Date.now();
    expect(await device.stub().call(callNamed('c1'))).toEqual({ kind: 'offline', since: null });
    const socket = await connect(device);
    socket.close();
    await socket.end();
    while ((await device.stub().status()).online) await Promise.resolve();
    expect(await device.stub().call(callNamed('c2'))).toMatchObject({ kind: 'offline' });
    // Whoever waits for a machine to come back waits for fifteen seconds.
    expect(Date.now() - began).toBeLessThan(14_000);
    // What nobody was there for is never run later.
    const again = await connect(device);
    again.say({ type: 'holding', calls: ['c2'] });
    expect(await again.next('ack')).toMatchObject({ calls: ['c2'] });
    expect(again.heard).toEqual([]);
  });

  it('is answered and sent again by what is written down, whatever the object remembers', async () => {
    const device = await enrolDevice();
    const first = await connect(device);
    await begin(device, 'c1', 7);
    await evictDurableObject(device.stub());
    first.answer(7, ok('over the sleep'));
    expect(await first.next('ack')).toMatchObject({ calls: ['c1'] });
    // Asked again by the same id, it is not run again.
    expect(textIn(await device.stub().call(callNamed('c1')))).toBe(JSON.stringify(ok('over the sleep')));
    await begin(device, 'c2', 8);
    await evictDurableObject(device.stub());
    const next = await connect(device);
    const call = await next.next('call');
    expect(call).toMatchObject({ id: 'c2', text: '{}', effect: true });
    expect(call.n).toBeGreaterThan(8);
  });

  it('outlives the object’s end', async () => {
    const device = await enrolDevice();
    const first = await connect(device);
    const lost = device
      .stub()
      .call(callNamed('c1'))
      .catch(() => 'lost');
    await first.next('call');
    await runInDurableObject(device.stub(), (_, state) => state.abort('the end')).catch(() => undefined);
    expect(await lost).toBe('lost');
    const answer = device.stub().call(callNamed('c1'));
    const next = await connect(device);
    const call = await next.next('call');
    expect(call).toMatchObject({ id: 'c1' });
    next.answer(call.n, ok('once'));
    expect(textIn(await answer)).toBe(JSON.stringify(ok('once')));
  });

  it('takes a result in pieces over the object’s sleep', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    await begin(device, 'c1', 7);
    const bytes = new TextEncoder().encode(JSON.stringify(ok('x'.repeat(300_000))));
    for (let at = 0; at < bytes.length; at += 100_000) {
      await evictDurableObject(device.stub());
      const piece = bytes.subarray(at, at + 100_000);
      socket.sayBytes(encodePiece({ n: 7, isOk: true, at, total: bytes.length, bytes: piece }));
      if (at + 100_000 < bytes.length) await socket.next('credit');
    }
    expect(await socket.next('ack')).toMatchObject({ calls: ['c1'] });
    expect(textIn(await device.stub().call(callNamed('c1')))).toHaveLength(bytes.length);
  });

  it('is unknown when the machine forgot what it began', async () => {
    const device = await enrolDevice();
    const socket = await connect(device, 'j1');
    const answer = device.stub().call(callNamed('c1'));
    await socket.next('call');
    const other = await connect(device, 'j2');
    expect(await answer).toEqual({ kind: 'unknown' });
    expect(other.heard).toEqual([]);
  });

  it('is unknown when the machine began it and no longer holds it, and sent again when it never said that', async () => {
    const device = await enrolDevice();
    const came = await greetAs(device, { journal: 'j1', epoch: 0 });
    const { epoch } = await came.next('welcome');
    came.say({ type: 'holding', calls: [] });
    const begun = device.stub().call(callNamed('c1'));
    came.say({ type: 'accepted', n: (await came.next('call')).n });
    const held = device.stub().call(callNamed('c2'));
    came.say({ type: 'accepted', n: (await came.next('call')).n });
    const waiting = device.stub().call(callNamed('c3'));
    await came.next('call');
    // The end of its journal is gone, but for one line, and with it what it began.
    const again = await greetAs(device, { journal: 'j1', epoch });
    await again.next('welcome');
    again.say({ type: 'holding', calls: ['c2'] });
    expect(await begun).toEqual({ kind: 'unknown' });
    const sent = [await again.next('call'), await again.next('call')];
    expect(sent.map(({ id }) => id)).toEqual(['c2', 'c3']);
    for (const { n, id } of sent) again.answer(n, ok(id));
    expect(textIn(await held)).toBe(JSON.stringify(ok('c2')));
    expect(textIn(await waiting)).toBe(JSON.stringify(ok('c3')));
  });

  it('is unknown when the machine says so, and not run when it says that', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    const one = device.stub().call(callNamed('c1'));
    socket.say({ type: 'unknown', n: (await socket.next('call')).n });
    expect(await one).toEqual({ kind: 'unknown' });
    const two = device.stub().call(callNamed('c2'));
    socket.say({ type: 'cancelled', n: (await socket.next('call')).n, why: 'busy' });
    expect(await two).toEqual({ kind: 'not_run', why: 'busy' });
  });

  it('is refused under the id of another', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    const first = device.stub().call(callNamed('c1'));
    const { n } = await socket.next('call');
    expect(await device.stub().call(callNamed('c1', { digest: '1'.repeat(64) }))).toEqual({
      kind: 'conflict',
    });
    expect(await device.stub().call(callNamed('c1', { principal: 'eve' }))).toEqual({ kind: 'conflict' });
    socket.answer(n, ok('mine'));
    await first;
  });

  it('asks the machine to stop when its caller has left, and never sends it again', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    const answer = device.stub().call(callNamed('c1'));
    const { n } = await socket.next('call');
    await device.stub().cancel('c1');
    expect(await socket.next('cancel')).toMatchObject({ id: 'c1' });
    const next = await connect(device);
    const asked = await next.next('cancel');
    expect(asked).toMatchObject({ id: 'c1' });
    expect(asked.n).toBeGreaterThan(n);
    next.say({ type: 'cancelled', n: asked.n, why: 'asked' });
    expect(await answer).toEqual({ kind: 'not_run', why: 'asked' });
    expect(
      next.heard.filter((one) => typeof one === 'object' && 'type' in one && one.type === 'call'),
    ).toEqual([]);
  });

  it('passes on how far it is', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    const said: unknown[] = [];
    const answer = device.stub().call(callNamed('c1'), (update) => void said.push(update));
    const { n } = await socket.next('call');
    socket.say({ type: 'progress', n, progress: 1, total: 2, message: 'half' });
    socket.answer(n, ok('done'));
    await answer;
    expect(said).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('sends long arguments beside it', async () => {
    const device = await enrolDevice();
    const socket = await connect(device);
    const args = JSON.stringify({ text: 'é'.repeat(200_000) });
    const answer = device.stub().call(callNamed('c1', { text: args }));
    const call = await socket.next('call');
    expect(call.text).toBe(undefined);
    const bytes = new TextEncoder().encode(args);
    expect(call.bytes).toBe(bytes.length);
    socket.answer(call.n, ok('done'));
    await answer;
    const pieces = socket.heard.flatMap((one) => (one instanceof Uint8Array ? [one] : []));
    expect(pieces.every(({ length }) => length <= 262_144)).toBe(true);
    const sent = pieces.map((one) => decodePiece(one, bytes.length)?.bytes ?? new Uint8Array());
    expect(Buffer.concat(sent).toString()).toBe(args);
  });
});

describe('a machine that does not keep to the protocol', () => {
  it.each([
    ['an unknown frame', '{"type":"sudo"}'],
    ['a frame with more in it', '{"type":"drain","and":"more"}'],
    ['no JSON', '{'],
    ['a text too long for a frame', `{"type":"drain${' '.repeat(262_144)}"}`],
    ['a frame out of place', '{"type":"hello","protocols":[2],"machine":"m"}'],
    ['bytes that are no piece', new Uint8Array(5)],
    ['a piece of nothing', encodePiece({ n: 0, isOk: true, at: 0, total: 1, bytes: new Uint8Array(1) })],
    ['bytes too many for a frame', new Uint8Array(262_145)],
    ['a piece beyond its end', encodePiece({ n: 1, isOk: true, at: 9, total: 1, bytes: new Uint8Array(1) })],
    [
      'a result too long',
      encodePiece({ n: 1, isOk: true, at: 0, total: 99_999_999, bytes: new Uint8Array(1) }),
    ],
  ])('is hung up on for %s', async (_, said) => {
    const device = await enrolDevice();
    const socket = await connect(device);
    if (typeof said === 'string') socket.say(said);
    else socket.sayBytes(said);
    expect(await socket.end()).toMatchObject({ code: 4400 });
  });

  it('cannot answer for another', async () => {
    const [mine, other] = [await enrolDevice(), await enrolDevice()];
    const [socket, thief] = [await connect(mine), await connect(other)];
    const answer = mine.stub().call(callNamed('c1'));
    const { n } = await socket.next('call');
    thief.answer(n, ok('stolen'));
    thief.say({ type: 'unknown', n });
    thief.say({ type: 'cancelled', n, why: 'asked' });
    thief.say({ type: 'holding', calls: ['c1'] });
    await thief.next('ack');
    socket.answer(n, ok('mine'));
    expect(textIn(await answer)).toBe(JSON.stringify(ok('mine')));
  });

  it('cannot run ahead of its reader, nor skip', async () => {
    for (const at of [0, 50]) {
      const device = await enrolDevice();
      const socket = await connect(device);
      const answer = device.stub().call(callNamed('c1', { effect: false }));
      const { n } = await socket.next('call');
      const bytes = new Uint8Array(200_000);
      socket.sayBytes(encodePiece({ n, isOk: true, at, total: 9_000_000, bytes }));
      // Nobody reads, so it may not go on and on.
      for (let next = 1; at === 0 && next < 20; next++) {
        socket.sayBytes(encodePiece({ n, isOk: true, at: next * 200_000, total: 9_000_000, bytes }));
      }
      expect(await socket.end()).toMatchObject({ code: 4400 });
      void answer.catch(() => undefined);
    }
  });

  it('does not reach the database from a socket that has not greeted', async () => {
    const device = await enrolDevice();
    const proven = await connect(device);
    const answer = device.stub().call(callNamed('c1'));
    const { n } = await proven.next('call');
    const stranger = await openSocket(device);
    stranger.answer(n, ok('forged'));
    await stranger.end();
    const rows = await runInDurableObject(device.stub(), (_, state) =>
      state.storage.sql.exec('SELECT count(*) AS n FROM piece WHERE part = ?', 'result').one(),
    );
    expect(rows).toEqual({ n: 0 });
    proven.answer(n, ok('real'));
    expect(textIn(await answer)).toBe(JSON.stringify(ok('real')));
  });
});
