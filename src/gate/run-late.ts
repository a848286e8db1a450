import type { TokenScope } from '../../contracts/contract.ts';
import type { Caller, Result } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import { takesMachine, takesRoot } from '../core/prepared-call.ts';
import type { Tool } from '../core/tools.ts';
import type { FullApproval } from './approval-rows.ts';

/** What running a call for whoever asked takes. */
export interface LatePorts {
  /** The approval of that code, if its call may run. */
  approvedCall(code: string): Promise<FullApproval | null>;
  find(tool: string): Promise<Tool | undefined>;
  /** What a principal may do by now; `undefined` for one who was shut out. */
  scopesOf(principal: string): Promise<ReadonlySet<TokenScope> | undefined>;
  /** Lets work go on after the answer has left. */
  later(work: Promise<unknown>): void;
}

/** How it ended; `running` if it takes longer than a page can wait. */
export type LateRun = Result | { readonly kind: 'running' };

/** How long whoever decided waits for the outcome. */
const WAIT_MS = 8_000;

/**
 * Runs an approved call although nobody waits for it any more. It is prepared anew and goes through the door as the
 * retry of the call that asked: what is not the very call that was approved is refused there, rules and limits hold,
 * and the approval is used up by one run.
 */
export async function runLate(code: string, ports: LatePorts): Promise<LateRun> {
  const asked = await ports.approvedCall(code);
  if (!asked) return refused('approval_used', 'This call can not be run any more.');
  const { id, principal, client, tool: name } = asked;
  const scopes = await ports.scopesOf(principal);
  if (!scopes)
    return refused('unauthorized', 'Whoever asked for this call was shut out since. It did not run.');
  const tool = await ports.find(name);
  if (!tool) return refused('unknown_tool', `There is no tool called ${name} any more.`);
  const caller: Caller = { principal, client, via: 'owner', scopes, answers: { responses: {}, state: id } };
  const run = tool.call(inputOf(asked, tool), caller);
  ports.later(run);
  return Promise.race([run, running()]);
}

/** What the tool was called with. The place stood beside the arguments. */
function inputOf({ args, machine, root }: FullApproval, { contract }: Tool): unknown {
  return {
    ...JSON.parse(args),
    ...(machine !== null && takesMachine(contract) ? { machine } : {}),
    ...(root !== null && takesRoot(contract) ? { root } : {}),
  };
}

async function running(): Promise<LateRun> {
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  return { kind: 'running' };
}

function refused(code: 'approval_used' | 'unauthorized' | 'unknown_tool', message: string): LateRun {
  return { kind: 'failed', failure: doorFailure(code, { message }) };
}
