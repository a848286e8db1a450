import { SCOPES } from '../../../contracts/contract.ts';
import { type Caller, OWNER_PRINCIPAL, type Result } from '../../core/call.ts';

/** The most of a result that a page shows. */
const SHOWN_CHARS = 20_000;

/**
 * Makes the caller for tools that the owner runs in the console. It gets no privilege: limits, rules and
 * approvals are those of any caller, and a call that needs a yes leads to the approval's page.
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

/** Gives the page of this gateway where a call waits for approval, if it waits. */
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
