import type { WhichLoans } from '../gate/loans.ts';

/** The objects that know what was lent, and what waits for it. */
interface LoanObjects {
  gate(): {
    endLoans(which: WhichLoans): Promise<{
      readonly count: number;
      readonly sends: readonly { readonly callId: string; readonly machineId: string }[];
    }>;
  };
  machine(id: string): { cancelAll(ids: string[]): Promise<unknown> };
}

/**
 * Ends loans, and cancels what they let in and no machine has typed yet. Gives how many ended. Somebody who is told that this
 * failed can do it again: the gate names such calls until they have ended.
 */
export async function takeBackLoans(which: WhichLoans, { gate, machine }: LoanObjects): Promise<number> {
  const { count, sends } = await gate().endLoans(which);
  // One message for each machine: the platform lets a request send no more than a thousand.
  const byMachine = Map.groupBy(sends, ({ machineId }) => machineId);
  const cancelled = await Promise.allSettled(
    Array.from(byMachine, ([id, calls]) => machine(id).cancelAll(calls.map(({ callId }) => callId))),
  );
  for (const one of cancelled) if (one.status === 'rejected') throw one.reason;
  return count;
}
