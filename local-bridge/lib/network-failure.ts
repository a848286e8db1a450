import { errorText } from '../../src/core/error-text.ts';

/** Says why a request got no answer. Node's own message is `fetch failed`, and the reason is the error behind it. */
export function networkFailure(error: unknown): { why: string; code: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return { why: errorText(cause) || code || 'no reason was given', code };
}
