import type { Control } from './control.ts';

const SEARCH = ['search-attacks.test.ts'];

/** Searching files: what is handed to ripgrep, and what is believed of its answer. */
export const search: readonly Control[] = [
  {
    id: 'search-pattern',
    promise: 'Patterns reach ripgrep only after `--regexp=`.',
    in: 'grepArguments',
    find: "[`--regexp=${pattern}`, '--', './']",
    replace: "[pattern, './']",
    tests: SEARCH,
  },
  {
    id: 'search-configuration',
    promise: 'Ripgrep runs without configuration and with an empty environment.',
    in: 'ALWAYS',
    remove: "'--no-config'",
    together: [
      {
        in: 'ripgrep',
        find: 'cleanEnvironment()',
        replace: 'process.env',
      },
    ],
    tests: SEARCH,
  },
  {
    id: 'search-looked-again',
    promise: 'Each file that ripgrep names must hold the printed line when it is opened again.',
    in: 'grepFiles',
    find: 'confirmed(printed, again.read(prefix + path, offset, text.length + 1))',
    replace: "{ text: text.toString('utf8').trimEnd(), cut: offset < 0 }",
    tests: SEARCH,
  },
  {
    id: 'search-closed',
    promise: 'A search does not find what is closed to reading.',
    in: 'grepFiles',
    remove: "workspace.isOpen(root, prefix + path, 'read')",
    tests: ['grep-search.test.ts'],
  },
  {
    id: 'search-second-names',
    promise: 'Files with a second name are not searched.',
    in: 'openRegular',
    remove: 'before.nlink > 1',
    together: [
      {
        in: 'openRegular',
        remove: 'stat.nlink === 1',
      },
    ],
    tests: ['grep-search.test.ts'],
  },
  {
    id: 'warm-list-proved',
    promise: 'A remembered list is used only if every folder still has its identity and change time.',
    in: 'warmList',
    remove: 'seen.every(isUnchanged)',
    tests: ['warm-list.test.ts'],
  },
];
