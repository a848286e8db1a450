import { createDecipheriv, createECDH, hkdfSync, randomBytes, verify } from 'node:crypto';

/** A browser's end of web push, written from the RFCs on other crypto than the code under test uses. */
export interface PushBrowser {
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** What a push says, and how long that was before it was encrypted. */
  open(body: Uint8Array): Opened;
}

export interface Opened {
  readonly text: string;
  readonly bytes: number;
}

const bytes = (text: string) => Buffer.from(text, 'base64url');
const info = (...parts: (string | Uint8Array)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

export function pushBrowser(
  privateKey?: string,
  auth: string = randomBytes(16).toString('base64url'),
): PushBrowser {
  const own = createECDH('prime256v1');
  if (privateKey === undefined) own.generateKeys();
  else own.setPrivateKey(bytes(privateKey));
  const point = own.getPublicKey();
  const derive = (secret: Uint8Array, salt: Uint8Array, about: Uint8Array, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, about, length));
  return {
    keys: { p256dh: point.toString('base64url'), auth },
    open(body) {
      const message = Buffer.from(body);
      // RFC 8188 §2.1: salt, record size, length of the sender's key, the key; then the one record.
      const salt = message.subarray(0, 16);
      const recordSize = message.readUInt32BE(16);
      const start = 21 + message.readUInt8(20);
      const sender = message.subarray(21, start);
      const record = message.subarray(start, -16);
      if (message.length - start > recordSize) throw new Error('more than one record');
      // RFC 8291 §3.3 and §3.4.
      const secret = derive(
        own.computeSecret(sender),
        bytes(auth),
        info('WebPush: info\0', point, sender),
        32,
      );
      const key = derive(secret, salt, info('Content-Encoding: aes128gcm\0'), 16);
      const nonce = derive(secret, salt, info('Content-Encoding: nonce\0'), 12);
      const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(message.subarray(-16));
      const padded = Buffer.concat([decipher.update(record), decipher.final()]);
      const end = padded.lastIndexOf(2);
      if (end < 0 || padded.subarray(end + 1).some(Boolean)) throw new Error('bad padding');
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
        padded.subarray(0, end),
      );
      return { text, bytes: end };
    },
  };
}

export interface Vapid {
  readonly header: unknown;
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  readonly publicKey: string;
  /** Whether it was signed by the key that it names. */
  readonly genuine: boolean;
}

/** Reads an `Authorization` header as a push service does (RFC 8292 §3). */
export function readVapid(authorization: string | null | undefined): Vapid {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization ?? '') ?? [];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = bytes(publicKey);
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const key = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
  const json = (part: string) => JSON.parse(bytes(part).toString());
  return {
    header: json(header),
    claims: json(claims),
    publicKey,
    genuine: verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      { key, format: 'jwk', dsaEncoding: 'ieee-p1363' },
      bytes(signature),
    ),
  };
}

/** The worked example of RFC 8291, §5 and appendix A. */
export const RFC_8291 = {
  plaintext: 'When I grow up, I want to be a watermelon',
  browserPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  browserPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  senderPublic: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
} as const;
