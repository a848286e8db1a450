import { canonicalJson } from '../core/json.ts';
import { redactedBeginning, redactValue } from '../core/redact.ts';

/** Longer texts are no use in a list of what happened. */
export const MAX_LEDGER_CHARS = 2_000;
/**
 * The most characters of all arguments together, because the ledger keeps every call for good, even those of
 * strangers.
 */
const MAX_LEDGER_ARGS = 16_000;

/** Gives arguments as the ledger keeps them: without secrets, and shortened. */
export function argsForLedger(params: Record<string, unknown>): string {
  const args = canonicalJson(redactValue(params, MAX_LEDGER_CHARS));
  if (args.length <= MAX_LEDGER_ARGS) return args;
  const start = args.slice(0, MAX_LEDGER_CHARS).toWellFormed();
  return canonicalJson({ '…': `${start}… [${args.length} characters]` });
}

/** Further fields are only counted. */
const MAX_FIELDS = 20;
const MAX_NAME_CHARS = 60;

/**
 * Summarises input that does not fit its schema: the type and size of each field. Anybody can send such input
 * in any size, so nothing reads or keeps its values.
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
