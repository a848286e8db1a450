/**
 * Gives the text that a machine signs to show that it holds its key: for one gateway, one machine, one
 * connection.
 */
export function challengeText(asked: {
  readonly origin: string;
  readonly machine: string;
  readonly nonce: string;
  readonly connection: string;
}): string {
  // JSON quotes every part, so no choice of names makes two challenges read the same.
  return JSON.stringify(['bowline link 1', asked.origin, asked.machine, asked.nonce, asked.connection]);
}

/**
 * Gives the text that a machine signs when it asks to be paired, so that nobody can present another's key.
 */
export function enrolmentText(asked: {
  readonly origin: string;
  readonly name: string;
  readonly publicKey: string;
}): string {
  return JSON.stringify(['bowline pair 1', asked.origin, asked.name, asked.publicKey]);
}

/** Gives the text that a machine signs when it asks for the head of the memory. */
export function witnessText(asked: {
  readonly origin: string;
  readonly machine: string;
  readonly at: number;
  readonly seq: number;
}): string {
  return JSON.stringify(['bowline memory witness 1', asked.origin, asked.machine, asked.at, asked.seq]);
}

/**
 * Checks an Ed25519 signature; key and signature are in base64url. False for anything that is not a key or a
 * signature.
 */
export async function verifyProof(publicKey: string, text: string, signature: string): Promise<boolean> {
  const key = bytesOf(publicKey, 32);
  const signed = bytesOf(signature, 64);
  if (!key || !signed) return false;
  try {
    const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', imported, signed, new TextEncoder().encode(text));
  } catch {
    // These 32 bytes are not a point of the curve, so they are not a key and signed nothing.
    return false;
  }
}

/**
 * Gives a public key in the form that two people compare: the first 20 bytes of its SHA-256, in groups of
 * four hex digits.
 */
export async function fingerprintOf(publicKey: string): Promise<string> {
  const key = bytesOf(publicKey, 32);
  if (!key) throw new Error('A machine has an Ed25519 key of 32 bytes.');
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', key)).subarray(0, 20);
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return (hex.match(/.{4}/g) ?? []).join(' ');
}

/** Tells whether the text is a public key in the form that Bowline writes. */
export function isPublicKey(text: string): boolean {
  return bytesOf(text, 32) !== undefined;
}

/** Decodes base64url in its one canonical form, and only if it gives the expected number of bytes. */
function bytesOf(text: string, length: number): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== Math.ceil((length * 4) / 3) || !/^[\w-]+$/.test(text)) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  const again = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return bytes.length === length && again === text ? bytes : undefined;
}
