import type { Control } from './control.ts';

const PREVIEW = ['terminal/preview.test.ts'];

/** What the owner is shown of commands, pages and models before a yes, and that the yes holds for that alone. */
export const seen: readonly Control[] = [
  {
    id: 'command-facts-long',
    promise:
      'A command of many or long paths cannot make its own facts disappear, or the machine stand still.',
    in: 'outside',
    remove: 'if (path.length > MAX_PATH_CHARS) return `It ${verb} a path of ${path.length} characters.`;',
    tests: ['command-facts.test.ts'],
    only: 'longer than any',
  },
  {
    id: 'command-same-folder',
    promise: 'An approved command runs only in the very folder that the owner saw.',
    in: 'terminalState',
    find: 'statSync(here, { bigint: true })',
    replace: '{ ...statSync(here, { bigint: true }), dev: 0n, ino: 0n }',
    tests: PREVIEW,
    only: 'took the place',
  },
  {
    id: 'command-same-shell',
    promise: 'An approved command runs only in the shell and the sandbox that the owner saw.',
    in: 'runCommandTool',
    remove: 'if (changed) throw new Error(changed.failure.message);',
    tests: PREVIEW,
    only: 'another shell',
  },
  {
    id: 'preview-terminal-off',
    promise: 'The owner is not asked about a command while the terminal is off.',
    in: 'previewCommand',
    remove: "if (off !== undefined) return call.fail('terminal_off', off);",
    tests: PREVIEW,
    only: 'turn down',
  },
  {
    id: 'preview-redacted',
    promise: 'The preview of a command contains no secret and no invisible character.',
    in: 'wordsOf',
    find: 'redactValue(words)',
    replace: 'words',
    together: [
      {
        in: 'plainFact',
        find: 'visible(redact(text), MAX_FACT)',
        replace: 'text.slice(0, MAX_FACT)',
      },
    ],
    tests: PREVIEW,
    only: 'hides what is secret',
  },
  {
    id: 'unload-same-server',
    promise: 'An approved unload stops only the model server that the owner saw, and no later one.',
    in: 'serverState',
    body: "return stateOf('', id.slice(0, 0));",
    tests: ['mlx/preview.test.ts'],
    only: 'no later one',
  },
  {
    id: 'mlx-preview-looks',
    promise: 'A preview about a model does not change the list of servers.',
    in: 'unchanged',
    remove: 'put: () => undefined, drop: () => undefined',
    tests: ['mlx/preview.test.ts'],
    only: 'as it is',
  },
  {
    id: 'page-preview-guarded',
    promise: 'The owner is not asked about a page whose address the guard refuses.',
    in: 'previewFetch',
    find: "if (objection) return call.fail('blocked_url', `${url.origin} is not fetched: ${objection}.`);",
    replace:
      "if (objection === '') return call.fail('blocked_url', `${url.origin} is not fetched: ${objection}.`);",
    tests: ['webpage/preview.test.ts'],
  },
  {
    id: 'page-preview-inside',
    promise: 'Before the approval, no caller learns the private address of a name.',
    in: 'previewFetch',
    find: '`${host} is not fetched: it resolves to an address inside.`',
    replace: 'error.message',
    tests: ['webpage/preview.test.ts'],
  },
  {
    id: 'joined-preview-changed',
    promise: 'The owner learns that a joined tool changed since they last looked at it.',
    in: 'previewJoined',
    find: 'changedAt === null',
    replace: 'true',
    tests: ['preview-joined.test.ts'],
    only: 'changed',
  },
  {
    id: 'touched-by-change-time',
    promise: 'A command cannot change a file unnoticed by setting its size and time back.',
    in: 'printOf',
    file: 'touched-files.ts',
    find: 'stat.ctimeNs',
    replace: 'stat.mtimeNs',
    tests: ['touched-files.test.ts'],
    only: 'anybody can set',
  },
  {
    id: 'touched-visible',
    promise: 'The name of a file that a command made cannot mislead a reader of the answer.',
    in: 'touchedBetween',
    find: 'paths.slice(0, MAX_NAMED).map(shown)',
    replace: 'paths.slice(0, MAX_NAMED)',
    tests: ['touched-files.test.ts'],
  },
];
