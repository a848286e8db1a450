import { sha256 } from '../core/call-digest.ts';
import { canonicalJson } from '../core/json.ts';
import type { Ending } from '../gate/messages.ts';

/** What readers of the commit before have to look at again. */
export interface Switched {
  /** Files whose content is another now, or gone. */
  readonly changed: readonly string[];
  /** Whether there are files that were not there, or no longer some that were. */
  readonly listChanged: boolean;
}

/** Who pushes. */
export interface Pusher {
  readonly principal: string;
  /** The name that is shown. */
  readonly by: string;
}

/** What the ledger says of a push. */
export interface PushSaid {
  readonly commit?: string | undefined;
  readonly branch?: string | null | undefined;
  readonly base?: string | null | undefined;
  /** Files of the mirror, or of a push that was refused those that it named. */
  readonly files?: number | undefined;
  /** The path that it was refused for. */
  readonly path?: string | undefined;
}

/** The name under which pushes stand in the ledger. */
export const PUSH = 'mirror_push';

const MAX_PATH_CHARS = 300;

/** A push as an entry of the ledger; `code` is why it was refused. */
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
