import { createHmac, timingSafeEqual } from 'node:crypto';

/** A call that its caller follows: by the approval that it waits for, or by its own id once a machine has it. */
export interface FollowedBy {
  readonly kind: 'approval' | 'call';
  readonly id: string;
  readonly createdAt: number;
}

/**
 * The names of tasks. A name carries what it stands for under a signature for one principal, so that nothing is stored for
 * it, and a name that somebody made up, or took from somebody else, costs no look at any store.
 */
interface TaskIds {
  name(principal: string, followed: FollowedBy): string;
  /** Gives what a name stands for, or `undefined` if it was not given to this principal. */
  read(principal: string, taskId: string): FollowedBy | undefined;
}

const KINDS = { approval: 'a', call: 'c' } as const;
const SHAPE = /^([ac])~([\w-]{1,128})~([0-9a-z]{1,11})~([\w-]{43})$/;

/** Makes names that only the holder of the key can make. */
export function taskIdsSignedWith(key: string): TaskIds {
  const signed = (principal: string, said: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['mcp-task', principal, said]))
      .digest('base64url');
  return {
    name: (principal, { kind, id, createdAt }) => {
      const said = `${KINDS[kind]}~${id}~${createdAt.toString(36)}`;
      return `${said}~${signed(principal, said)}`;
    },
    read: (principal, taskId) => {
      const [, letter, id, at, mac] = SHAPE.exec(taskId) ?? [];
      if (id === undefined || at === undefined || mac === undefined) return undefined;
      const right = signed(principal, `${letter}~${id}~${at}`);
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(right))) return undefined;
      return {
        kind: letter === KINDS.approval ? 'approval' : 'call',
        id,
        createdAt: Number.parseInt(at, 36),
      };
    },
  };
}
