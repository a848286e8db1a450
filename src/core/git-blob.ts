import { createHash } from 'node:crypto';

/** What git calls a file's content: 40 hex digits, or 64 in a repo that hashes with SHA-256. */
export const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The name git gives to this content, hashed the way the expected name was. */
export function blobSha(bytes: Uint8Array, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
}

/** Modes of git's that are plain files. A symbolic link and a submodule are listed and never read. */
export const MODES = ['100644', '100755', '120000', '160000'] as const;

export type Mode = (typeof MODES)[number];

/** The largest file whose content is kept, since no larger one can be read. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** Whether a file's content belongs into the mirror. */
export function hasContent({ mode, size }: { readonly mode: string; readonly size: number }): boolean {
  return mode.startsWith('100') && size <= MAX_FILE_BYTES;
}

/** What stands in the repo for a file that Git LFS keeps elsewhere. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.byteLength < 1024 && Buffer.from(bytes).toString('latin1').startsWith(LFS);
}

const LFS = 'version https://git-lfs.github.com/spec/v1\n';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A file's text, or `undefined` if it is none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
