import type { Control } from './control.ts';

/** What was there before a change, and putting it back. */
export const undo: readonly Control[] = [
  {
    id: 'undo-kept',
    promise: 'The earlier content is kept before a write.',
    in: 'changing',
    find: 'ports.undo.begin(entry, before)',
    replace: 'ports.undo.begin(entry)',
    tests: ['undo.test.ts'],
  },
  {
    id: 'undo-few-changes',
    promise: 'The journal of `bowline undo` holds a limited number of changes, however small they are.',
    in: 'openUndoJournal',
    remove: 'i >= changes',
    tests: ['undo.test.ts'],
    only: 'too many changes',
  },
  {
    id: 'undo-whole-calls',
    promise: 'The journal forgets all of a call or nothing, so that undo never takes back half of it.',
    in: 'openUndoJournal',
    find: 'gone.add(group)',
    replace: 'gone.add(id)',
    tests: ['undo.test.ts'],
    only: 'all of a call or nothing',
  },
  {
    id: 'undo-changed',
    promise: '`bowline undo` says what has changed since.',
    in: 'undoChange',
    remove: '!anyway && !isSame(now, entry.after)',
    tests: ['undo.test.ts'],
  },
  {
    id: 'undo-command-changed',
    promise: 'Undoing a command writes over no file that changed since.',
    in: 'undoCall',
    remove: '!anyway && !isSame(now, entry.after)',
    tests: ['undo/command.test.ts'],
  },
  {
    id: 'undo-command-crash',
    promise: 'What is kept before a command survives the death of the bridge.',
    in: 'openCommandUndo',
    remove: 'await attempt(() => writeRecord(undo.folder, record, disk));',
    tests: ['undo/command.test.ts'],
    only: 'dies',
  },
  {
    id: 'undo-command-blob',
    promise: 'Undo takes from git only what stood in the folder byte for byte.',
    in: 'earlierOf',
    find: 'bytes?.length === was?.size ? bytes : undefined',
    replace: 'bytes',
    tests: ['undo/command.test.ts'],
    only: 'another form',
  },
];
