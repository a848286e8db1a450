import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readIfThere } from '../../lib/private-file.ts';
import { damaged } from './check-state.ts';
import { serviceSettings } from './service-settings.ts';

/**
 * The secrets of a local gateway. They are made once and kept in its state folder, where only its owner can read them.
 */
interface LocalSecrets {
  readonly ownerKey: string;
  readonly ownerKeyFile: string;
  /** True if the owner key was made just now and nobody has seen it. */
  readonly isNew: boolean;
  /** A file with the gateway's environment variables, which nobody else can read. */
  readonly envFile: string;
}

export function localSecrets(stateFolder: string): LocalSecrets {
  const ownerKeyFile = join(stateFolder, 'owner-key');
  const hasState = existsSync(join(stateFolder, 'databases.json'));
  const ownerKey = kept(ownerKeyFile, /^bwl_owner_[\w-]{43}$/, () => {
    return `bwl_owner_${randomBytes(32).toString('base64url')}`;
  });
  const memoryKeyFile = join(stateFolder, 'memory-key');
  // Do not make a new key: with it, nobody could check what the lost one signed.
  if (hasState && !existsSync(memoryKeyFile)) throw damaged(memoryKeyFile, 'it is missing', stateFolder);
  const memoryKey = kept(memoryKeyFile, /^[A-Za-z0-9+/=]{40,}$/, () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  });
  const envFile = join(stateFolder, 'gateway.env');
  const hash = createHash('sha256').update(ownerKey.value).digest('hex');
  // Use a file, because every user of the computer can see a process's arguments.
  const own = `OWNER_KEY_HASH=${hash}\nMEMORY_KEY=${memoryKey.value}\n`;
  writeFileSync(envFile, own + serviceSettings(process.env), { mode: 0o600 });
  return { ownerKey: ownerKey.value, ownerKeyFile, isNew: ownerKey.isNew, envFile };
}

/** Reads a secret's file. Makes a new one if it is missing, and refuses one that holds no secret. */
function kept(path: string, shape: RegExp, make: () => string): { value: string; isNew: boolean } {
  const known = readIfThere(path)?.trim();
  if (known !== undefined && shape.test(known)) return { value: known, isNew: false };
  if (known !== undefined) throw damaged(path, 'it holds no key', dirname(path));
  const value = make();
  writeFileSync(path, `${value}\n`, { mode: 0o600 });
  return { value, isNew: true };
}
