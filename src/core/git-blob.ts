import { createHash } from 'node:crypto';

/** Git's name for a file's content: 40 hex digits, or 64 in a repo that hashes with SHA-256. */
export const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Gives git's name for this content, by the hash that the expected name uses. */
export function blobSha(bytes: Uint8Array, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
}

/** File modes of git. Symbolic links and submodules are listed but never read. */
export const MODES = ['100644', '100755', '120000', '160000'] as const;

export type Mode = (typeof MODES)[number];

/** The largest file that is kept. Nothing reads a larger one. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** Tells whether the mirror keeps a file's content. */
export function hasContent({ mode, size }: { readonly mode: string; readonly size: number }): boolean {
  return mode.startsWith('100') && size <= MAX_FILE_BYTES;
}

/** Recognises the small text that stands in a repo for a file in Git LFS. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.byteLength < 1024 && Buffer.from(bytes).toString('latin1').startsWith(LFS);
}

const LFS = 'version https://git-lfs.github.com/spec/v1\n';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Gives a file's text, or `undefined` if it is not UTF-8 text. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
