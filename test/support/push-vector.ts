import { encryptNotification } from '@block65/webcrypto-web-push';
import { vi } from 'vitest';
import { RFC_8291 } from './push-browser.ts';

/**
 * What the library makes of the example of RFC 8291 when it is given the sender's keys and salt of the example
 * in place of random ones; it has to be `RFC_8291.body`.
 */
export async function encryptedExample(): Promise<string> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' };
  const point = Buffer.from(RFC_8291.senderPublic, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: RFC_8291.senderPrivate,
  };
  const pair = {
    publicKey: await crypto.subtle.importKey('raw', point, curve, true, []),
    privateKey: await crypto.subtle.importKey('jwk', jwk, curve, false, ['deriveBits']),
  };
  const keys = vi.spyOn(crypto.subtle, 'generateKey').mockResolvedValueOnce(pair as never);
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((array) => {
    if (array instanceof Uint8Array) array.set(Buffer.from(RFC_8291.salt, 'base64url'));
    return array;
  });
  try {
    const subscription = {
      endpoint: 'https://push.example.net/push/receipt',
      expirationTime: null,
      keys: { p256dh: RFC_8291.browserPublic, auth: RFC_8291.auth },
    };
    const body = await encryptNotification(subscription, Buffer.from(RFC_8291.plaintext), { pad: false });
    return Buffer.from(body).toString('base64url');
  } finally {
    keys.mockRestore();
    random.mockRestore();
  }
}
