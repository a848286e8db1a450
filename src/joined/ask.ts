import type { AnyContract } from '../../contracts/contract.ts';
import { askErrors } from '../../contracts/host.ts';
import type { Caller, Result } from '../core/call.ts';
import { doorFailure, type Failure, failureOf } from '../core/failure.ts';
import type { ToolSet } from '../core/tools.ts';
import type { Chat } from '../language/chat.ts';
import { isOff, type JoinedOffer, NOTHING_JOINED } from './joined-offer.ts';
import { isJoinedName } from './names.ts';
import { planFor } from './plan.ts';
import { type Summary, summarise } from './summary.ts';

/** The answer to a question. */
export interface Answer {
  readonly question: string;
  /** The one tool that was used, with its arguments; `null` if none was. */
  readonly call: { readonly tool: string; readonly arguments: unknown } | null;
  /** Why no tool was used, in the model's own words. */
  readonly why: string | null;
  /** The tool's answer, in the form of its schema. */
  readonly result: unknown;
  readonly summary: Summary | null;
  /** The number of summary bullets that were left out because the result had no evidence for them. */
  readonly dropped_bullets: number;
  /** The things that were asked for and not given. */
  readonly notes: readonly string[];
}

/** Why a question has no answer. Counts the tools asked for, if that was the problem. */
export interface NoAnswer {
  readonly failure: Failure;
  readonly refused_tools: number;
}

export interface AskPorts {
  readonly tools: ToolSet;
  readonly joined?: JoinedOffer | undefined;
  /** `undefined` until a language model is set. */
  readonly chat: Chat | undefined;
}

/** Tells which of Bowline's own tools a question may use: only those that read. Joined tools follow their own rules. */
export function isAskable(contract: AnyContract, caller: Caller): boolean {
  const isOffered = isJoinedName(contract.wireName) || contract.risk === 'read_only';
  return isOffered && caller.scopes.has(contract.scope);
}

/** Answers a question with at most one tool call, through the same door as any other call. */
export async function ask(
  question: string,
  wantsSummary: boolean,
  caller: Caller,
  { tools, joined, chat }: AskPorts,
): Promise<Answer | NoAnswer> {
  if (!chat) return { failure: failureOf('not_configured', askErrors.not_configured), refused_tools: 0 };
  const list = (await joined?.list()) ?? NOTHING_JOINED;
  const all = new Map([...list.tools, ...tools]);
  const allowed = [...all.values()].filter(
    ({ contract }) => isAskable(contract, caller) && !isOff(contract, list),
  );
  const contracts = allowed.map(({ contract }) => contract);
  const plan = await planFor(question, contracts, chat, caller.signal);
  if (plan.kind === 'refused') {
    return { failure: plan.failure, refused_tools: plan.wanted };
  }
  const nothing = { question, call: null, result: null, summary: null, dropped_bullets: 0, notes: [] };
  if (plan.kind === 'none') return { ...nothing, why: plan.why };
  const tool = all.get(plan.contract.wireName);
  if (!tool) throw new Error('A tool of the list is gone from it.');
  const result: Result = await tool.call(plan.args, caller);
  if (result.kind === 'needs_input') return { failure: doorFailure('approval_required'), refused_tools: 0 };
  // Pass an unreadable result on as it came; no model gets to see it.
  if (result.kind === 'failed') return { failure: result.failure, refused_tools: 0 };
  const answer: Answer = {
    ...nothing,
    call: { tool: plan.contract.wireName, arguments: plan.args },
    why: null,
    result: result.output,
  };
  if (!wantsSummary) return answer;
  const summed = await summarise(question, sourceOf(result.output), chat, caller.signal);
  if ('problem' in summed) return { ...answer, notes: [`There is no summary: ${summed.problem}`] };
  const { summary, dropped } = summed;
  const notes =
    dropped > 0
      ? [
          `${dropped} of ${dropped + summary.bullets.length} bullets were dropped: their evidence is not in the result.`,
        ]
      : [];
  return { ...answer, summary, dropped_bullets: dropped, notes };
}

/** Gives the text in which evidence must stand: every string and number of a result, without JSON's quotes. */
export function sourceOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return output.map(sourceOf).join('\n');
  if (typeof output === 'object' && output !== null) {
    return Object.entries(output)
      .map(([key, value]) => `${key}: ${sourceOf(value)}`)
      .join('\n');
  }
  return String(output);
}
