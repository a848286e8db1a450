import type { AnyContract } from '../../contracts/contract.ts';
import { doorErrors } from '../../contracts/door-errors.ts';
import { type Outcome, outcomeShape } from '../../contracts/link.ts';
import type { Refusal, Success } from '../core/call.ts';
import { doorFailure, type Failure, type FailureDetail, failureOf } from '../core/failure.ts';

/** What a machine sent, if it is an outcome at all. */
export function parseOutcome(text: string): Outcome | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = outcomeShape.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** How a call ended, by the text that is kept of it. */
export function endedWith(contract: AnyContract, text: string): Success | Refusal {
  const outcome = parseOutcome(text);
  if (outcome?.kind === 'ok') {
    const parsed = contract.output.safeParse(outcome.output);
    if (parsed.success) return { kind: 'ok', output: parsed.data };
  }
  const known = outcome?.kind === 'failed' ? failureFrom(contract, outcome) : undefined;
  return { kind: 'failed', failure: known ?? doorFailure('malformed_output') };
}

/** A machine's failure in the words of a table that this side knows; its status is never the machine's to choose. */
export function failureFrom(
  contract: AnyContract,
  outcome: Extract<Outcome, { kind: 'failed' }>,
): Failure | undefined {
  const { code, message, suggestion, retry_after, raw } = outcome.failure;
  const tables = [contract.errors, doorErrors];
  const spec = tables.find((table) => Object.hasOwn(table, code))?.[code as keyof typeof doorErrors];
  const more = {
    ...(retry_after === undefined ? {} : { retryAfter: retry_after }),
    ...(raw === undefined ? {} : { raw }),
  };
  return spec && failureOf(code, spec, { message, suggestion, ...more });
}

/** A refusal of the door about one call, which can be asked about later. */
export function refusedCall(code: keyof typeof doorErrors, id: string, detail?: FailureDetail): Refusal {
  return { kind: 'failed', failure: { ...doorFailure(code, detail), call_id: id } };
}
