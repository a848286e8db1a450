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
