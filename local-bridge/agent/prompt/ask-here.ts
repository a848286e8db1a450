import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { callView } from '../../../src/gate/approval-view.ts';
import type { ShownPreview } from '../../../src/gate/messages.ts';
import type { SaidHere } from '../policy/door.ts';
import { approvalQuestion } from './approval-question.ts';
import type { Prompt } from './questions.ts';

/** The time that a call may wait. Somebody who comes later is asked by the next call. */
const HERE_MS = 5 * 60_000;

/** Asks the person at this machine about a call. They can say yes or no, but nothing for later calls. */
export function askHere(
  { callId, contract, caller, params, root, reason }: PreparedCall,
  shown: ShownPreview,
  machine: string,
  prompt: Pick<Prompt, 'put' | 'withdraw'>,
): Promise<SaidHere> {
  const call = callView({
    ...{ tool: contract.wireName, machine, root: root?.name ?? null, risk: contract.risk },
    ...{ client: caller.client, reason: reason ?? null, args: params, shown },
  });
  const { promise, resolve } = Promise.withResolvers<SaidHere>();
  const end = (said: SaidHere, why: string) => {
    resolve(said);
    prompt.withdraw(callId, why);
  };
  const gone = () => end({ said: 'no' }, 'The call was cancelled.');
  const timer = setTimeout(() => end({ said: 'nobody' }, 'Nobody answered in time.'), HERE_MS);
  // A waiting call must not keep a bridge running that was told to stop.
  timer.unref();
  caller.signal?.addEventListener('abort', gone, { once: true });
  prompt.put(
    approvalQuestion(call, {
      id: callId,
      about: `This machine asks too. ${visibleLine(caller.client, 60)} wants this here:`,
      answers: ['approve', 'deny'],
      decide: async (answer, note) => {
        if (answer === 'approve') resolve({ said: 'yes' });
        else resolve(note === '' ? { said: 'no' } : { said: 'no', note });
        return { said: answer === 'approve' ? '✓ It runs.' : '✓ Denied.' };
      },
    }),
  );
  if (caller.signal?.aborted) gone();
  return promise.finally(() => {
    clearTimeout(timer);
    caller.signal?.removeEventListener('abort', gone);
  });
}
