import type { Control } from './control.ts';

const SEARCH = ['test/node/find/search-attacks.test.ts'];

/** Searching files: what is handed to ripgrep, and what is believed of its answer. */
export const search: readonly Control[] = [
  {
    id: 'search-pattern',
    promise: 'Patterns reach ripgrep behind `--regexp=`.',
    file: 'local-bridge/tools/search/grep-files.ts',
    find: "`--regexp=${pattern}`, '--', './'",
    replace: "pattern, './'",
    tests: SEARCH,
  },
  {
    id: 'search-configuration',
    promise: 'Ripgrep runs without configuration and with an empty environment.',
    file: 'local-bridge/tools/search/ripgrep.ts',
    find: "'--no-config',",
    replace: '',
    together: [
      {
        file: 'local-bridge/tools/search/ripgrep.ts',
        find: 'env: cleanEnvironment(),',
        replace: 'env: process.env,',
      },
    ],
    tests: SEARCH,
  },
  {
    id: 'search-looked-again',
    promise: 'Each file that ripgrep names must hold the printed line when it is opened again.',
    file: 'local-bridge/tools/search/grep-files.ts',
    find: 'return confirmed(printed, again.read(path, offset, text.length + 1));',
    replace: "return { text: text.toString('utf8').trimEnd(), cut: offset < 0 };",
    tests: SEARCH,
  },
  {
    id: 'search-closed',
    promise: 'What is closed to reading is not found either.',
    file: 'local-bridge/tools/search/grep-files.ts',
    find: " && workspace.isOpen(root, path, 'read')",
    replace: '',
    tests: ['test/node/find/grep-search.test.ts'],
  },
  {
    id: 'search-second-names',
    promise: 'Files with a second name are not searched.',
    file: 'local-bridge/tools/search/found-files.ts',
    find: ' || before.nlink > 1) return undefined;',
    replace: ') return undefined;',
    together: [
      {
        file: 'local-bridge/tools/search/found-files.ts',
        find: 'if (stat.isFile() && stat.nlink === 1) return fd;',
        replace: 'if (stat.isFile()) return fd;',
      },
    ],
    tests: ['test/node/find/grep-search.test.ts'],
  },
  {
    id: 'warm-list-proved',
    promise: 'A remembered list is used only if every folder has the identity and change time it had.',
    file: 'local-bridge/tools/search/warm-list.ts',
    find: 'seen.every(isUnchanged) && ',
    replace: '',
    tests: ['test/node/find/warm-list.test.ts'],
  },
];
