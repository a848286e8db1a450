import { describe, expect, it } from 'vitest';
import { GatewayAway } from '../../../local-bridge/agent/mirror/gateway.ts';
import { pushRig } from '../../support/mirror-push.ts';

const rig = pushRig();

describe('a push in pieces', () => {
  const pieces = { files: 3, chars: 10_000, bytes: 20 };
  const files = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`docs/${n}.md`, `content ${n}`]));
  const sentTo = (what: string) =>
    rig.gateway.requests.filter(({ line }) => line.endsWith(what)).map(({ body }) => body);

  it('is as large as the gateway says, and has numbers and a name', async () => {
    rig.gateway.pieces = pieces;
    rig.repo.commit(files);
    expect(await rig.push()).toMatchObject({ files: 10, described: 10, sent: 10 });
    expect(rig.gateway.pushes()).toMatchObject([{ name: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    const lists = sentTo('/files').map((body) => JSON.parse(body.toString()));
    expect(lists.map(({ piece, files, complete }) => [piece, files.length, complete])).toEqual([
      [1, 3, false],
      [2, 3, false],
      [3, 1, true],
    ]);
    // Two contents of nine bytes fit into twenty.
    expect(sentTo('/blobs')).toHaveLength(5);
  });

  it.each(Array.from({ length: 9 }, (_, n) => n + 1))(
    'killed at request %d goes on, and sends nothing twice that arrived',
    async (killedAt) => {
      rig.gateway.pieces = pieces;
      rig.repo.commit(files);
      let posts = 0;
      rig.gateway.instead = (line) => {
        posts += line.startsWith('POST') ? 1 : 0;
        return posts === killedAt && line.startsWith('POST') ? 503 : undefined;
      };
      await expect(rig.push()).rejects.toThrow(GatewayAway);
      expect(rig.gateway.commit).toBeNull();
      const arrived = rig.gateway.blobs.size;
      expect(await rig.push()).toMatchObject({ files: 10, sent: 10 - arrived });
      // The list that opens the push comes again, the one that was killed too, and no other.
      expect(sentTo('/files')).toHaveLength(killedAt > 1 && killedAt <= 4 ? 4 : 3);
      expect(rig.log.filter((line) => line.startsWith('Going on'))).toHaveLength(killedAt > 2 ? 1 : 0);
    },
  );

  it('looks for secrets in all of its pieces before it sends the first, also when it goes on', async () => {
    rig.gateway.pieces = pieces;
    rig.repo.commit({ ...files, 'docs/9.md': `key AKIA${'ABCDEFGH12345678'}` });
    await expect(rig.push()).rejects.toThrow('docs/9.md:1  aws-access-key');
    expect(rig.gateway.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
    rig.repo.commit(files);
    rig.gateway.instead = (line) => (line.endsWith('/blobs') ? 503 : undefined);
    await expect(rig.push()).rejects.toThrow(GatewayAway);
    rig.gateway.instead = undefined;
    rig.gateway.requests.length = 0;
    rig.repo.commit({ 'docs/0.md': `key AKIA${'ABCDEFGH12345678'}` });
    await expect(rig.push()).rejects.toThrow('docs/0.md:1  aws-access-key');
    expect(rig.gateway.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  it('that a gateway keeps waiting for ever ends', async () => {
    rig.gateway.pieces = pieces;
    rig.repo.commit({ 'docs/a.md': 'a' });
    rig.gateway.instead = (line) =>
      line.startsWith('POST') ? { kind: 'open', id: 'x', lacking: [], next: 1 } : undefined;
    await expect(rig.push()).rejects.toThrow('keeps asking');
  });

  it('that the gateway refuses says why', async () => {
    rig.gateway.pieces = pieces;
    rig.repo.commit(files);
    const message = 'Piece 1 of the push came again with other files, so it was refused.';
    rig.gateway.instead = (line) =>
      line.endsWith('/files')
        ? { code: 'invalid_input', http_status: 409, message, suggestion: 'Push again.' }
        : undefined;
    await expect(rig.push()).rejects.toThrow(message);
  });
});
