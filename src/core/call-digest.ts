import { createHash } from 'node:crypto';
import { canonicalJson } from './json.ts';

/** Everything that makes a call this call and no other. */
export interface CanonicalCall {
  readonly tool: string;
  /** Of the input schema: the same words can mean something else to another version of a tool. */
  readonly schemaHash: string;
  readonly machine: string | null;
  readonly root: string | null;
  readonly params: unknown;
}

/** The format of what is hashed; a new number makes old approvals match nothing. */
const VERSION = 1;

/** The digest by which a call is shown, approved, stored, run, and checked again by the machine. */
export function callDigest(call: CanonicalCall): string {
  return sha256(canonicalJson({ version: VERSION, ...call }));
}

/** SHA-256 of a text, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
