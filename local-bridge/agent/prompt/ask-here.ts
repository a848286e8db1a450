import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import { visible } from '../../../src/core/visible.ts';
import { approvalText } from '../../../src/gate/approval-text.ts';
import type { SaidHere } from '../policy/door.ts';
import type { Prompt } from './questions.ts';

/** As long as a call is worth waiting for; somebody who comes later is asked again by the next one. */
export const HERE_MS = 5 * 60_000;

/** Puts a call to whoever sits at this machine; they can say yes or no, and nothing for later. */
export function askHere(
  { callId, contract, caller, params, root }: PreparedCall,
  machine: string,
  prompt: Pick<Prompt, 'put' | 'withdraw'>,
): Promise<SaidHere> {
  const { text, full } = approvalText({
    ...{ tool: contract.wireName, machine, root: root?.name ?? null, risk: contract.risk, args: params },
  });
  const { promise, resolve } = Promise.withResolvers<SaidHere>();
  const end = (said: SaidHere, why: string) => {
    resolve(said);
    prompt.withdraw(callId, why);
  };
  const gone = () => end('no', 'The call was cancelled.');
  const timer = setTimeout(() => end('nobody', 'Nobody answered in time.'), HERE_MS);
  // A call that waits must not keep a bridge alive that was told to stop.
  timer.unref();
  caller.signal?.addEventListener('abort', gone, { once: true });
  prompt.put({
    id: callId,
    about: `This machine asks too. ${visible(caller.client, 60).replace(/\s/g, ' ')} wants this here:`,
    text: withoutAlways(text),
    full: withoutAlways(full),
    answers: ['approve', 'deny'],
    decide: async (answer) => {
      const yes = answer === 'approve';
      resolve(yes ? 'yes' : 'no');
      return yes ? '✓ It runs.' : '✓ Refused.';
    },
  });
  if (caller.signal?.aborted) gone();
  return promise.finally(() => {
    clearTimeout(timer);
    caller.signal?.removeEventListener('abort', gone);
  });
}

/** "Always" belongs to the gate's rules; a machine's own policy is in its settings file. */
export function withoutAlways(text: string): string {
  return text.replace(/\(y\/n\/always\):$/, '(y/n):');
}
