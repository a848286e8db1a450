import type { AnyContract } from '../../contracts/contract.ts';
import { doorErrors } from '../../contracts/door-errors.ts';
import { type Outcome, outcomeShape } from '../../contracts/link.ts';
import type { Refusal, Success } from '../core/call.ts';
import { doorFailure, type Failure, type FailureDetail, failureOf } from '../core/failure.ts';

/** Reads what a machine sent, or gives `undefined` if it is not an outcome. */
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

/** Gives the end of a call from the text that was kept of it. */
export function endedWith(contract: AnyContract, text: string): Success | Refusal {
  const outcome = parseOutcome(text);
  if (outcome?.kind === 'ok') {
    const parsed = contract.output.safeParse(outcome.output);
    if (parsed.success) return { kind: 'ok', output: parsed.data };
  }
  const known = outcome?.kind === 'failed' ? failureFrom(contract, outcome) : undefined;
  return { kind: 'failed', failure: known ?? doorFailure('malformed_output') };
}

/** Writes a machine's failure with this side's own table. The machine never chooses the status. */
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

/** Makes a refusal of the door that names the call, so that somebody can ask about it later. */
export function refusalNaming(code: keyof typeof doorErrors, id: string, detail?: FailureDetail): Refusal {
  return { kind: 'failed', failure: { ...doorFailure(code, detail), call_id: id } };
}
