import type { Door } from '../core/invoke.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import type { AdmitPort } from './admit-queue.ts';
import type { EarlierPorts } from './earlier-answer.ts';
import type { OpenApproval } from './messages.ts';
import type { OpenReadsPort } from './open-reads.ts';

/** The door's calls to the gate's object. Each takes one hop. */
export interface GatePort extends AdmitPort, OpenReadsPort {
  /** Waits for the owner's decision, at most for this time. The call counts as held meanwhile. */
  awaitDecision(approvalId: string, ms: number, callId: string): Promise<void>;
  /** Notes that a caller was told to come back, so the approval stays open for them, or with -1 that they are back. */
  answered(approvalId: string, more: 1 | -1): Promise<void>;
  /** Notes that the caller of a held call left. Withdraws the approval if nobody else wants it. */
  leave(approvalId: string, callId: string): Promise<void>;
}

export interface GateDoorPorts {
  gate(): GatePort;
  /** The gateway's origin, where approvals have their pages. Without a gateway there are no pages. */
  readonly origin?: string;
  newCallId(): string;
  readonly place: Door['place'];
  /** Keeps work running after the answer has left. */
  later(work: Promise<unknown>): void;
  /** Tells the owner about an approval that was just opened. */
  announce(approval: OpenApproval, call: PreparedCall): Promise<void>;
  /** Asks the machine of an earlier call how it ended. Left out where nobody knows more than the gate. */
  readonly fate?: EarlierPorts['fate'];
  report(error: unknown, where: string): void;
}
