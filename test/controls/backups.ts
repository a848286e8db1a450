import type { Control } from './control.ts';

const RESTORE = ['restore.test.ts'];
const BACKUP = ['backup.test.ts'];

/** Backups, and how the log comes back from one. */
export const backups: readonly Control[] = [
  {
    id: 'restore-chain',
    promise: 'The gateway checks a restored entry against the chain again.',
    in: 'takeEntries',
    find: 'if (broken) return refused(`entry ${broken.seq} is not as it was written: ${broken.problem}`);',
    replace: 'if (false) return refused(`entry ${broken.seq} is not as it was written: ${broken.problem}`);',
    tests: RESTORE,
  },
  {
    id: 'restore-empty',
    promise: 'A backup is restored only into an empty memory.',
    in: 'beginRestore',
    find: 'seq > 0',
    replace: 'false',
    tests: RESTORE,
  },
  {
    id: 'restore-whole',
    promise: 'Until a restored log is complete, the memory accepts nothing else.',
    in: 'MemoryLog.#closed',
    find: "this.#isRestoring ? 'a backup is being restored into it' : undefined",
    replace: 'undefined',
    tests: RESTORE,
  },
  {
    id: 'restore-end',
    promise: 'A restored log ends as its backup does.',
    in: 'endRestore',
    remove: "if (seq > 0 && hash !== whole.head) return refused('it ends differently from the backup');",
    tests: RESTORE,
  },
  {
    id: 'restore-proof',
    promise: 'Only the owner can restore, with a fresh proof.',
    in: 'OWNER_ROUTES',
    find: "'POST /api/owner/restore': 'fresh'",
    replace: "'POST /api/owner/restore': 'session'",
    tests: ['proof.test.ts'],
  },
  {
    id: 'backup-manifest',
    promise: "A backup's files are checked against their manifest.",
    in: 'wholeBackup',
    find: '(await sha256Of(folder, name)) !== manifest.data.files[name]',
    replace: 'false',
    tests: BACKUP,
  },
  {
    id: 'backup-rules',
    promise: 'Rules that allow come back from a backup switched off.',
    in: 'restoreRules',
    find: "rule.effect === 'allow' && rule.enabled && !enable",
    replace: 'false',
    tests: BACKUP,
  },
  {
    id: 'backup-secrets',
    promise: 'A backup holds no key or token.',
    in: 'makeBackup',
    find: 'secrets ? SECRET_SETTINGS : []',
    replace: 'SECRET_SETTINGS',
    tests: BACKUP,
  },
];
