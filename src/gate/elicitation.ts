import type { InputAnswers, Question } from '../core/call.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import { sentenceOf } from './approval-sentence.ts';
import type { OpenApproval } from './messages.ts';

/** The key of the question, and of its answer. */
const QUESTION = 'approval';

/**
 * Makes the question for the person at the client, if that client can ask and has not asked yet. It leads
 * them to the page where the owner decides. Their answer decides nothing.
 */
export function askThroughClient(
  call: PreparedCall,
  approval: OpenApproval,
  origin: string,
): Question | undefined {
  const { askable, answers } = call.caller;
  if (answers || !askable) return undefined;
  const state = approval.id;
  const address = pageOf(approval, origin);
  if (askable.url) {
    const message = `${subjectOf(call)}\nDecide about ${approval.code} on this page of your Bowline.`;
    // The SDK's type wants an `elicitationId`. Only the 2025 protocols have one, and theirs is added with the question.
    const page = {
      method: 'elicitation/create',
      params: { mode: 'url', url: address, message },
    } as PageRequest;
    return { kind: 'needs_input', requests: { [QUESTION]: page }, state };
  }
  if (!askable.form) return undefined;
  const message = `${subjectOf(call)}\nDecide about ${approval.code} in Bowline (${address}), then continue. Continuing here approves nothing by itself.`;
  const requestedSchema = { type: 'object' as const, properties: {} };
  const form = {
    method: 'elicitation/create' as const,
    params: { mode: 'form' as const, message, requestedSchema },
  };
  return { kind: 'needs_input', requests: { [QUESTION]: form }, state };
}

type PageRequest = Question['requests'][string];

/** Gives the address where the owner decides about an approval. */
export function pageOf({ code }: Pick<OpenApproval, 'code'>, origin: string): string {
  return `${origin}/approvals/${code}`;
}

/** Says in one line which tool would do what and where. What a model wrote comes last, so it cannot pass for the rest. */
function subjectOf({ contract, caller, machine, root, params }: PreparedCall): string {
  const tool = contract.wireName;
  const { what, where } = sentenceOf({
    client: caller.client,
    tool,
    machine: machine?.name ?? null,
    root: root?.name ?? null,
    args: params,
  });
  return `${tool}${where}${what === tool ? '' : `: ${what}`}`;
}

/** Tells if the client declined to lead its person to the owner's page. */
export function declined(responses: InputAnswers['responses'] = {}): boolean {
  const answer = Object.hasOwn(responses, QUESTION) ? responses[QUESTION] : undefined;
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'decline';
}
