import type { Caller, Question } from '../core/call.ts';
import type { OpenApproval } from './messages.ts';

/** The key of the question, and of its answer. */
const QUESTION = 'approval';

/**
 * Makes the question for the person at the client, if that client can ask and has not asked yet. It leads
 * them to the page where the owner decides. Their answer decides nothing.
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

/** Tells if the client declined to lead its person to the owner's page. */
export function declined(caller: Caller): boolean {
  const { responses = {} } = caller.answers ?? {};
  const answer = Object.hasOwn(responses, QUESTION) ? responses[QUESTION] : undefined;
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'decline';
}
