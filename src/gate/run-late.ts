import type { TokenScope } from '../../contracts/contract.ts';
import type { Caller, Result } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import { takesMachine, takesRoot } from '../core/prepared-call.ts';
import type { Tool } from '../core/tools.ts';
import type { FullApproval } from './approval-rows.ts';

/** The parts that it takes to run a call after its caller has left. */
export interface LatePorts {
  /** Gives the approval with that code, if its call may run. */
  approvedCall(code: string): Promise<FullApproval | null>;
  find(tool: string): Promise<Tool | undefined>;
  /** Gives what a principal may do now, or `undefined` if they were shut out. */
  scopesOf(principal: string): Promise<ReadonlySet<TokenScope> | undefined>;
  /** Keeps work running after the answer has left. */
  later(work: Promise<unknown>): void;
}

/** The outcome, or `running` if it takes longer than a page can wait. */
export type LateRun = Result | { readonly kind: 'running' };

/**
 * Carries out the owner's "run now". A caller that still waits runs the call itself by the same yes; running it here as
 * well would only find that it runs.
 */
export async function runIfNobodyWaits(held: boolean, run: () => Promise<LateRun>): Promise<LateRun> {
  return held ? { kind: 'running' } : run();
}

/** The time between two looks at whether the caller is still let in. */
const LOOK_EVERY_MS = 2_000;
/** The time that the owner waits for the outcome. */
const WAIT_MS = 8_000;

/**
 * Runs an approved call after its caller has left. Prepares it again and sends it through the door as the
 * retry of the call that asked. There, anything but exactly the approved call is refused, rules and limits
 * hold, and one run uses up the approval.
 */
export async function runLate(code: string, ports: LatePorts): Promise<LateRun> {
  const asked = await ports.approvedCall(code);
  if (!asked) return refused('approval_used', 'This call cannot be run any more.');
  const { id, principal, client, tool: name } = asked;
  const scopes = await ports.scopesOf(principal);
  if (!scopes)
    return refused('unauthorized', 'The access of this caller was revoked since. The call did not run.');
  const tool = await ports.find(name);
  if (!tool) return refused('unknown_tool', `There is no tool called ${name} any more.`);
  const over = new AbortController();
  const answers = { responses: {}, state: id };
  const caller: Caller = { principal, client, via: 'owner', scopes, answers, signal: over.signal };
  const run = tool.call(inputOf(asked, tool), caller);
  ports.later(run);
  ports.later(endIfShutOut(run, async () => (await ports.scopesOf(principal)) !== undefined, over));
  return Promise.race([run, running()]);
}

/** Cancels a run whose caller is shut out meanwhile, as every request of that caller ends then. */
export async function endIfShutOut(
  run: Promise<unknown>,
  isLetIn: () => Promise<boolean>,
  over: AbortController,
): Promise<void> {
  const done = run.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([done, inAWhile()]))) {
    // While the store cannot be asked, the run goes on.
    if (await isLetIn().catch(() => true)) continue;
    over.abort();
    return;
  }
}

async function inAWhile(): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  return false;
}

/** Restores the tool's input. The place was stored beside the arguments. */
export function inputOf({ sent, machine, root }: FullApproval, { contract }: Tool): unknown {
  return {
    ...JSON.parse(sent),
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
