import {
  createRequestStateCodec,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { InputAnswers, Question } from '../core/call.ts';

/** The person asked and the subject. The state of a question is void anywhere else. */
export interface Asked {
  readonly principal: string;
  readonly about: string;
}

/**
 * Questions over several requests. A question ends the request, and its answers come with the next one. The client
 * keeps the state in between; a signature stops it from changing the state.
 */
export interface Rounds {
  ask(question: Question, asked: Asked): Promise<InputRequiredResult>;
  /** Gives the answers that this request brings, if any. */
  answersOf(ctx: ServerContext, asked: Asked): InputAnswers | undefined;
  /** Checks a state. The SDK calls it before any handler; if it throws, the request is refused. */
  readonly verify: RequestStateCodec['verify'];
}

interface Signed extends Asked {
  readonly state: string;
}

/** Signs with `key`. Without a key, questions cannot remember anything, and every state that comes in is refused. */
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
        // Use the same words as for a bad signature: nobody needs to know which of the two it was.
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
