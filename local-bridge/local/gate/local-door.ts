import { randomUUID } from 'node:crypto';
import type { Door } from '../../../src/core/invoke.ts';
import { gateDoor } from '../../../src/gate/gate-door.ts';
import { isRealTerminal } from '../../agent/prompt/terminal.ts';
import { isAlive } from '../../lib/processes.ts';
import { askHere } from './ask-here.ts';
import { type LocalGate, openLocalGate } from './local-gate.ts';

/** The door of a computer that works without a gateway, and what has to be waited for before the process may end. */
export interface LocalDoor extends Door {
  finish(): Promise<void>;
}

/**
 * Opens the gate in a home folder. `asksHere` puts waiting calls to the person at this terminal; otherwise
 * they decide in another one, with `bowline approvals --local`.
 */
export function localDoor(
  home: string,
  { asksHere, place }: { readonly asksHere: boolean; readonly place: Door['place'] },
): LocalDoor {
  let opened: LocalGate | undefined;
  const gate = () => {
    opened ??= openLocalGate(home);
    return opened;
  };
  const unfinished = new Set<Promise<unknown>>();
  const later = (work: Promise<unknown>) => {
    const tracked = work.finally(() => unfinished.delete(tracked));
    unfinished.add(tracked);
  };
  const report = (error: unknown, where: string) => console.error(`[${where}]`, error);
  const door = gateDoor({
    gate,
    place,
    later,
    report,
    // The id says which process makes the call: nobody else knows what came of it.
    newCallId: () => `call_${randomUUID()}.${process.pid}`,
    fate: async ({ contract }, { callId, at }) => {
      const maker = Number(callId.split('.')[1]);
      const mayRun = isAlive(maker) && Date.now() - at < contract.limits.timeoutMs;
      return { kind: mayRun ? 'running' : 'unknown' };
    },
    announce: async (approval, { contract }) => {
      if (asksHere && isRealTerminal(process.stderr)) return askHere(() => gate().now(), approval.code);
      console.error(
        `${contract.wireName} waits for you: \`bowline approvals approve ${approval.code} --local\` in a terminal.`,
      );
    },
  });
  return {
    ...door,
    finish: async () => {
      while (unfinished.size > 0) await Promise.all(unfinished);
      opened?.close();
    },
  };
}
