import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** What an authenticator may get wrong, or is made to. */
export interface Answering {
  readonly origin: string;
  /** The name that the key is for, from which its hash is made. */
  readonly rpId: string;
  /** How often the key was used. */
  readonly counter: number;
  /** Whether the person has shown that it is them. */
  readonly verified: boolean;
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();

/** A key as a phone or a fingerprint reader holds one, which answers as WebAuthn has it, without a browser. */
export function newAuthenticator(honest: Answering) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);

  const saidBy = (type: 'webauthn.create' | 'webauthn.get', challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const dataOf = ({ rpId, counter, verified }: Answering, key = Buffer.alloc(0)) => {
    const fixed = Buffer.alloc(5);
    fixed.writeUInt8(PRESENT | (verified ? VERIFIED : 0) | (key.length > 0 ? HAS_KEY : 0), 0);
    fixed.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), fixed, key]);
  };
  const common = { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} } as const;

  return {
    id: text(id),
    /** The answer to being asked for a new key. */
    made(challenge: string, change: Partial<Answering> = {}): RegistrationResponseJSON {
      const as = { ...honest, ...change };
      const length = Buffer.from([0, id.length]);
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const key = Buffer.concat([Buffer.alloc(16), length, id, coseKey(x, y)]);
      const attestation = map([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), map([])],
        [cborText('authData'), cborBytes(dataOf(as, key))],
      ]);
      const clientDataJSON = text(saidBy('webauthn.create', challenge, as.origin));
      return {
        ...common,
        response: { clientDataJSON, attestationObject: text(attestation), transports: ['internal'] },
      };
    },
    /** The answer to being asked whether its person is there. */
    shown(challenge: string, change: Partial<Answering> = {}): AuthenticationResponseJSON {
      const as = { ...honest, ...change };
      const said = saidBy('webauthn.get', challenge, as.origin);
      const data = dataOf(as);
      const signature = text(sign('sha256', Buffer.concat([data, sha256(said)]), privateKey));
      return {
        ...common,
        response: { clientDataJSON: text(said), authenticatorData: text(data), signature },
      };
    },
  };
}

// As little of CBOR as the above takes: nothing is longer than two bytes can say, and all numbers are small.
function head(kind: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(kind << 5) | length]);
  if (length < 256) return Buffer.from([(kind << 5) | 24, length]);
  return Buffer.from([(kind << 5) | 25, length >> 8, length & 255]);
}
const cborNumber = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
const cborBytes = (bytes: Uint8Array) => Buffer.concat([head(2, bytes.length), bytes]);
const cborText = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);

/** A public key of P-256 as COSE writes it: its kind, its algorithm (ES256), its curve, and its two halves. */
function coseKey(x: string, y: string): Buffer {
  const half = (value: string) => cborBytes(Buffer.from(value, 'base64url'));
  return map([
    [cborNumber(1), cborNumber(2)],
    [cborNumber(3), cborNumber(-7)],
    [cborNumber(-1), cborNumber(1)],
    [cborNumber(-2), half(x)],
    [cborNumber(-3), half(y)],
  ]);
}
