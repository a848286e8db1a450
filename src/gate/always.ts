import type { Sql } from '../storage/sql.ts';
import type { FullApproval } from './approval-rows.ts';
import { type LedgerEntry, pastCalls } from './ledger.ts';
import { matchesRule } from './rules/rule.ts';
import { callIn } from './rules/rule-book.ts';
import { isSandboxed } from './rules/rule-verdict.ts';
import {
  type AlwaysCall,
  type Lasts,
  rulesOfWidth,
  WIDTHS,
  type Width,
  type WidthRules,
} from './rules/rule-widths.ts';

/** The width and the duration of an "always". */
export interface Reach {
  readonly width: Width;
  readonly lasts: Lasts;
}

/** The reach of an "always" if its caller names none. */
export const NARROWEST: Reach = { width: 'exact', lasts: 'month' };

/** One width of "always", tried on the owner's past calls. */
export type AlwaysOffer =
  | { readonly width: Width; readonly problem: string }
  | {
      readonly width: Width;
      /** The calls that it allows, in plain words. */
      readonly words: string;
      /** The number of past calls that it was tried on, and the number that it would have allowed. */
      readonly checked: number;
      readonly passed: number;
      /** The allowed calls that were denied at the time. */
      readonly denied: number;
      readonly lastDenied: number | null;
    };

/** The most past calls of each tool to try a rule on, because the owner waits for the answer. */
const MAX_TRIED = 300;

/** Lists every width of "always" for a waiting call. */
export function alwaysOffers(sql: Sql, asked: FullApproval, now: number): AlwaysOffer[] {
  return WIDTHS.flatMap((width): AlwaysOffer[] => {
    const made = alwaysRules(asked, { width, lasts: 'hour' }, now);
    if ('problem' in made) {
      const { code, message } = made.problem;
      return code === 'no_such_width' ? [] : [{ width, problem: message }];
    }
    const past = made.drafts.flatMap((draft) =>
      pastCalls(sql, draft.tool, MAX_TRIED).map((entry) => ({ draft, entry })),
    );
    const passed = past.filter(({ draft, entry }) => matchesRule(draft, callIn(entry)));
    const denied = passed.filter(({ entry }) => wasDenied(entry));
    return [
      {
        width,
        words: made.words,
        checked: past.length,
        passed: passed.length,
        denied: denied.length,
        lastDenied: denied[0]?.entry.seq ?? null,
      },
    ];
  });
}

/** Makes the rules that an "always" writes, or says why it cannot. */
export function alwaysRules(asked: FullApproval, { width, lasts }: Reach, now: number): WidthRules {
  const { tool, machine, root, risk, args, shown } = asked;
  const call: AlwaysCall = {
    ...{ tool, machine, root, risk },
    args: JSON.parse(args),
    canonicalArgs: args,
    sandboxed: isSandboxed(shown),
  };
  return rulesOfWidth(width, call, lasts, now);
}

function wasDenied({ decision, because }: LedgerEntry): boolean {
  return decision === 'refused' && (because === 'approval_denied' || because === 'denied_by_rule');
}
