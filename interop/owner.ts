import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { signInAsOwner } from '../local-bridge/lib/owner-client.ts';
import { openLocalGate } from '../local-bridge/local/gate/local-gate.ts';

const listShape = z.object({ approvals: z.array(z.object({ code: z.string(), full: z.string() })) });
const LOOK_EVERY_MS = 200;

/** The person whose yes it takes. */
export interface Owner {
  /** The code of the call that waits with this in its arguments, once there is one. */
  codeOf(text: string): Promise<string>;
  /** Waits until no call waits with this in its arguments. */
  untilGone(text: string): Promise<void>;
  decide(code: string, decision: 'approve' | 'deny'): Promise<void>;
  leave(): Promise<void>;
}

export async function ownerOfGateway(url: string, key: string): Promise<Owner> {
  const session = await signInAsOwner(url, key);
  const list = async () => listShape.parse(await session.call('GET', 'approvals?state=pending')).approvals;
  return {
    codeOf: (text) => untilFound(text, list),
    untilGone: (text) => untilGone(text, list),
    decide: async (code, decision) => void (await session.call('POST', `approvals/${code}`, { decision })),
    leave: () => session.signOut(),
  };
}

/** Of the calls that come over stdio, which this computer's own gate decides about. */
export async function ownerOfComputer(home: string): Promise<Owner> {
  const gate = openLocalGate(home);
  const list = async () => gate.now().approvals('pending');
  return {
    codeOf: (text) => untilFound(text, list),
    untilGone: (text) => untilGone(text, list),
    decide: async (code, decision) => {
      const answer = gate.now().decide(code, decision, 'interop', true);
      if ('message' in answer) throw new Error(answer.message);
    },
    leave: async () => gate.close(),
  };
}

type List = () => Promise<readonly { readonly code: string; readonly full: string }[]>;

/** Every step of the walk has its time, which ends this as well. */
async function untilFound(text: string, list: List): Promise<string> {
  for (;;) {
    const found = (await list()).find(({ full }) => full.includes(text));
    if (found) return found.code;
    await wait(LOOK_EVERY_MS);
  }
}

async function untilGone(text: string, list: List): Promise<void> {
  while ((await list()).some(({ full }) => full.includes(text))) await wait(LOOK_EVERY_MS);
}
