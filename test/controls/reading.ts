import type { Control } from './control.ts';

/** What a hostile page may not do to whoever reads it. */
export const reading: readonly Control[] = [
  {
    id: 'page-inflate-pieces',
    promise: 'A bomb in a `deflate` body is unpacked only up to the limit, and not as a whole into memory.',
    in: 'feed',
    remove: 'await new Promise((resolve) => setTimeout(resolve, 0));',
    tests: ['inflate-bomb.test.ts'],
  },
  {
    id: 'page-kept-size',
    promise: 'The pages kept for later calls have a limit of memory, whatever they consist of.',
    in: 'Readings.put',
    find: 'charsOf(read)',
    replace: 'read.rendering.text.length',
    tests: ['readings.test.ts'],
  },
  {
    id: 'hidden-openers',
    promise: 'A hidden panel is read only if something that people can see opens it.',
    in: 'openable',
    remove: "if ((hidesItself(el) || hiddenByRule(el, names)) && !ids.has(attrs.id ?? '')) return false;",
    tests: ['kept.test.ts'],
    only: 'only a hidden button opens',
  },
  {
    id: 'hidden-answers',
    promise: 'A hidden answer is read only below a question that people can see.',
    in: 'isClosedAnswer',
    remove: '!hidesItself(title)',
    tests: ['kept.test.ts'],
    only: 'stands below a hidden question',
  },
  {
    id: 'hidden-last-word',
    promise: 'A declaration inside a string or a comment cannot undo the one that hides text.',
    in: 'lastWord',
    find: 'style.length > LONGEST_STYLE || MAY_HOLD_ANOTHER.test(style)',
    replace: 'false',
    tests: ['read/hidden.test.ts'],
    only: 'hides by',
  },
  {
    id: 'formula-hidden',
    promise: 'Text hidden inside a formula is left out.',
    in: 'dropHidden',
    find: "part.tag === 'mphantom' || hidesItself(part)",
    replace: 'false',
    tests: ['read/markdown.test.ts'],
  },
  {
    id: 'cell-bar',
    promise: 'A backslash in a page cannot end a cell of a table.',
    in: 'Writer.#cell',
    find: 'own.length % 2 === 1',
    replace: 'own.length > 0',
    tests: ['read/markdown.test.ts'],
  },
  {
    id: 'robots-redirect',
    promise: 'A redirect does not avoid the robots.txt of a site.',
    in: 'fetchPage',
    remove: "if (!(await robots(fetched.finalUrl, call.signal))) return call.fail('robots_disallow');",
    tests: ['robots.test.ts'],
  },
];
