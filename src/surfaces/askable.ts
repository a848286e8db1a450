import type { Askable } from '../core/call.ts';
import { isRecord } from '../core/is-record.ts';

/** Reads from a client's capabilities what it can put to its user. */
export function askableOf(capabilities: object | undefined): Askable {
  const { elicitation, sampling, roots } = (capabilities ?? {}) as Record<string, unknown>;
  const { url, form } = isRecord(elicitation) ? elicitation : {};
  return {
    url: url !== undefined,
    // Clients from before the modes meant "forms" by a bare `elicitation: {}`.
    form: elicitation !== undefined && (form !== undefined || url === undefined),
    sampling: sampling !== undefined,
    roots: roots !== undefined,
  };
}
