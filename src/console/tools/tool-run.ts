import { SCOPES } from '../../../contracts/contract.ts';
import { type Caller, OWNER_PRINCIPAL, type Result } from '../../core/call.ts';

/** As much of a result as a page shows. */
const SHOWN_CHARS = 20_000;

/**
 * The owner, as who the console calls tools. Nothing is let through for that: limits, rules and approvals are
 * those of any caller, and what needs a yes leads to the approval's page, as it does for a client that can open one.
 */
export function ownerAtConsole(signal: AbortSignal): Caller {
  return {
    principal: OWNER_PRINCIPAL,
    client: 'console',
    via: 'rest',
    scopes: new Set(SCOPES),
    signal,
    maxResultChars: SHOWN_CHARS,
    askable: { url: true, form: false, sampling: false, roots: false },
  };
}

/** The page of this gateway that a call waits for, if it waits for one. */
export function approvalPathOf(result: Result, origin: string): string | undefined {
  if (result.kind !== 'needs_input') return undefined;
  for (const request of Object.values(result.requests)) {
    const params: unknown = 'params' in request ? request.params : undefined;
    const url = typeof params === 'object' && params !== null && 'url' in params ? params.url : undefined;
    if (typeof url === 'string' && URL.canParse(url)) {
      const { origin: its, pathname } = new URL(url);
      if (its === origin) return pathname;
    }
  }
  return undefined;
}
