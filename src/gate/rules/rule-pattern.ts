import { RE2JS } from 're2js';

export type Effect = 'allow' | 'ask' | 'deny';

/**
 * Compiled patterns. Running a regex takes linear time, but compiling one is slow, and every call uses the
 * same few.
 */
const compiled = new Map<string, RE2JS | undefined>();

/** More rules than any owner has. The bound is needed because an isolate lives long. */
export const MAX_COMPILED = 256;

/**
 * Tells if a pattern matches a whole text. A pattern that does not compile never allows and always denies.
 */
export function matchesWhole(regex: string, text: string, effect: Effect): boolean {
  const pattern = remembered(regex, flagsOf(effect));
  return pattern ? pattern.testExact(text) : effect !== 'allow';
}

/** Gives the flags. In a no, a dot also matches a line end. Otherwise a line end would bypass the rule. */
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
