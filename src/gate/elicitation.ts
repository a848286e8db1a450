import type { Caller, Question } from '../core/call.ts';
import type { OpenApproval } from './messages.ts';

/** The key under which the question goes out and its answer comes back. */
const QUESTION = 'approval';

/**
 * The question to put to the person at the client, if that client can and has not been asked yet.
 * It leads them to the page where the owner decides; answering it decides nothing.
 */
export function askThroughClient(
  caller: Caller,
  approval: OpenApproval,
  origin: string,
): Question | undefined {
  const { askable, answers } = caller;
  if (answers || !askable) return undefined;
  const state = approval.id;
  if (askable.url) {
    return {
      kind: 'needs_input',
      requests: {
        [QUESTION]: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            elicitationId: approval.id,
            url: `${origin}/approvals/${approval.code}`,
            message: `Decide about ${approval.code} on this page of your Bowline.`,
          },
        },
      },
      state,
    };
  }
  if (!askable.form) return undefined;
  return {
    kind: 'needs_input',
    requests: {
      [QUESTION]: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: `Decide about ${approval.code} in Bowline (${origin}/approvals/${approval.code}), then continue. Continuing here approves nothing by itself.`,
          requestedSchema: { type: 'object', properties: {} },
        },
      },
    },
    state,
  };
}

/** Whether the person at the client said no. A yes there is worth nothing, a no is. */
export function declined(caller: Caller): boolean {
  const { responses = {} } = caller.answers ?? {};
  const answer = Object.hasOwn(responses, QUESTION) ? responses[QUESTION] : undefined;
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'decline';
}
