import type { Door } from '../core/invoke.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import type { AdmitPort } from './admit-queue.ts';
import type { EarlierPorts } from './earlier-answer.ts';
import type { Ending, OpenApproval } from './messages.ts';

/** What the door asks of the gate's object, by one hop each. */
export interface GatePort extends AdmitPort {
  settle(endings: Ending[]): Promise<void>;
  /** Waits, up to a time, for the owner to decide. */
  awaitDecision(approvalId: string, ms: number): Promise<void>;
  /** The caller's own no. */
  decline(approvalId: string, principal: string): Promise<void>;
}

export interface GateDoorPorts {
  gate(): GatePort;
  /** The gateway's origin, where approvals have their pages; without a gateway there are none. */
  readonly origin?: string;
  newCallId(): string;
  readonly place: Door['place'];
  /** Lets work go on after the answer has left. */
  later(work: Promise<unknown>): void;
  /** Tells the owner of an approval that was just opened. */
  announce(approval: OpenApproval, call: PreparedCall): Promise<void>;
  /** Asks whoever was to run an earlier call what became of it; left out where nobody knows more than the gate. */
  readonly fate?: EarlierPorts['fate'];
  report(error: unknown, where: string): void;
}
