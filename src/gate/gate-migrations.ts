import first from '../../migrations/gate/0001_gate.sql';
import second from '../../migrations/gate/0002_ledger.sql';
import third from '../../migrations/gate/0003_servers.sql';
import fourth from '../../migrations/gate/0004_restored.sql';
import fifth from '../../migrations/gate/0005_clashes.sql';
import sixth from '../../migrations/gate/0006_refusals.sql';
import seventh from '../../migrations/gate/0007_archive.sql';
import eighth from '../../migrations/gate/0008_place.sql';
import ninth from '../../migrations/gate/0009_words.sql';
import tenth from '../../migrations/gate/0010_asked.sql';
import eleventh from '../../migrations/gate/0011_yes.sql';
import twelfth from '../../migrations/gate/0012_graded.sql';
import thirteenth from '../../migrations/gate/0013_files.sql';
import fourteenth from '../../migrations/gate/0014_answered.sql';
import fifteenth from '../../migrations/gate/0015_fewer_rows.sql';
import sixteenth from '../../migrations/gate/0016_by_yes.sql';
import seventeenth from '../../migrations/gate/0017_whole_reads.sql';
import eighteenth from '../../migrations/gate/0018_loans.sql';
import nineteenth from '../../migrations/gate/0019_order.sql';

/** The schema of the gate's object, in steps. The local gate lists the same files. */
export const gateMigrations = [
  { name: '0001_gate', sql: first },
  { name: '0002_ledger', sql: second },
  { name: '0003_servers', sql: third },
  { name: '0004_restored', sql: fourth },
  { name: '0005_clashes', sql: fifth },
  { name: '0006_refusals', sql: sixth },
  { name: '0007_archive', sql: seventh },
  { name: '0008_place', sql: eighth },
  { name: '0009_words', sql: ninth },
  { name: '0010_asked', sql: tenth },
  { name: '0011_yes', sql: eleventh },
  { name: '0012_graded', sql: twelfth },
  { name: '0013_files', sql: thirteenth },
  { name: '0014_answered', sql: fourteenth },
  { name: '0015_fewer_rows', sql: fifteenth },
  { name: '0016_by_yes', sql: sixteenth },
  { name: '0017_whole_reads', sql: seventeenth },
  { name: '0018_loans', sql: eighteenth },
  { name: '0019_order', sql: nineteenth },
];
