/** Signs with the gateway's own key, which no database holds. */
export interface Signer {
  /** Gives the Ed25519 signature over the text, in base64url. */
  sign(text: string): Promise<string>;
  /** Gives the key to verify with, as raw bytes in base64url. */
  publicKey(): Promise<string>;
}

/** Makes the signer of a private Ed25519 key (PKCS #8 in base64). Gives `undefined` without a key. */
export function signerOf(privateKey: string | undefined): Signer | undefined {
  if (privateKey === undefined) return undefined;
  let imported: Promise<CryptoKey> | undefined;
  const key = () => {
    imported ??= crypto.subtle.importKey('pkcs8', Buffer.from(privateKey, 'base64'), 'Ed25519', true, [
      'sign',
    ]);
    return imported;
  };
  return {
    sign: async (text) => {
      const signature = await crypto.subtle.sign('Ed25519', await key(), new TextEncoder().encode(text));
      return Buffer.from(signature).toString('base64url');
    },
    publicKey: async () => {
      const jwk = await crypto.subtle.exportKey('jwk', await key());
      if (!('x' in jwk) || jwk.x === undefined) throw new Error('An Ed25519 key has a public half.');
      return jwk.x;
    },
  };
}
