import { randomUUID } from 'node:crypto';
import { isWithin } from '../../../src/core/clock.ts';
import type { Door } from '../../../src/core/invoke.ts';
import { gateDoor } from '../../../src/gate/gate-door.ts';
import { isAlive } from '../../lib/processes.ts';
import { isRealTerminal } from '../../lib/real-terminal.ts';
import { askHere } from './ask-here.ts';
import { type LocalGate, openLocalGate } from './local-gate.ts';

/** The door of a computer without a gateway, and the work that must end before the process may. */
interface LocalDoor extends Door {
  finish(): Promise<void>;
}

/**
 * Opens the gate in a home folder. With `asksHere`, the person at this terminal decides about waiting calls.
 * Otherwise they decide in another terminal, with `bowline approvals --local`.
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
    // The id names the process that makes the call, because only that process knows the outcome.
    newCallId: () => `call_${randomUUID()}.${process.pid}`,
    fate: async ({ contract }, { callId, at }) => {
      const maker = Number(callId.split('.')[1]);
      const mayRun = isAlive(maker) && isWithin(contract.limits.timeoutMs, at, Date.now());
      return { kind: mayRun ? 'running' : 'unknown' };
    },
    announce: async (approval, { contract }) => {
      if (asksHere && isRealTerminal(process.stderr)) return askHere(() => gate().now(), approval.code);
      console.error(
        `${contract.wireName} waits for you. In a terminal, run: bowline approvals approve ${approval.code} --local`,
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
