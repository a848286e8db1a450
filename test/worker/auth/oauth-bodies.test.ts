import { describe, expect, it } from 'vitest';
import { chunked, padded, send } from '../http.ts';
import { newAddress } from './owner.ts';

const LIMIT = 64 * 1024;
const FORM = 'application/x-www-form-urlencoded';

const post = (path: string, type: string, body: BodyInit) =>
  send(path, {
    method: 'POST',
    body,
    headers: { 'content-type': type, 'cf-connecting-ip': newAddress() },
  });

describe.each([
  ['/oauth/token', FORM, 'grant_type=refresh_token&refresh_token=x&client_id=x'],
  ['/oauth/register', 'application/json', '{"redirect_uris":["https://app.example/cb"],"client_name":"x"}'],
  ['/.well-known/oauth-authorization-server', FORM, 'a=b'],
])('%s', (path, type, text) => {
  it('answers a body up to 64 KiB as a small one', async () => {
    const small = await post(path, type, text);
    const full = await post(path, type, padded(type === FORM ? `${text}&pad=` : text, LIMIT));
    expect(full.status).toBe(small.status);
    expect(full.status).not.toBe(413);
  });

  it.each([
    ['declared', (body: string) => body],
    ['not declared', chunked],
  ])('refuses one byte more, its length %s', async (_, made) => {
    const answer = await post(path, type, made(padded(text, LIMIT + 1)));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('stops reading at the limit', async () => {
    let taken = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        taken += 16_384;
        controller.enqueue(new Uint8Array(16_384));
      },
    });
    expect((await post(path, type, endless)).status).toBe(413);
    expect(taken).toBeLessThan(4 * LIMIT);
  });
});
