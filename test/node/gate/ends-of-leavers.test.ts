import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SCOPES } from '../../../contracts/contract.ts';
import { signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import { startLinkGateway } from '../../support/link-gateway.ts';
import { SOON_MS } from '../../support/soon.ts';

const TOGETHER = 8;
const ROUNDS = 5;

/** Calls `hello` and breaks off at the first bytes of the answer. */
async function leave(url: string, secret: string): Promise<void> {
  const { port, hostname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = ['POST /tools/hello HTTP/1.1', `host: ${host}`, `authorization: Bearer ${secret}`];
  socket.write([...head, 'content-type: application/json', 'content-length: 2', '', '{}'].join('\r\n'));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  socket.resetAndDestroy();
}

it('records how reads ended whose callers all break off at the answer, although no call follows', async () => {
  const { worker, ownerKey } = await startLinkGateway();
  onTestFinished(() => worker.stop());
  const owner = await signInAsOwner(worker.url, ownerKey);
  const { secret } = await owner.createToken({ name: 'leaver', scopes: SCOPES, days: 1 });
  // The requests that were to bring the ends for all the others are gone before they do.
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(Array.from({ length: TOGETHER }, () => leave(worker.url, secret)));
  const outcomes = async () => {
    const page = (await owner.call('GET', 'ledger?tool=hello&limit=100')) as {
      entries: { outcome: string }[];
    };
    return page.entries.map(({ outcome }) => outcome);
  };
  const all = Array.from({ length: ROUNDS * TOGETHER }, () => 'ok');
  await vi.waitFor(async () => expect(await outcomes()).toEqual(all), { timeout: SOON_MS, interval: 100 });
});
