import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The owner key of a local gateway: made once, kept in its state folder for its owner alone to read. */
export function localOwnerKey(stateFolder: string): { key: string; hash: string; isNew: boolean } {
  const path = join(stateFolder, 'owner-key');
  const known = read(path);
  const key = known ?? `bwl_owner_${randomBytes(32).toString('base64url')}`;
  if (!known) writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return { key, hash: createHash('sha256').update(key).digest('hex'), isNew: !known };
}

function read(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return /^bwl_owner_[\w-]{43}$/.test(text) ? text : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
