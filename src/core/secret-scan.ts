import { findSecrets } from './find-secrets.ts';
import { CERTAIN_SECRET, SECRET_RULES } from './secret-rules.ts';

/** A place in a file where something looks like a secret. The secret itself is never kept. */
export interface SecretFound {
  readonly path: string;
  readonly line: number;
  /** The kind of secret, by which the place can be allowed. */
  readonly rule: string;
}

/** The kinds that stop a push. */
export const CERTAIN_KINDS: ReadonlySet<string> = new Set(
  SECRET_RULES.filter(({ certain }) => certain).map(({ kind }) => kind),
);

const MAX_FOUND_IN_A_FILE = 20;

/** Looks for secrets in a file, whatever it is: in text of one byte a character and in text of two. */
export function secretsIn(path: string, bytes: Uint8Array): SecretFound[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const read = text.includes('\0') ? text.replaceAll('\0', '') : text;
  let line = 1;
  let at = 0;
  return findSecrets(read, CERTAIN_SECRET, MAX_FOUND_IN_A_FILE).map(({ kind, start }) => {
    for (let end = read.indexOf('\n', at); end >= 0 && end < start; end = read.indexOf('\n', at)) {
      line += 1;
      at = end + 1;
    }
    return { path, line, rule: kind };
  });
}

/** Whether the owner named this place as one that is no secret: `path:rule`. */
export function isAllowedSecret({ path, rule }: SecretFound, allowed: readonly string[]): boolean {
  return allowed.includes(`${path}:${rule}`);
}
