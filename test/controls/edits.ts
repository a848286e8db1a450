import type { Control } from './control.ts';

/** Several changes with one yes. */
export const edits: readonly Control[] = [
  {
    id: 'edits-taken-back',
    promise: 'Edits of several files that fail in the middle are taken back.',
    in: 'isTakenBack',
    remove: 'await takeBack(entries, ports);',
    tests: ['group-faults.test.ts'],
  },
  {
    id: 'edits-bombs',
    promise: 'Replacements never make a file that is larger than any may be, not even in memory.',
    in: 'replaceAll',
    remove: "if (size > MAX_FILE_BYTES) return 'too large';",
    tests: ['long-searches.test.ts'],
    only: 'not made by many',
  },
  {
    id: 'edits-each-bounded',
    promise: 'Nor do many edits of one call, each of which is small.',
    in: 'planEdits',
    find: '(await applied(edit, desk, call)) ?? tooLarge(desk, call)',
    replace: 'await applied(edit, desk, call)',
    tests: ['long-searches.test.ts'],
    only: 'not made by many',
  },
  {
    id: 'edits-linear',
    promise: 'To find a string takes time in proportion to the file, whatever the string is.',
    in: 'eachPlace',
    find: 'borders[matched - 1] ?? 0',
    replace: '0 * (at -= matched - 1)',
    tests: ['long-searches.test.ts'],
    only: 'reads each byte',
  },
  {
    id: 'edits-diff-time',
    promise: 'A diff whose secrets would take long to hide is left out.',
    in: 'withoutSecrets',
    remove: 'if (sought * diff.length > MAX_SOUGHT) return { diff: undefined, isHidden: false };',
    tests: ['long-searches.test.ts'],
    only: 'hiding its secrets',
  },
  {
    id: 'edits-settled',
    promise: 'Edits of several files that a crash interrupted are complete after the next start, or undone.',
    in: 'recover',
    remove: 'for (const entries of groups.values()) await attempt(() => settleGroup(entries, ports));',
    tests: ['group-faults.test.ts'],
  },
  {
    id: 'edits-state',
    promise: 'Edits of several files apply only to the files that the owner saw.',
    in: 'editMany',
    remove: 'if (changed) return changed;',
    tests: ['edit-files.test.ts'],
  },
  {
    id: 'rules-every-path',
    promise:
      'A rule that allows must cover every path of a call, and a rule that denies one path denies the call.',
    in: 'matchesPaths',
    body: 'return paths.some((path) => matchesField(field, "path", { path }, effect));',
    tests: ['rule-kin.test.ts'],
  },
  {
    id: 'rules-kin',
    promise: 'A rule that denies a tool for one file also denies it in a call for several.',
    in: 'matchesRule',
    find: 'deniesKin(rule, call)',
    replace: 'false',
    tests: ['rule-kin.test.ts'],
  },
];
