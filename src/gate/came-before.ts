import { isJoinedName } from '../joined/names.ts';
import type { Sql } from '../storage/sql.ts';
import { type LedgerEntry, pastCalls } from './ledger.ts';
import { parseCommand } from './rules/argv.ts';
import { TERMINAL_TOOL } from './rules/rule.ts';

/** A count of earlier calls that are the same or alike, and how the last of them ended. */
export interface Tally {
  readonly times: number;
  /** The number that ended well. */
  readonly ok: number;
  readonly last: { readonly seq: number; readonly at: number; readonly ended: string };
}

export interface Before {
  /** The count of exactly the same call. */
  readonly same: Tally | null;
  /** The count of similar calls, and what they share: `npm test`, or a path. */
  readonly like: (Tally & { readonly what: string }) | null;
}

/** The most past calls to look at, because the owner waits for the page. */
const MAX_LOOKED_AT = 500;

interface Asked {
  readonly tool: string;
  readonly digest: string;
  readonly args: string;
}

/** Finds what came before a call, among the last calls of its tool. */
export function cameBefore(sql: Sql, { tool, digest, args }: Asked): Before {
  // Leave out calls that only asked, because such a call is the question itself.
  const past = pastCalls(sql, tool, MAX_LOOKED_AT).filter(
    ({ code, outcome }) => code !== 'approval_required' && outcome !== 'asked',
  );
  const same = past.filter((call) => call.digest === digest);
  const what = kindOf(tool, args);
  const like =
    what === null ? [] : past.filter((call) => call.digest !== digest && kindOf(tool, call.args) === what);
  const tally = tallyOf(like);
  return { same: tallyOf(same), like: tally && what !== null ? { ...tally, what } : null };
}

/** Gives what makes calls of a tool alike: the program and its first word, or the file. */
function kindOf(tool: string, args: string): string | null {
  if (isJoinedName(tool)) return null;
  const { command, path, file, url } = fieldsOf(args);
  if (tool === TERMINAL_TOOL) return typeof command === 'string' ? programOf(command) : null;
  const named = path ?? file ?? url;
  return typeof named === 'string' ? named : null;
}

function programOf(command: string): string | null {
  const parsed = parseCommand(command);
  return 'argv' in parsed ? parsed.argv.slice(0, 2).join(' ') : null;
}

function fieldsOf(args: string): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(args);
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    // The ledger keeps only the beginning of long arguments.
    return {};
  }
}

function tallyOf(calls: readonly LedgerEntry[]): Tally | null {
  const [last] = calls;
  if (!last) return null;
  const { seq, at, outcome, code } = last;
  return {
    times: calls.length,
    ok: calls.filter((call) => call.outcome === 'ok').length,
    last: { seq, at, ended: outcome === null ? 'still runs' : (code ?? outcome) },
  };
}
