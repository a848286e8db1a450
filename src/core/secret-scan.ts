/** A place in a file where something looks like a secret. The secret itself is never kept. */
export interface SecretFound {
  readonly path: string;
  readonly line: number;
  /** The name of the pattern, by which the place can be allowed. */
  readonly rule: string;
}

/** Secrets that can be told from other text: each begins in a way nothing else does. */
const RULES: readonly { readonly rule: string; readonly pattern: RegExp }[] = [
  { rule: 'private-key', pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g },
  { rule: 'aws-access-key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { rule: 'github-token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b/g },
  { rule: 'gitlab-token', pattern: /\bglpat-[\w-]{20,}/g },
  { rule: 'slack-token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/g },
  { rule: 'slack-webhook', pattern: /\bhooks\.slack\.com\/services\/T\w{6,}\/B\w{6,}\/\w{16,}/g },
  { rule: 'stripe-key', pattern: /\b[rs]k_live_[A-Za-z0-9]{16,}/g },
  { rule: 'google-api-key', pattern: /\bAIza[0-9A-Za-z_-]{35}(?![\w-])/g },
  { rule: 'anthropic-key', pattern: /\bsk-ant-[\w-]{24,}/g },
  { rule: 'openai-key', pattern: /\bsk-(?:(?:proj|svcacct|admin)-[\w-]{32,}|[A-Za-z0-9]{48})\b/g },
  { rule: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { rule: 'pypi-token', pattern: /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,}/g },
  { rule: 'bowline-key', pattern: /\bbwl_(?:owner|pat)_[\w-]{43}/g },
];

export const SECRET_RULES: readonly string[] = RULES.map(({ rule }) => rule);

const MAX_FOUND_IN_A_FILE = 20;

/** Looks for secrets in a file, whatever it is: in text of one byte a character and in text of two. */
export function secretsIn(path: string, bytes: Uint8Array): SecretFound[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const read = text.includes('\0') ? text.replaceAll('\0', '') : text;
  const found: SecretFound[] = [];
  for (const { rule, pattern } of RULES) {
    for (const { index } of read.matchAll(pattern)) {
      found.push({ path, line: lineAt(read, index), rule });
      if (found.length >= MAX_FOUND_IN_A_FILE) return found;
    }
  }
  return found;
}

/** Whether the owner named this place as one that is no secret: `path:rule`. */
export function isAllowedSecret({ path, rule }: SecretFound, allowed: readonly string[]): boolean {
  return allowed.includes(`${path}:${rule}`);
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
