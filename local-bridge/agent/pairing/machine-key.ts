import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { readIfThere, writePrivate } from '../../lib/private-file.ts';
import { machineFile } from './machine-file.ts';

/** The key by which a gateway recognises this machine. It signs here and never leaves. */
export interface MachineKey {
  /** The public key in base64url, as the gateway stores it. */
  readonly publicKey: string;
  sign(text: string): Promise<string>;
}

/** Opens the machine's key. Makes it at first use, in a file that only its user can read. */
export function machineKey(home: string): MachineKey {
  const path = join(home, 'machine-key');
  const kept = readIfThere(path);
  if (kept !== undefined) return keyFrom(read(kept, path));
  const { privateKey } = generateKeyPairSync('ed25519');
  writePrivate(path, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  return keyFrom(privateKey);
}

/**
 * Stops if this computer is paired and its key is gone. With another key it would be another machine, and the rules for
 * the one that it was would not hold for it.
 */
export function checkKeyIsThere(home: string): void {
  const path = join(home, 'machine-key');
  const paired = machineFile(home);
  if (existsSync(path) || !existsSync(paired)) return;
  throw new CliError(
    `${path} is missing, so this computer cannot prove which machine it is.`,
    `Put it back from a backup. Or move ${paired} away too and pair this computer as a new machine, for which rules about the old one do not hold.`,
  );
}

function read(pem: string, path: string): KeyObject {
  if (statSync(path).mode & 0o077) {
    throw new CliError(
      `Other users can read ${path}, so somebody may have copied this machine's key.`,
      `Delete it, revoke the machine in the console and pair again. If you are sure that nobody copied it, run: chmod 600 ${path}`,
    );
  }
  const damaged = new CliError(
    `${path} is not a machine's key.`,
    'Move it away and run `bowline pair` again.',
  );
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw damaged;
  }
  if (key.asymmetricKeyType !== 'ed25519') throw damaged;
  return key;
}

function keyFrom(privateKey: KeyObject): MachineKey {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (!x) throw new Error('An Ed25519 key has a public half.');
  return {
    publicKey: x,
    sign: async (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}
