import { readRepoFile } from '../../contracts/repo.ts';
import type { FailureDetail } from '../core/failure.ts';
import { MAX_FILE_BYTES } from '../core/git-blob.ts';
import { isNeverReadable, isReadable, OPEN_BY_DEFAULT } from '../core/path-policy.ts';
import type { Mirror } from './mirror-port.ts';

/** A file that was read, or why it was not, in the terms of `read_repo_file`. */
export type MirroredRead =
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      readonly modified: number;
      readonly commit: string;
    }
  | {
      readonly kind: 'refused';
      readonly code: 'path_denied' | 'nothing_mirrored' | 'file_not_found' | 'file_too_large';
      readonly detail: FailureDetail;
    };

/** Reads a file of the mirrored commit, with one question to the object and one to the bucket. */
export async function readMirrored(mirror: Mirror, path: string): Promise<MirroredRead> {
  if (isNeverReadable(path)) return refused('path_denied', `${path} is not open for reading.`);
  const found = await mirror.stub().locate(path);
  if (!isReadable(path, { open: found?.open ?? OPEN_BY_DEFAULT }))
    return refused('path_denied', `${path} is not open for reading.`);
  if (!found) return refused('nothing_mirrored');
  const { file, commit } = found;
  if (!file) return refused('file_not_found', `${path} is not in the mirrored commit ${commit.slice(0, 7)}.`);
  if (file.mode === '120000') {
    return refused('file_not_found', `${path} is a symbolic link, and links are not followed.`);
  }
  if (file.mode === '160000') {
    return refused('file_not_found', `${path} is a submodule: its files are in a repo of their own.`);
  }
  if (file.size > MAX_FILE_BYTES) {
    return refused('file_too_large', `${path} is ${file.size} bytes, more than 1 MB.`);
  }
  const bytes = await mirror.content(file.sha);
  if (!bytes) {
    return refused('file_not_found', {
      message: `The content of ${path} is missing from the mirror's storage.`,
      suggestion: 'Push it again with `bowline mirror push --full`.',
    });
  }
  return { kind: 'file', bytes, modified: file.modified, commit };
}

const LINK = 'a symbolic link, which is not followed';
const SUBMODULE = 'a submodule, whose files are in a repo of their own';

/** Tells by its note whether a listed file has a content of its own. */
export function isEntered({ note }: { readonly note?: string | undefined }): boolean {
  return note !== LINK && note !== SUBMODULE;
}

/** Says why `read_repo_file` cannot take a name, or what else a reader should know of a listed file. */
export function noteOn(file: {
  readonly path: string;
  readonly mode: string;
  readonly size: number;
  readonly collides: boolean;
}): string | undefined {
  if (file.mode === '120000') return LINK;
  if (file.mode === '160000') return SUBMODULE;
  if (file.size > MAX_FILE_BYTES) return 'over 1 MB, too large to read';
  if (!readRepoFile.input.shape.path.safeParse(file.path).success)
    return 'its name holds characters that `read_repo_file` does not take; read it with `fetch` and `repo:` before the path';
  if (file.collides) return 'another file differs from it only in upper and lower case';
  return undefined;
}

function refused(
  code: Extract<MirroredRead, { kind: 'refused' }>['code'],
  said: string | FailureDetail = {},
): MirroredRead {
  return { kind: 'refused', code, detail: typeof said === 'string' ? { message: said } : said };
}
