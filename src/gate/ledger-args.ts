import { canonicalJson } from '../core/json.ts';
import { redactedBeginning, redactValue } from '../core/redact.ts';

/** Longer texts are no use in a list of what happened. */
const MAX_LEDGER_CHARS = 2_000;
/** As much as all of them may take up: the ledger keeps every call for good, those of strangers too. */
const MAX_LEDGER_ARGS = 16_000;

/** Arguments as the ledger keeps them: without secrets, and shortened. */
export function argsForLedger(params: Record<string, unknown>): string {
  const args = canonicalJson(redactValue(params, MAX_LEDGER_CHARS));
  if (args.length <= MAX_LEDGER_ARGS) return args;
  const start = args.slice(0, MAX_LEDGER_CHARS).toWellFormed();
  return canonicalJson({ '…': `${start}… [${args.length} characters]` });
}

/** More fields are only counted. */
const MAX_FIELDS = 20;
const MAX_NAME_CHARS = 60;

/**
 * What the ledger keeps of input that does not fit its schema: which fields came, of what type and size. Anybody can
 * send such input, of any size, so no value of it is read or kept.
 */
export function summaryForLedger(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return canonicalJson({ '…': described(input) });
  }
  const fields = Object.entries(input);
  const shown = fields.slice(0, MAX_FIELDS).map(([name, value]) => {
    return [redactedBeginning(name, MAX_NAME_CHARS), described(value)];
  });
  const more = fields.length > MAX_FIELDS ? { '…': `${fields.length} fields in all` } : {};
  return canonicalJson({ ...Object.fromEntries(shown), ...more });
}

function described(value: unknown): string {
  if (typeof value === 'string') return `[text of ${value.length} characters]`;
  if (Array.isArray(value)) return `[list of ${value.length}]`;
  if (typeof value === 'object' && value !== null) return `[object of ${Object.keys(value).length} fields]`;
  return value === null ? '[null]' : `[${typeof value}]`;
}
