/** What `contracts/sandboxes.ts` names, in words. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['bubblewrap', 'bubblewrap'],
  ['sandbox-exec', 'sandbox-exec'],
  ['none', 'no sandbox'],
  ['off', 'terminal off'],
]);

const HINT = 'Commands run with all rights of your user. `bowline doctor` there says how to get a sandbox.';

/** Says which sandbox a machine uses, and what to do about a machine that has none. */
export function sandboxWords(sandbox: string | null): { readonly words: string; readonly hint?: string } {
  const words = WORDS.get(sandbox ?? '') ?? 'unknown';
  return sandbox === 'none' ? { words, hint: HINT } : { words };
}
