import { findSecrets } from './find-secrets.ts';
import { CERTAIN_SECRET, SECRET_RULES } from './secret-rules.ts';

/** A place in a file that looks like a secret. It never holds the secret itself. */
export interface SecretFound {
  readonly path: string;
  readonly line: number;
  /** The kind of secret. The owner allows a place by its path and kind. */
  readonly rule: string;
}

/** The kinds that stop a push. */
export const CERTAIN_KINDS: ReadonlySet<string> = new Set(
  SECRET_RULES.filter(({ certain }) => certain).map(({ kind }) => kind),
);

const MAX_FOUND_IN_A_FILE = 20;

/** Looks for secrets in any file, as text of one byte per character and of two. */
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

/** Tells whether the owner listed this place as harmless: `path:rule`. */
export function isAllowedSecret({ path, rule }: SecretFound, allowed: readonly string[]): boolean {
  return allowed.includes(`${path}:${rule}`);
}
