/** Kinds of secret that have a recognisable shape. Each pattern is linear: no nested repetition. */
const PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    'private-key',
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END )[\s\S]){0,16384}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  ],
  ['bowline-key', /\bbwl_[a-z]{2,8}_[A-Za-z0-9_-]{20,}/g],
  // What the gateway's OAuth server gives out: whose, of which grant, and the secret.
  ['bowline-token', /\b[\w.@-]{1,64}:[A-Za-z0-9]{16}:[A-Za-z0-9]{32}\b/g],
  ['aws-key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['github-token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})\b/g],
  ['gitlab-token', /\bglpat-[A-Za-z0-9_-]{20,}/g],
  ['slack-token', /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g],
  ['anthropic-key', /\bsk-ant-[A-Za-z0-9_-]{20,}/g],
  ['openai-key', /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}/g],
  ['stripe-key', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g],
  ['google-key', /\bAIza[A-Za-z0-9_-]{35}/g],
  ['google-token', /\bya29\.[A-Za-z0-9_-]{20,}/g],
  ['npm-token', /\bnpm_[A-Za-z0-9]{36}\b/g],
  ['huggingface-token', /\bhf_[A-Za-z0-9]{30,}\b/g],
  ['pypi-token', /\bpypi-[A-Za-z0-9_-]{50,}/g],
  ['sendgrid-key', /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/g],
  ['age-key', /\bAGE-SECRET-KEY-1[A-Z0-9]{40,}/g],
  ['jwt', /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g],
];

/** Secrets known by what stands before them; that part stays, so that a reader sees what was hidden. */
const LABELLED: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['bearer', /(\b(?:bearer|basic)\s{1,4})[A-Za-z0-9+/._~-]{16,}={0,2}/gi],
  ['url-password', /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,128}:)[^\s@/]{1,256}(?=@)/gi],
  ['netrc-password', /(\blogin\s{1,4}\S{1,128}\s{1,8}password\s{1,4})\S{1,256}/gi],
  ['cookie', /(\b(?:set-)?cookie:\s{0,4})[^\r\n]{6,}/gi],
  [
    'secret',
    /(\b[\w.-]{0,40}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;&]{6,}/gi,
  ],
];

/** More are never written in a row but to keep this busy. */
const MAX_PASSES = 8;

/** Replaces everything that looks like a secret by its kind. What leaves a machine or enters the ledger passes here. */
export function redact(text: string): string {
  let clean = text;
  // One that is written right after another is only seen for what it is once that one is gone.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = redactOnce(clean);
    if (next === clean) break;
    clean = next;
  }
  return clean;
}

function redactOnce(text: string): string {
  let clean = text;
  for (const [kind, pattern] of PATTERNS) clean = clean.replace(pattern, `[redacted:${kind}]`);
  for (const [kind, pattern] of LABELLED) {
    clean = clean.replace(pattern, (whole, label: string) =>
      whole.includes('[redacted:', label.length) ? whole : `${label}[redacted:${kind}]`,
    );
  }
  return clean;
}

/** The same through a whole JSON value; a string under a telling key is hidden whatever its shape. */
export function redactValue(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return SECRET_KEY.test(key) && value !== '' ? '[redacted:secret]' : redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactValue(item, name)]));
}

const SECRET_KEY =
  /^(?:.*[_-])?(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|cookie)$/i;
