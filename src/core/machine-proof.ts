/** What a machine signs to show that it holds its key: for one gateway, one machine, one connection. */
export function challengeText(asked: {
  readonly origin: string;
  readonly machine: string;
  readonly nonce: string;
  readonly connection: string;
}): string {
  // JSON, because every part is then quoted: no choice of names makes two challenges read the same.
  return JSON.stringify(['bowline link 1', asked.origin, asked.machine, asked.nonce, asked.connection]);
}

/** What a machine signs when it asks to be paired, so that nobody can put another's key forward. */
export function enrolmentText(asked: {
  readonly origin: string;
  readonly name: string;
  readonly publicKey: string;
}): string {
  return JSON.stringify(['bowline pair 1', asked.origin, asked.name, asked.publicKey]);
}

/** What a machine signs when it looks at the head of the memory. */
export function witnessText(asked: {
  readonly origin: string;
  readonly machine: string;
  readonly at: number;
  readonly seq: number;
}): string {
  return JSON.stringify(['bowline memory witness 1', asked.origin, asked.machine, asked.at, asked.seq]);
}

/** Whether the key signed the text: Ed25519, both in base64url. Whatever is not a key or a signature did not. */
export async function verifyProof(publicKey: string, text: string, signature: string): Promise<boolean> {
  const key = bytesOf(publicKey, 32);
  const signed = bytesOf(signature, 64);
  if (!key || !signed) return false;
  try {
    const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', imported, signed, new TextEncoder().encode(text));
  } catch {
    // 32 bytes that are no point of the curve: not a key, so it signed nothing.
    return false;
  }
}

/** A public key as two people compare it: the first 20 bytes of its SHA-256, in groups of four hex digits. */
export async function fingerprintOf(publicKey: string): Promise<string> {
  const key = bytesOf(publicKey, 32);
  if (!key) throw new Error('A machine has an Ed25519 key of 32 bytes.');
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', key)).subarray(0, 20);
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return (hex.match(/.{4}/g) ?? []).join(' ');
}

/** Whether the text is a public key as they are written here. */
export function isPublicKey(text: string): boolean {
  return bytesOf(text, 32) !== undefined;
}

/** Bytes from base64url, if they are written the one canonical way and are as many as they should be. */
function bytesOf(text: string, length: number): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== Math.ceil((length * 4) / 3) || !/^[\w-]+$/.test(text)) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  const again = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return bytes.length === length && again === text ? bytes : undefined;
}
