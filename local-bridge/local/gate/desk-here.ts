import { NARROWEST } from '../../../src/gate/always.ts';
import type { Gate } from '../../../src/gate/gate.ts';
import { approvalShape } from '../../agent/prompt/approval-shape.ts';
import type { Desk } from '../../agent/prompt/desk.ts';
import { CliError } from '../../lib/exit.ts';

/**
 * Opens the approvals of this computer's own gate. The caller must first make sure that a person is there.
 */
export function deskHere(gate: () => Gate, by: string): Desk {
  return {
    list: async (state) =>
      gate()
        .approvals(state)
        .map((one) => approvalShape.parse(one)),
    one: async (code) => {
      const approval = gate().approval(code);
      if (!approval) throw unknown(code);
      return approvalShape.parse({ ...approval, always: gate().alwaysOffers(code) });
    },
    decide: async (code, decision, { note, ...reach } = {}) => {
      const outcome = gate().decide(code, decision, by, true, note, { ...NARROWEST, ...reach });
      if (!('refused' in outcome)) return outcome;
      if (outcome.refused === 'not_found') throw unknown(code);
      throw new CliError(outcome.message || `This was not possible (${outcome.refused}).`);
    },
  };
}

function unknown(code: string): CliError {
  return new CliError(
    `No call waits under the code ${code}.`,
    '`bowline approvals --local` lists what waits.',
  );
}
