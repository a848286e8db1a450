import { createHash } from 'node:crypto';
import { encryptNotification, vapidHeaders } from '@block65/webcrypto-web-push';
import type { Notice } from './notice.ts';
import { shorten } from './notify-text.ts';

/** A subscribed browser, as its `PushSubscription` describes it. */
export interface Subscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The keys that sign pushes, in base64url: an uncompressed P-256 point and its scalar. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * The length of every push, so that it tells the push service nothing. Services must take 4,096 bytes
 * encrypted, but Mozilla's refuses more than 3,070 for Android, and encryption adds 103.
 */
const PAYLOAD_BYTES = 2_700;

/** After ten minutes the approval has expired, so the push is useless. */
const TTL_SECONDS = 600;

/**
 * Makes the request for a browser's push service (RFC 8030): encrypted for the browser (8291), signed by us
 * (8292).
 */
export async function pushRequest(
  notice: Notice,
  { endpoint, keys }: Subscription,
  vapid: VapidKeys,
  contact: string,
): Promise<RequestInit> {
  const subscription = { endpoint, keys, expirationTime: null };
  const [signed, body] = await Promise.all([
    vapidHeaders(subscription, { ...vapid, subject: contact }),
    encryptNotification(subscription, payloadOf(notice), { pad: false }),
  ]);
  const headers = new Headers({
    ...signed.headers,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: String(TTL_SECONDS),
    urgency: 'high',
    topic: topicOf(notice.tag),
  });
  return { method: 'POST', headers, body };
}

/** Makes a key pair to sign pushes with. Subscribing browsers get its public half. */
export async function makeVapidKeys(): Promise<VapidKeys> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const point = (await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer;
  const { d: privateKey } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JsonWebKey;
  if (privateKey === undefined) throw new Error('The runtime made a private key without a private part.');
  return { publicKey: Buffer.from(point).toString('base64url'), privateKey };
}

/** Writes the notice as JSON for the service worker, filled up with spaces to the fixed length. */
function payloadOf({ title, body, url, tag }: Notice): Uint8Array {
  const without = Buffer.byteLength(JSON.stringify({ title, body: '', url, tag }));
  const json = Buffer.from(JSON.stringify({ title, body: shorten(body, PAYLOAD_BYTES - without), url, tag }));
  const padding = Buffer.alloc(Math.max(0, PAYLOAD_BYTES - json.length), ' ');
  return Buffer.concat([json, padding]);
}

/**
 * Gives the topic of a push. A newer push replaces a waiting one of the same topic. It is a hash, because a
 * topic allows fewer characters than a tag.
 */
function topicOf(tag: string): string {
  return createHash('sha256').update(tag).digest('base64url').slice(0, 32);
}
