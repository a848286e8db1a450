import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { fingerprintOf } from '../../../src/core/machine-proof.ts';
import { api, newAddress, type OwnerBrowser, owner, signedIn } from '../auth/owner.ts';
import { send } from '../http.ts';
import { about, connect, type Device, type DeviceSocket } from './device.ts';
import { newMachine } from './pairing-rig.ts';

let own: OwnerBrowser;
let device: Device;

/** Pairs a machine with the gateway itself, as `bowline pair` and its owner do. */
beforeAll(async () => {
  own = await signedIn();
  const machine = newMachine();
  const asked = await send('/api/pair', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cf-connecting-ip': newAddress() },
    body: JSON.stringify(machine.request('mini')),
  });
  const { code } = await asked.json<{ code: string }>();
  const said = { decision: 'confirm', fingerprint: await fingerprintOf(machine.key) };
  const { machine: made } = await (await api(own, 'POST', `machines/pair/${code}`, said)).json<{
    machine: { id: string };
  }>();
  const stub = () => env.MACHINE.get(env.MACHINE.idFromName(made.id));
  device = { id: made.id, stub, sign: machine.signed };
});

const submit = async (path: string, fields: Record<string, string>) => {
  const answer = await own.submit(`/machines/${path}`, { csrf: own.csrf, id: device.id, ...fields });
  return { status: answer.status, html: await answer.text() };
};
/** Answers the gateway's question whether the machine is there. */
async function answerProbe(socket: DeviceSocket): Promise<void> {
  const { n } = await socket.next('probe');
  socket.say({ type: 'probed', n, running: 0, queued: 0, tools: 13 });
}

describe('the place where machines dial in', () => {
  it('lets in a machine that is paired, with a socket, and nobody else', async () => {
    const upgrade = { upgrade: 'websocket' };
    const status = async (id: string, headers: Record<string, string> = upgrade) =>
      (await send(`/link?machine=${encodeURIComponent(id)}`, { headers })).status;
    // Said before anybody's object is made.
    const nobody = await send('/link?machine=m_nobody', { headers: upgrade });
    expect([nobody.status, await nobody.json()]).toMatchObject([404, { code: 'unknown_machine' }]);
    expect(await status('../owner')).toBe(404);
    expect(await status(device.id, {})).toBe(426);
    expect(await status(device.id)).toBe(101);
  });
});

describe('the way to a machine', () => {
  it('is shown up to where it breaks: nobody is connected', async () => {
    const { status, html } = await submit('health', {});
    expect(status).toBe(200);
    expect(html).toContain('Not connected.');
    expect(html).not.toContain('Listed the first open folder');
    expect((await api(own, 'POST', `machines/${device.id}/ping`)).status).toBe(503);
    expect((await api(own, 'POST', 'machines/m_none/ping')).status).toBe(404);
  });

  it('is shown whole, a hop at a time, where a tool answers', async () => {
    const socket = await connect(device);
    const shown = submit('health', {});
    await answerProbe(socket);
    const call = await socket.next('call');
    expect(call).toMatchObject({ tool: 'list_dir', principal: 'owner', effect: false });
    socket.answer(call.n, { kind: 'ok', output: catalogue.list_dir.examples[0].output });
    const { html } = await shown;
    expect(html).toContain('offers 13 tools');
    expect(html).toContain('Listed the first open folder');
    const pinged = api(own, 'POST', `machines/${device.id}/ping`);
    await answerProbe(socket);
    expect(await (await pinged).json()).toEqual({ ms: expect.any(Number), tools: 13 });
    socket.close();
  });

  it('says what the tool said where it refuses', async () => {
    const socket = await connect(device);
    const shown = submit('health', {});
    await answerProbe(socket);
    const { n } = await socket.next('call');
    socket.answer(n, {
      kind: 'failed',
      failure: { code: 'directory_not_found', message: 'No <b>folder</b>.', suggestion: 'Look.' },
    });
    const { html } = await shown;
    expect(html).toContain('No &lt;b&gt;folder&lt;/b&gt;.');
    socket.close();
  });
});

describe('a machine on its page', () => {
  it('is renamed, made the one that calls go to, and told nothing by a form that is not ours', async () => {
    expect((await submit('rename', { name: 'No Good!' })).status).toBe(400);
    expect((await submit('rename', { name: 'studio' })).status).toBe(303);
    expect((await submit('default', { on: 'yes' })).status).toBe(303);
    expect(await owner().machines()).toMatchObject([{ id: device.id, name: 'studio', isDefault: true }]);
    expect((await submit('rename', { name: 'other', csrf: 'wrong' })).status).toBe(403);
    expect((await submit('rename', { name: 'other', id: 'm_none' })).status).toBe(404);
    const html = await (await own.send('/machines')).text();
    expect(html).toContain('studio');
    expect(html).toContain(about.version);
  });

  it('is shut out at once when it is revoked, and cannot come back', async () => {
    const socket = await connect(device);
    expect((await submit('revoke', { csrf: 'wrong' })).status).toBe(403);
    expect(socket.isClosed()).toBe(false);
    expect((await submit('revoke', {})).status).toBe(303);
    await socket.end();
    expect(await owner().machines()).toEqual([]);
    expect((await send(`/link?machine=${device.id}`, { headers: { upgrade: 'websocket' } })).status).toBe(
      404,
    );
    expect((await submit('revoke', {})).status).toBe(404);
  });
});
