import { RE2JS } from 're2js';

export type Effect = 'allow' | 'ask' | 'deny';

/** A regex is linear to run but not free to compile, and the same few are asked on every call. */
const compiled = new Map<string, RE2JS | undefined>();

/** More than any owner has rules; a bound, because an isolate lives long. */
export const MAX_COMPILED = 256;

/**
 * Whether a pattern matches the whole of a text. A pattern that does not compile can't be judged, and so
 * never allows and always denies.
 */
export function matchesWhole(regex: string, text: string, effect: Effect): boolean {
  const pattern = remembered(regex, flagsOf(effect));
  return pattern ? pattern.testExact(text) : effect !== 'allow';
}

/** In a rule that says no, a dot also stands for a line end: else a line end would be the way round it. */
function flagsOf(effect: Effect): number {
  return effect === 'allow' ? 0 : RE2JS.DOTALL;
}

function remembered(regex: string, flags: number): RE2JS | undefined {
  const key = `${flags}${regex}`;
  if (!compiled.has(key)) {
    const [oldest = ''] = compiled.keys();
    if (compiled.size >= MAX_COMPILED) compiled.delete(oldest);
    compiled.set(key, compile(regex, flags));
  }
  return compiled.get(key);
}

function compile(regex: string, flags: number): RE2JS | undefined {
  try {
    return RE2JS.compile(regex, flags);
  } catch {
    return undefined;
  }
}
