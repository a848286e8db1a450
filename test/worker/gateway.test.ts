import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';

describe('the gateway', () => {
  it('says hello over REST without a token', async () => {
    const response = await exports.default.fetch(
      new Request('http://localhost/tools/hello', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"Ada"}',
      }),
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ greeting: 'Hello, Ada!' });
  });
});
