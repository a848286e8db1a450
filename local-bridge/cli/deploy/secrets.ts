import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';

/** Secrets to set, and those of them to show to the owner once. */
interface NewSecrets {
  readonly values: Readonly<Record<string, string>>;
  readonly ownerKey?: string;
  readonly webhookSecret?: string;
}

export interface Wanted {
  /** Names of the secrets that are set already. */
  readonly there: readonly string[];
  /** True to make a new owner key although there is one. */
  readonly newOwnerKey: boolean;
  readonly github: boolean;
}

/** Makes the missing secrets. An existing memory key stays, because otherwise nobody could verify what it signed. */
export function missingSecrets({ there, newOwnerKey, github }: Wanted): NewSecrets {
  const lacks = (name: string) => !there.includes(name);
  const ownerKey =
    newOwnerKey || lacks('OWNER_KEY_HASH') ? `bwl_owner_${randomBytes(32).toString('base64url')}` : undefined;
  const webhookSecret =
    github && lacks('GITHUB_WEBHOOK_SECRET') ? randomBytes(32).toString('hex') : undefined;
  return {
    values: {
      ...(ownerKey ? { OWNER_KEY_HASH: createHash('sha256').update(ownerKey).digest('hex') } : {}),
      ...(lacks('MEMORY_KEY') ? { MEMORY_KEY: memoryKey() } : {}),
      ...(webhookSecret ? { GITHUB_WEBHOOK_SECRET: webhookSecret } : {}),
    },
    ...(ownerKey ? { ownerKey } : {}),
    ...(webhookSecret ? { webhookSecret } : {}),
  };
}

function memoryKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}
