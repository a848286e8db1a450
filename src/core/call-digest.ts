import { createHash } from 'node:crypto';

/** Everything that tells this call from every other. */
export interface CallIdentity {
  readonly tool: string;
  /**
   * The hash of the input schema. The same arguments can mean something else to another version of the tool.
   */
  readonly schemaHash: string;
  /** The id of the machine that runs the call; `null` for the gateway. */
  readonly machine: string | null;
  /** The registered name of the open folder that the call works in. */
  readonly root: string | null;
  /** The parameters in RFC 8785's form. */
  readonly args: string;
}

/** The format of the hashed text. With a new number, old approvals match nothing. */
export const CALL_VERSION = 2;

/**
 * Writes a call as one text in RFC 8785's form. This text is hashed, and it travels to the machine unchanged.
 */
export function callText(call: CallIdentity): string {
  const { before, after } = around(call);
  return before + call.args + after;
}

/** Takes the parameters out of a call's text, unchanged. */
export function argsIn(text: string, call: Omit<CallIdentity, 'args'>): string {
  const { before, after } = around(call);
  return text.slice(before.length, text.length - after.length);
}

/** Puts the keys in RFC 8785's order, so that canonical parameters need no second pass. */
function around({ tool, schemaHash, machine, root }: Omit<CallIdentity, 'args'>) {
  const text = JSON.stringify;
  return {
    before: `{"machine":${text(machine)},"params":`,
    after: `,"root":${text(root)},"schemaHash":${text(schemaHash)},"tool":${text(tool)},"version":${CALL_VERSION}}`,
  };
}

/** Gives the SHA-256 of a text in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
