import { sha256 } from '../core/call-digest.ts';
import { canonicalJson } from '../core/json.ts';
import type { Ending } from '../gate/messages.ts';

/** The changes that a switch brought to readers of the earlier commit. */
export interface Switched {
  /** Files whose content changed or went. */
  readonly changed: readonly string[];
  /** True if files were added or removed. */
  readonly listChanged: boolean;
}

/** The pusher. */
export interface Pusher {
  readonly principal: string;
  /** The name that is shown. */
  readonly by: string;
}

/** A push, as the ledger describes it. */
export interface PushSaid {
  readonly commit?: string | undefined;
  readonly branch?: string | null | undefined;
  readonly base?: string | null | undefined;
  /** The number of files in the mirror, or of those that a refused push named. */
  readonly files?: number | undefined;
  /** The path for which it was refused. */
  readonly path?: string | undefined;
}

/** The name of pushes in the ledger. */
export const PUSH = 'mirror_push';

const MAX_PATH_CHARS = 300;

/** Makes the ledger's entry for a push. `code` is the reason for a refusal. */
export function pushRecord({ principal, by }: Pusher, said: PushSaid, code: string | null): Ending {
  const { commit, branch, base, files, path } = said;
  const args = canonicalJson({
    ...(commit === undefined ? {} : { commit }),
    ...(branch === undefined ? {} : { branch }),
    ...(base === undefined ? {} : { base }),
    ...(files === undefined ? {} : { files }),
    ...(path === undefined ? {} : { path: path.slice(0, MAX_PATH_CHARS).toWellFormed() }),
  });
  return {
    ...(code === null ? { allowed: 'pushes are let in by scope' } : {}),
    call: {
      callId: `call_${crypto.randomUUID()}`,
      principal,
      client: by,
      via: 'mirror',
      tool: PUSH,
      machine: null,
      machineId: null,
      root: null,
      shown: { why: 'A push has no preview.' },
      risk: 'safe_write',
      approval: 'never',
      perMinute: 0,
      digest: sha256(args),
      args: '',
      shownArgs: args,
      idempotencyKey: null,
      requestName: null,
      voidedUpTo: 0,
      retryOf: null,
    },
    end: { at: Date.now(), outcome: code === null ? 'ok' : 'failed', code, bytes: 0, result: null },
  };
}
