import type { AnyContract } from '../../../contracts/contract.ts';
import type { FailureDetail } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/core/handler.ts';
import { errnoOf } from '../workspace/disk.ts';
import type { WorkspaceRefusal } from '../workspace/refusal.ts';
import { CHANGED } from '../workspace/write-file.ts';

/** The part of a call that can refuse it. A preview uses the same part, so that it refuses in the same words. */
export type Fails<C extends AnyContract> = Pick<Call<C>, 'fail'>;

/** The code of a failed write. Every contract of a write has these codes. */
interface WriteFailure {
  readonly code: 'file_exists' | 'permission_denied' | 'path_outside_root' | 'write_failed';
  readonly detail: FailureDetail;
}

/** Gives the code for a failed write. Rethrows an error that is not about the write. */
export function writeFailure(error: unknown, doing: string): WriteFailure {
  const code = errnoOf(error);
  if (error instanceof Error && error.name === 'AbortError') {
    return failed('write_failed', `${doing} - the call was cancelled`, 'Call again if you still want it.');
  }
  switch (code) {
    case 'EEXIST':
      return failed('file_exists', `${doing} - something of that name already exists`);
    case 'EACCES':
    case 'EPERM':
      return failed('permission_denied', `${doing} - permission denied`);
    case 'ESTALE':
      return failed('path_outside_root', `${doing} - its folder was replaced meanwhile`);
    case CHANGED:
    case 'ENOENT':
      return failed(
        'write_failed',
        `${doing} - it was changed by something else meanwhile`,
        'Read it again, then call again.',
      );
    default:
      if (code === undefined) throw error;
      return failed('write_failed', `${doing} - ${REASONS[code] ?? code}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EFBIG: 'the system allows no file so large',
  EIO: 'the disk reported an error',
};

function failed(code: WriteFailure['code'], message: string, suggestion?: string): WriteFailure {
  return { code, detail: { message, ...(suggestion === undefined ? {} : { suggestion }) } };
}

/** Puts the refusal of a path into the form that `fail` takes. */
export function detailOf({ message, suggestion }: WorkspaceRefusal): FailureDetail {
  return { message, ...(suggestion === undefined ? {} : { suggestion }) };
}
