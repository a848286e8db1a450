import type { Control } from './control.ts';

/** Standing answers that an approval writes, and how far they reach. */
export const always: readonly Control[] = [
  {
    id: 'always-no-content',
    promise: '"Always" for a file or the memory names where is written, and never what.',
    file: 'src/gate/rules/rule-narrowest.ts',
    find: 'isContent(name, call) ? { any: true } : { equals: value }',
    replace: '{ equals: value }',
    tests: ['test/node/core/rule-narrowest.test.ts'],
  },
  {
    id: 'ending-only-reads',
    promise: 'A rule lets the output of a command go to programs that only read it, and to no file.',
    file: 'src/gate/rules/argv-ending.ts',
    find: 'return operands === reader.operands;',
    replace: 'return operands >= reader.operands;',
    tests: ['test/node/core/argv-ending.test.ts'],
  },
  {
    id: 'ending-denied',
    promise: 'A no to a command holds for every program of a line.',
    file: 'src/gate/rules/rule.ts',
    find: 'parsed.programs.some((words) => startsWithWords(match.argv, words))',
    replace: 'startsWithWords(match.argv, parsed.argv)',
    tests: ['test/node/core/argv-ending.test.ts'],
  },
  {
    id: 'always-in-folder',
    promise: 'A yes to edits in a folder leads to no other.',
    file: 'src/gate/rules/rule-widths.ts',
    find: "const SEGMENT = '(?:[^./",
    replace: "const SEGMENT = '(?:[^/",
    tests: ['test/node/core/rule-widths.test.ts'],
  },
  {
    id: 'tool-sandboxed',
    promise:
      'A yes to a whole tool lets what is dangerous run only where the machine says that it runs in a sandbox.',
    file: 'src/gate/rules/rule-verdict.ts',
    find: 'shown.preview.sandboxed === true ? shown.preview.state : null',
    replace: "(shown.preview.state ?? '')",
    tests: ['test/worker/gate/always.test.ts'],
  },
  {
    id: 'tool-seen',
    promise: 'Such a call goes by the sandbox that was seen, which the machine compares before it runs.',
    file: 'src/gate/rules/rule-verdict.ts',
    find: 'return seen === null ? narrow : { ...wide, seen };',
    replace: 'return seen === null ? narrow : wide;',
    tests: ['test/worker/gate/always.test.ts'],
  },
  {
    id: 'tool-hides-nothing',
    promise: 'While some command is denied, a yes to the whole terminal leaves out lines that may hide it.',
    file: 'src/gate/rules/rule-verdict.ts',
    find: "if (wide.verdict !== 'allow' || mayHide(asked, rules, now)) return narrow;",
    replace: "if (wide.verdict !== 'allow') return narrow;",
    tests: ['test/worker/gate/always.test.ts'],
  },
  {
    id: 'tool-for-a-while',
    promise: 'A yes to a whole tool holds for 30 days at most.',
    file: 'src/gate/rules/rule-check.ts',
    find: "match.kind === 'tool' && expiresAt > now + MAX_TOOL_RULE_MS",
    replace: 'false',
    tests: ['test/node/core/rule-widths.test.ts'],
  },
];
