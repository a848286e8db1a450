import * as z from 'zod';
import type { Reach } from '../../../src/gate/always.ts';
import type { Decision } from '../../../src/gate/messages.ts';
import { CliError } from '../../lib/exit.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { alwaysShape, approvalShape, type ShownApproval } from './approval-shape.ts';

const listShape = z.object({ approvals: z.array(approvalShape) });
const widthsShape = z.object({ widths: alwaysShape });
const decidedShape = z.looseObject({
  state: z.string(),
  rule: z.string().optional(),
  outcome: z.string().optional(),
});

/** The result of a decision. */
export type Decided = z.output<typeof decidedShape>;

/** The place to see and decide approvals: a gateway, or this computer. */
export interface Desk {
  list(state?: 'pending'): Promise<readonly ShownApproval[]>;
  /** Gives one in full, with what came before it and how far "always" could reach. */
  one(code: string): Promise<ShownApproval>;
  /** Throws a `CliError` if that is not possible. */
  decide(code: string, decision: Decision, more?: Word): Promise<Decided>;
}

/** The additions to a decision: a sentence with a no, a reach with "always". */
export interface Word extends Partial<Reach> {
  readonly note?: string;
}

/** Opens the approvals of a gateway, for the owner who is signed in there. */
export function deskAt(owner: Pick<OwnerSession, 'call'>, signal?: AbortSignal): Desk {
  const one = (code: string) => `approvals/${encodeURIComponent(code)}`;
  return {
    list: async (state) => {
      const path = state === undefined ? 'approvals' : `approvals?state=${state}`;
      return understood(listShape, await owner.call('GET', path)).approvals;
    },
    one: async (code) => {
      const approval = understood(approvalShape, await owner.call('GET', one(code), undefined, signal));
      if (approval.state !== 'pending') return approval;
      const { widths } = understood(
        widthsShape,
        await owner.call('GET', `${one(code)}/always`, undefined, signal),
      );
      return { ...approval, always: widths };
    },
    decide: async (code, decision, more) =>
      understood(decidedShape, await owner.call('POST', one(code), { decision, ...more })),
  };
}

function understood<T>(shape: z.ZodType<T>, answer: unknown): T {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new CliError('The gateway answered in a way this version does not understand.');
}
