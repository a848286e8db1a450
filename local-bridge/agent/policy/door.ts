import { randomUUID } from 'node:crypto';
import type { AnyContract } from '../../../contracts/contract.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import type { Refusal } from '../../../src/core/call.ts';
import { doorFailure, type FailureDetail } from '../../../src/core/failure.ts';
import type { Admission, Door } from '../../../src/core/invoke.ts';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import { lookOrNone } from '../../../src/core/preview.ts';
import { sessionState } from '../../../src/core/session-state.ts';
import { visible } from '../../../src/core/visible.ts';
import type { ShownPreview } from '../../../src/gate/messages.ts';
import { kinOf } from '../../../src/gate/rules/rule-kin.ts';

/**
 * The machine's own policy. It is read once from the machine's disk; nothing that arrives over the link changes it.
 */
interface Policy {
  readonly machine: string;
  readonly deny: readonly string[];
  readonly ask: readonly string[];
}

/** The answer of the person at the machine's terminal, or that nobody is there. */
export interface SaidHere {
  readonly said: 'yes' | 'no' | 'nobody';
  /** The text that the caller gets with a no. */
  readonly note?: string;
}

interface PolicyPorts {
  /** Asks the person at this machine's terminal about a call and what it would do. */
  askHere(call: PreparedCall, shown: ShownPreview): Promise<SaidHere>;
  report(error: unknown, callId: string): void;
}

/** A machine's door. It can also say in advance what it would refuse. */
export interface MachineDoor extends Door {
  forbids(contract: AnyContract): Refusal | undefined;
}

/**
 * Makes the door for calls over the link. The gateway has already asked the owner where needed, but this machine's
 * own policy has the last word.
 */
export function machineDoor({ machine, deny, ask }: Policy, { askHere, report }: PolicyPorts): MachineDoor {
  const denied = new Set(deny);
  const forbids: MachineDoor['forbids'] = ({ wireName: tool }) =>
    denied.has(tool)
      ? refuse('denied_by_rule', {
          message: `${machine} does not run ${tool}: its own settings forbid it.`,
          suggestion: `Do it another way, or ask the owner to remove ${[tool, ...kinOf(tool)].join(' or ')} from \`deny\` in that machine's bridge.json.`,
        })
      : undefined;
  const asking = new Set(ask);
  const afterAsking = async (request: PreparedCall, shown: ShownPreview): Promise<Admission> => {
    const state = 'preview' in shown ? shown.preview.state : null;
    // The owner approved other content than the person here would see, and did not lend the terminal either.
    if (state !== null && request.seen !== undefined && ![state, lentState(shown)].includes(request.seen))
      return refuse('changed_since_approval', {});
    const { said, note } = await askHere(request, shown);
    if (said === 'yes') return state === null ? ADMITTED : { ...ADMITTED, seen: state };
    if (said === 'nobody') return refuse('approval_required', unanswered(request.contract.wireName));
    const word = note === undefined ? '.' : `: “${visible(note)}”`;
    return refuse('approval_denied', { message: `Somebody at ${machine} denied this call${word}` });
  };
  const unanswered = (tool: string) => ({
    message: `${tool} needs an approval in the terminal of ${machine}, and nobody answered there.`,
    suggestion: `Ask the owner to run \`bowline connect\` in a terminal on ${machine} and answer there, then call again.`,
  });
  return {
    newCallId: () => `call_${randomUUID()}`,
    forbids,
    async admit(request, look) {
      const forbidden = forbids(request.contract);
      if (forbidden) return forbidden;
      if (!asking.has(request.contract.wireName)) return ADMITTED;
      const looked = await lookOrNone(look, (error) => report(error, request.callId));
      if (!('kind' in looked)) return afterAsking(request, { preview: looked });
      return looked.kind === 'failed' ? looked : afterAsking(request, { why: looked.why });
    },
    ...NO_LEDGER,
    report,
  };
}

/** Gives the state of the whole terminal that a call types to, which a loan of it depends on. */
function lentState(shown: ShownPreview): string | undefined {
  const startedBy = 'preview' in shown ? shown.preview.lasting?.startedBy : undefined;
  return startedBy == null ? undefined : sessionState(startedBy);
}

function refuse(code: Parameters<typeof doorFailure>[0], detail: FailureDetail): Refusal {
  return { kind: 'failed', failure: doorFailure(code, detail) };
}
