import first from '../../migrations/machines/0001_machine.sql';
import second from '../../migrations/machines/0002_seen.sql';
import third from '../../migrations/machines/0003_epochs.sql';
import fourth from '../../migrations/machines/0004_fewer_rows.sql';
import fifth from '../../migrations/machines/0005_reason.sql';
import sixth from '../../migrations/machines/0006_args.sql';
import seventh from '../../migrations/machines/0007_sandbox.sql';

/** The schema of a machine's object, in steps. */
export const machineMigrations = [
  { name: '0001_machine', sql: first },
  { name: '0002_seen', sql: second },
  { name: '0003_epochs', sql: third },
  { name: '0004_fewer_rows', sql: fourth },
  { name: '0005_reason', sql: fifth },
  { name: '0006_args', sql: sixth },
  { name: '0007_sandbox', sql: seventh },
];
