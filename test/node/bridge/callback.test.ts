import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listenForCallback } from '../../../local-bridge/lib/callback.ts';

describe('the way back from the browser', () => {
  it('takes a code with the state that was sent out, and no other', async () => {
    const callback = await listenForCallback();
    try {
      const waiting = callback.code('the state');
      const come = async (query: string) => (await fetch(`${callback.redirectUrl}?${query}`)).status;
      for (const query of ['code=evil', 'code=evil&state=', 'code=evil&state=other', 'code=evil&state=the'])
        expect(await come(query)).toBe(404);
      expect(await come('code=good&state=the+state')).toBe(200);
      expect(await waiting).toEqual({ code: 'good', iss: undefined });
    } finally {
      callback.close();
    }
  });
});

/** Sends a request with a target as it stands: `fetch` writes only usual ones. */
async function ask(url: string, target: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  const [response] = (await once(request({ hostname, port, path: target }).end(), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode;
}

it.each([
  '//',
  '///',
  '//[',
  'http://',
  'http://[',
  '*',
  '//evil.example/callback?code=evil&state=the+state',
  'http://evil.example/callback?code=evil&state=the+state',
])('answers %s with 404, and waits on', async (target) => {
  const callback = await listenForCallback();
  try {
    const waiting = callback.code('the state');
    expect(await ask(callback.redirectUrl, target)).toBe(404);
    expect(await ask(callback.redirectUrl, '/callback?code=good&state=the+state')).toBe(200);
    expect(await waiting).toMatchObject({ code: 'good' });
  } finally {
    callback.close();
  }
});
