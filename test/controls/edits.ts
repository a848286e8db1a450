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
    id: 'edits-settled',
    promise: 'Edits of several files that a crash interrupted are complete after the next start, or undone.',
    in: 'recover',
    remove: 'for (const entries of groups.values()) await settleGroup(entries, ports);',
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
    find: "rule.effect !== 'allow' && deniesKin(rule, call)",
    replace: 'false',
    tests: ['rule-kin.test.ts'],
  },
];
