import { createHash } from 'node:crypto';

/** Everything that makes a call this call and no other. */
export interface CallIdentity {
  readonly tool: string;
  /** Of the input schema: the same words can mean something else to another version of a tool. */
  readonly schemaHash: string;
  /** The id of the machine that runs it; `null` for the gateway. */
  readonly machine: string | null;
  /** The open folder it works in, by its registered name. */
  readonly root: string | null;
  /** The parameters as RFC 8785 writes them. */
  readonly args: string;
}

/** The format of what is hashed; a new number makes old approvals match nothing. */
export const CALL_VERSION = 2;

/** The one text of a call, in RFC 8785's form: what is hashed, and what travels to the machine as it is. */
export function callText(call: CallIdentity): string {
  const { before, after } = around(call);
  return before + call.args + after;
}

/** The parameters in a call's text, as they stand there. */
export function argsIn(text: string, call: Omit<CallIdentity, 'args'>): string {
  const { before, after } = around(call);
  return text.slice(before.length, text.length - after.length);
}

/** Keys in RFC 8785's order, so that parameters that are canonical already need no second pass. */
function around({ tool, schemaHash, machine, root }: Omit<CallIdentity, 'args'>) {
  const text = JSON.stringify;
  return {
    before: `{"machine":${text(machine)},"params":`,
    after: `,"root":${text(root)},"schemaHash":${text(schemaHash)},"tool":${text(tool)},"version":${CALL_VERSION}}`,
  };
}

/** SHA-256 of a text, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
