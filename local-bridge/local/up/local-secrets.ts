import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceSettings } from './service-settings.ts';

/** The secrets of a local gateway: made once, kept in its state folder for its owner alone to read. */
export interface LocalSecrets {
  readonly ownerKey: string;
  readonly ownerKeyFile: string;
  /** Whether the owner key was made just now, and so has not been shown. */
  readonly isNew: boolean;
  /** What the gateway is told, as lines of an environment file that nobody else can read. */
  readonly envFile: string;
}

export function localSecrets(stateFolder: string): LocalSecrets {
  const ownerKeyFile = join(stateFolder, 'owner-key');
  const ownerKey = kept(ownerKeyFile, /^bwl_owner_[\w-]{43}$/, () => {
    return `bwl_owner_${randomBytes(32).toString('base64url')}`;
  });
  const memoryKey = kept(join(stateFolder, 'memory-key'), /^[A-Za-z0-9+/=]{40,}$/, () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  });
  const envFile = join(stateFolder, 'gateway.env');
  const hash = createHash('sha256').update(ownerKey.value).digest('hex');
  // A file, because arguments of a process are there for every user of the computer to see.
  const own = `OWNER_KEY_HASH=${hash}\nMEMORY_KEY=${memoryKey.value}\n`;
  writeFileSync(envFile, own + serviceSettings(process.env), { mode: 0o600 });
  return { ownerKey: ownerKey.value, ownerKeyFile, isNew: ownerKey.isNew, envFile };
}

/** A secret's file, made if it is missing or is not one. */
function kept(path: string, shape: RegExp, make: () => string): { value: string; isNew: boolean } {
  const known = read(path);
  if (known !== undefined && shape.test(known)) return { value: known, isNew: false };
  const value = make();
  writeFileSync(path, `${value}\n`, { mode: 0o600 });
  return { value, isNew: true };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
