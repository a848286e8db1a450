/** The result of one check. */
export interface Finding {
  /** The thing that was checked, in a few words. It is also the name of the hop. */
  readonly check: string;
  /** `warning` works but needs attention; `skipped` could not be checked. */
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly found: string;
  /** The next thing to do about it. */
  readonly cure?: string;
}

/** Checks that belong together, in the order in which a request would meet them. */
export interface Section {
  readonly title: string;
  look(): AsyncIterable<Finding>;
}

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, cure: string): Finding {
  return { check, state: 'warning', found, cure };
}

export function failed(check: string, found: string, cure: string): Finding {
  return { check, state: 'failed', found, cure };
}

export function skipped(check: string, found: string, cure?: string): Finding {
  return { check, state: 'skipped', found, ...(cure === undefined ? {} : { cure }) };
}

/** A finding with its section. */
export interface Reported extends Finding {
  readonly section: string;
}

/** Gives the first failed finding, if there is one. */
export function firstFailure(findings: readonly Reported[]): Reported | undefined {
  return findings.find(({ state }) => state === 'failed');
}
