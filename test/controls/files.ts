import type { Control } from './control.ts';

const RULES = {
  file: 'local-bridge/workspace/path-rules.ts',
  tests: ['test/node/workspace/path-rules.test.ts'],
};
const OPENING = {
  file: 'local-bridge/workspace/open-file.ts',
  tests: ['test/node/workspace/workspace.test.ts'],
};
const HELD = { file: 'local-bridge/workspace/held.ts', tests: ['test/node/workspace/workspace.test.ts'] };
const NAMES = {
  file: 'local-bridge/workspace/closed-names.ts',
  tests: ['test/node/workspace/closed-names.test.ts'],
};

/** The only ways from a path that a call names to something on a disk. */
export const files: readonly Control[] = [
  {
    id: 'path-leaves-root',
    promise: 'No path leads out of its folder: not from `/`, `~`, a drive or `..`.',
    ...RULES,
    find: 'if (leavesRoot(path)) {',
    replace: 'if (false) {',
  },
  {
    id: 'path-unseen',
    promise: 'A path with control or invisible characters is refused.',
    ...RULES,
    find: "if (UNSEEN.test(name)) return 'it has a control or invisible character in it.';",
    replace: '',
  },
  {
    id: 'path-form',
    promise: 'A path in another Unicode form is refused, and not repaired.',
    ...RULES,
    find: "if (name !== name.normalize('NFC')) return 'it is not in Unicode normal form C.';",
    replace: '',
  },
  {
    id: 'path-backslash',
    promise: 'A path with a backslash is refused.',
    ...RULES,
    find: "if (name.includes('\\\\')) return",
    replace: 'if (false) return',
  },
  {
    id: 'path-streams',
    promise: 'A path with a `:` is refused.',
    ...RULES,
    find: "if (name.includes(':')) return",
    replace: 'if (false) return',
  },
  {
    id: 'path-tail',
    promise: 'A name that ends in a dot or space is refused.',
    ...RULES,
    find: "return 'a name in it ends in a space or dot.';",
    replace: 'return undefined;',
  },
  {
    id: 'path-devices',
    promise: 'A name that means a device on Windows is refused.',
    ...RULES,
    find: 'if (WINDOWS_DEVICE.test(folded(name))) return',
    replace: 'if (false) return',
  },
  {
    id: 'path-short-names',
    promise: 'A short name of Windows is refused.',
    ...RULES,
    find: 'if (SHORT_NAME.test(name)) return',
    replace: 'if (false) return',
  },
  {
    id: 'walk-links',
    promise: 'No folder on the way to a file is a link (held by its handle).',
    ...HELD,
    find: 'O_RDONLY | O_DIRECTORY | O_NOFOLLOW;',
    replace: 'O_RDONLY | O_DIRECTORY;',
  },
  {
    id: 'walk-links-elsewhere',
    promise: 'No folder on the way to a file is a link (held by the working directory).',
    ...HELD,
    find: "if (!found.isDirectory()) throw errno('ENOTDIR', name);",
    replace: '',
    together: [
      {
        file: 'local-bridge/workspace/held.ts',
        find: "if (identityOf(disk.stat('.')) !== identity) throw errno('ESTALE', name);",
        replace: '',
      },
    ],
  },
  {
    id: 'walk-swaps',
    promise: 'A folder that was swapped while it was walked is noticed by device and inode.',
    ...HELD,
    find: "if (identityOf(disk.stat('.')) !== identity) throw errno('ESTALE', name);",
    replace: '',
  },
  {
    id: 'file-links',
    promise: 'Links are not followed, by name or by the system.',
    ...OPENING,
    find: 'const refusal = before.isSymbolicLink()\n',
    replace: 'const refusal = false\n',
    together: [
      {
        file: 'local-bridge/workspace/open-file.ts',
        find: 'const PLAIN = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;',
        replace: 'const PLAIN = O_NONBLOCK | O_NOCTTY;',
      },
      {
        file: 'local-bridge/workspace/open-file.ts',
        find: ': refusalFor(before, place.relative);',
        replace: ': undefined;',
      },
      {
        file: 'local-bridge/workspace/open-file.ts',
        find: 'identityOf(stats) !== identityOf(before) ?',
        replace: 'identityOf(stats) === "" ?',
      },
    ],
  },
  {
    id: 'file-second-names',
    promise: 'Files with a second name are not opened.',
    ...OPENING,
    find: 'if (stats.nlink > 1n) {',
    replace: 'if (false) {',
  },
  {
    id: 'file-regular',
    promise: 'Pipes, devices and sockets are not opened.',
    ...OPENING,
    find: 'if (!stats.isFile()) return notRegular(path);',
    replace: '',
  },
  {
    id: 'root-replaced',
    promise: 'A folder that took the place of an open one is not open.',
    file: 'local-bridge/workspace/workspace.ts',
    find: 'if (root.isStillThere(disk)) return root;',
    replace: 'return root;',
    tests: HELD.tests,
  },
  {
    id: 'own-folder',
    promise: "Bowline's own folder stays closed, wherever it is.",
    file: 'local-bridge/workspace/workspace.ts',
    find: ' && !closed.hold(`${root.path}/${relative}`)',
    replace: '',
    tests: HELD.tests,
  },
  {
    id: 'closed-secrets',
    promise: 'Keys, tokens and passwords by their usual names are not opened.',
    ...NAMES,
    find: 'if (isAmong(names, secrets)) return false;',
    replace: '',
  },
  {
    id: 'closed-git',
    promise: 'What in `.git` may hold a password is not opened.',
    ...NAMES,
    find: 'if (git >= 0 && names.slice(git + 1).some((name) => GIT_SECRETS.has(name))) return false;',
    replace: '',
  },
  {
    id: 'closed-autorun',
    promise: 'What other programs run by themselves is not written.',
    ...NAMES,
    find: "return to === 'read' || !isAmong(names, autorun);",
    replace: 'return true;',
  },
  {
    id: 'closed-case',
    promise: 'Closed names are closed in any case.',
    ...NAMES,
    find: "relative.split('/').map(folded)",
    replace: "relative.split('/')",
  },
  {
    id: 'write-changed',
    promise: 'A file that changed since it was read is not written over.',
    file: 'local-bridge/workspace/write-file.ts',
    find: 'if (identityOf(now) === identityOf(stats) && now.mtimeNs === stats.mtimeNs) return;',
    replace: 'return;',
    tests: ['test/node/edits/replace-string.test.ts'],
  },
  {
    id: 'write-never-over',
    promise: 'A new file never takes the place of one that somebody else made meanwhile.',
    file: 'local-bridge/workspace/write-file.ts',
    find: 'disk.link(temporary, name);',
    replace: 'return disk.rename(temporary, name);',
    tests: ['test/node/edits/create-file.test.ts'],
  },
  {
    id: 'undo-kept',
    promise: 'Before a write the earlier content is kept.',
    file: 'local-bridge/undo/changes.ts',
    find: 'await ports.undo.begin(entry, before);',
    replace: 'await ports.undo.begin(entry);',
    tests: ['test/node/undo/undo.test.ts'],
  },
  {
    id: 'undo-changed',
    promise: '`bowline undo` says what has changed since.',
    file: 'local-bridge/undo/restore.ts',
    find: "if (now === 'unreadable' || (!anyway && !isSame(now, entry.after))) return",
    replace: "if (now === 'unreadable') return",
    tests: ['test/node/undo/undo.test.ts'],
  },
];
