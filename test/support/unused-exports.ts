import type { Source } from './architecture.ts';

const EXPORTED =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum|let) ([A-Za-z_$][\w$]*)/gm;
const WORD = /[A-Za-z_$][\w$]*/g;
const PRODUCT = /^(?:src|contracts|local-bridge)\//;

/** What is imported elsewhere: by the runner of the public test sets for readers, and by `bin.mjs`. */
const FOR_OTHERS = new Set(['src/web/read/read.ts: extract']);

/**
 * Lists what the product exports although no other file names it. A word that stands anywhere in another file counts as
 * a use, so something of a common name may be missed.
 */
export function unusedExports(sources: readonly Source[]): string[] {
  const files = new Map<string, number>();
  for (const { text } of sources) {
    for (const word of new Set(text.match(WORD))) files.set(word, (files.get(word) ?? 0) + 1);
  }
  return sources
    .filter(({ path }) => PRODUCT.test(path))
    .flatMap(({ path, text }) => Array.from(text.matchAll(EXPORTED), ([, name = '']) => ({ path, name })))
    .filter(({ name }) => files.get(name) === 1)
    .map(({ path, name }) => `${path}: ${name}`)
    .filter((one) => !FOR_OTHERS.has(one));
}
