import type { LedgerEntry } from './ledger.ts';

/** How good the news is that an outcome brings. */
type OutcomeTone = 'good' | 'bad' | 'warn' | 'calm';

/** Calls that a person or a rule stopped. They did not fail. */
const STOPPED: ReadonlyMap<string | null, readonly [words: string, tone: OutcomeTone]> = new Map([
  ['approval_required', ['waited for you', 'warn']],
  ['approval_denied', ['denied', 'calm']],
  ['approval_expired', ['expired', 'calm']],
  ['denied_by_rule', ['denied by a rule', 'calm']],
  ['cancelled', ['cancelled', 'calm']],
]);

const TONES: Readonly<Record<string, OutcomeTone>> = { ok: 'good', failed: 'bad', asked: 'warn' };

/** Says in plain words how a call ended. A failure keeps its code, because that is what docs and errors name. */
export function outcomeWords({ outcome, code }: Pick<LedgerEntry, 'outcome' | 'code'>): {
  readonly words: string;
  readonly tone: OutcomeTone;
} {
  if (outcome === null) return { words: 'no end yet', tone: 'calm' };
  const [words = code ?? outcome, tone = TONES[outcome] ?? 'calm'] = STOPPED.get(code) ?? [];
  return { words, tone };
}

/** Says in the same words how calls ended that were only counted, by their code. */
export const countedWords = (code: string) =>
  outcomeWords(code === 'ok' ? { outcome: 'ok', code: null } : { outcome: 'failed', code });

/** Says what was decided about a call, without what its outcome says already. `because` is why, if that is news. */
export function decisionWords({
  decision,
  because,
  code,
}: Pick<LedgerEntry, 'decision' | 'because' | 'code'>): {
  readonly decision: string;
  readonly because?: string;
} {
  if (because === 'approval_required') return { decision: 'asked' };
  return because === code ? { decision } : { decision, because };
}
