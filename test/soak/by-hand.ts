import type { LedgerEntry } from '../../src/gate/ledger.ts';
import { check } from './checker.ts';
import type { Attempt, CallRecord, Effect, Evidence, Outage, Told } from './history.ts';

// Histories are written by hand with these, to try the checker.

export const OK: Told = { is: 'ok', output: {} };
export const LOST: Told = { is: 'lost', why: 'the socket closed' };
export const refused = (code: string): Told => ({ is: 'failed', code });

const TOOLS = {
  ...{ memory: 'write_memory_entry', file: 'create_file' },
  ...{ mark: 'run_in_terminal', typed: 'terminal_send', folder: 'create_directory' },
};

let calls = 0;
/** One sending, under the key of its turn. */
export const sent = (told: Told, turn = 0, at = 1_000): Attempt => ({
  at,
  until: at + 10,
  key: `k.${turn}`,
  told,
});

/** A call that changes something, each with a word of its own. */
export function change(
  effect: Effect,
  attempts: readonly Attempt[],
  more: Partial<CallRecord> = {},
): CallRecord {
  const token = `soak1-00-${++calls}-`;
  return { token, tool: TOOLS[effect.on], way: 'REST', isRefused: false, effect, attempts, ...more };
}

/** What the ledger has of a call that went as its client was told. */
export function lineOf({ token, tool }: CallRecord, more: Partial<LedgerEntry> = {}): LedgerEntry {
  const seq = ++calls;
  return {
    ...{ seq, id: `call_${seq}`, at: 1_001, principal: 'owner', client: 'soak', via: 'rest', tool },
    ...{ machine: null, digest: '', args: JSON.stringify({ of: token }) },
    ...{ decision: 'approved', because: `approval A-${seq}` },
    ...{ outcome: 'ok', code: null, bytes: 1, durationMs: 1 },
    ...more,
  };
}

const none: Evidence = {
  ...{
    calls: [],
    faults: [],
    outages: [],
    memory: [],
    chain: [],
    marks: [],
    ledger: [],
    processes: [],
    leftovers: [],
  },
  ...{ files: new Map(), approved: new Set(), seen: new Set() },
};

/** Evidence in which the owner gave every approval that the ledger speaks of. */
export function evidence(parts: Partial<Evidence>): Evidence {
  const codes = (parts.ledger ?? []).map(({ because }) => because.replace('approval ', ''));
  return { ...none, approved: new Set(codes), ...parts };
}

/** The kinds of what the checker finds, in its order. */
export const kindsOf = (parts: Partial<Evidence>) => check(evidence(parts)).map(({ kind }) => kind);
/** An outage that takes along what runs at the second that calls are sent in. */
export const gatewayEnded: Outage = { is: 'ended', at: 1_005, until: 1_010 };

/** A command that is to leave the mark `m`. */
export const marked = (attempts: readonly Attempt[], more: Partial<CallRecord> = {}) =>
  change({ on: 'mark', mark: 'm' }, attempts, more);
