import {
  createRequestStateCodec,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { InputAnswers, Question } from '../core/call.ts';

/** Who is asked and about what. The state of a question is worth nothing anywhere else. */
export interface Asked {
  readonly principal: string;
  readonly about: string;
}

/**
 * A question ends the request, and its answers come with the next one. What has to be remembered in
 * between is kept by the client, signed so that it cannot be changed there.
 */
export interface Rounds {
  ask(question: Question, asked: Asked): Promise<InputRequiredResult>;
  /** What this request answers, if it answers anything. */
  answersOf(ctx: ServerContext, asked: Asked): InputAnswers | undefined;
  /** Called by the SDK before any handler; what it throws refuses the request. */
  readonly verify: RequestStateCodec['verify'];
}

interface Signed extends Asked {
  readonly state: string;
}

/** Signs with `key`. Without one, questions cannot remember anything and every state sent in is refused. */
export function roundsSignedWith(key: string | undefined): Rounds {
  const codec = key === undefined ? undefined : createRequestStateCodec<Signed>({ key });
  return {
    async ask({ requests, state }, asked) {
      const result = { resultType: 'input_required', inputRequests: requests } as const;
      if (state === undefined) return result;
      if (!codec) throw new Error(`${asked.about} asks with a state, but there is no key to sign it with`);
      return { ...result, requestState: await codec.mint({ ...asked, state }) };
    },
    answersOf({ mcpReq }, asked) {
      const signed = mcpReq.requestState<Signed>();
      if (signed && (signed.principal !== asked.principal || signed.about !== asked.about)) {
        // The same words as for a bad signature: which of the two it was is nobody's business.
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
      }
      if (!signed && !mcpReq.inputResponses) return undefined;
      return { responses: mcpReq.inputResponses ?? {}, ...(signed ? { state: signed.state } : {}) };
    },
    async verify(text, ctx) {
      if (!codec) throw new Error('no state was ever given out here');
      return codec.verify(text, ctx);
    },
  };
}
