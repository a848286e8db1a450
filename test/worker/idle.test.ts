import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { waitOf } from '../../src/console/parts/page-names.ts';
import { SOON_MS } from '../support/soon.ts';
import { bearer, mcpCall, owner, personalToken, signedIn } from './auth/support.ts';
import { approvalIn, gateCall } from './gate/gate-calls.ts';

const FREE_REQUESTS_A_DAY = 100_000;
const DAY_S = 86_400;
/** The most often in a day that a credential is looked at. */
const LOOKS_A_DAY = 144;

/** Counts how often in a day a page comes back which nobody touches. */
function pagesADay(): number {
  let pages = 0;
  for (let second = 0; second < DAY_S; second += waitOf(second)) pages += 1;
  return pages;
}

afterEach(() => {
  vi.restoreAllMocks();
});

const events = () => env.EVENTS.get(env.EVENTS.idFromName('owner'));
const gate = () => env.GATE.get(env.GATE.idFromName('owner'));

/** Waits until somebody listens to an object. */
const heardBy = (object: () => DurableObjectStub<undefined>, least = 1) =>
  vi.waitFor(
    async () => {
      const listeners = await runInDurableObject(object(), (_, state) => state.getWebSockets().length);
      expect(listeners).toBeGreaterThanOrEqual(least);
    },
    { timeout: SOON_MS },
  );

/** Opens a stream of news, and collects what it says. */
async function openStream(secret: string) {
  const request = new Request(mcpCall('2026', bearer(secret)), {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  request.headers.set('mcp-method', 'subscriptions/listen');
  request.headers.delete('mcp-name');
  const response = await exports.default.fetch(request);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  return {
    until: async (text: string) => {
      while (!heard.includes(text)) heard += (await reader?.read())?.value ?? '(the end)';
    },
    leave: () => reader?.cancel(),
  };
}

it('lets the object of events sleep while a stream listens, and wakes the stream at once', async () => {
  const { secret } = await personalToken(['read']);
  const stream = await openStream(secret);
  await heardBy(events);
  const asked = vi.spyOn(env.EVENTS, 'get');
  // No request lasts at the object, or this would not end.
  await evictDurableObject(events());
  await events().publish(JSON.stringify({ kind: 'tools_list_changed' }));
  await stream.until('tools/list_changed');
  expect(asked).toHaveBeenCalledTimes(2);
  await stream.leave();
});

it('lets gate and owner sleep while a page waits, and costs under a hundredth of the free plan in a day', async () => {
  const visit = await signedIn();
  const { at } = await (await visit.send('/live')).json<{ at: number }>();
  const [atGate, atOwner] = [gate(), owner()];
  const requests = [env.OWNER, env.GATE, env.EVENTS, env.MACHINE, env.MEMORY, env.MIRROR].map((objects) =>
    vi.spyOn(objects, 'get'),
  );
  const answer = await visit.send(`/live?after=${at}&wait=3600`);
  await heardBy(() => atGate);
  await heardBy(() => atOwner);
  // No request lasts at either object, or this would not end.
  await evictDurableObject(atGate);
  await evictDurableObject(atOwner);
  const news = answer.json<{ at: number; waiting: number }>();
  const { id } = approvalIn(await atGate.admit(gateCall({ digest: 'idle' }), []));
  expect((await news).waiting).toBeGreaterThan(0);
  await atGate.leave(id, gateCall({ digest: 'idle' }).callId);
  // A page that comes back is loaded again.
  await (await visit.send('/')).text();
  const aPage = requests.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  expect(pagesADay() * aPage + 2 * LOOKS_A_DAY).toBeLessThan(FREE_REQUESTS_A_DAY / 100);
});

it('ends the wait of a page whose session ends while the objects sleep', async () => {
  const visit = await signedIn();
  const { at } = await (await visit.send('/live')).json<{ at: number }>();
  const atOwner = owner();
  const listeners = await runInDurableObject(atOwner, (_, state) => state.getWebSockets().length);
  const answer = await visit.send(`/live?after=${at}&wait=3600`);
  await heardBy(() => atOwner, listeners + 1);
  await evictDurableObject(atOwner);
  await atOwner.closeSession(visit.id);
  expect((await answer.text()).trim()).toBe('');
});
