import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LedgerArchive } from '../../../src/gate/archive.ts';
import { Gate } from '../../../src/gate/gate.ts';
import type { GatePort } from '../../../src/gate/gate-door-ports.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { PROJECT } from '../../lib/project.ts';
import { archiveInFolder } from './file-archive.ts';
import { openDatabase } from './node-database.ts';

/**
 * The gate of one computer without a gateway: the same rules, approvals and ledger, in a file of its owner's.
 */
export interface LocalGate extends GatePort {
  /** Gives the gate in its present state, because another process may have written since the last use. */
  now(): Gate;
  /** The whole ledger, with the calls that moved to files beside the database. */
  readonly ledger: LedgerArchive;
  close(): void;
}

const LOOK_EVERY_MS = 200;
const PIECES_A_TURN = 2;
const MIGRATIONS = [
  ...['0001_gate', '0002_ledger', '0003_servers', '0004_restored', '0005_clashes'],
  ...['0006_refusals', '0007_archive', '0008_place', '0009_words', '0010_asked'],
  ...['0011_yes', '0012_graded', '0013_files', '0014_answered', '0015_fewer_rows', '0016_by_yes'],
  ...['0017_whole_reads', '0018_loans', '0019_order'],
];

export function openLocalGate(home: string): LocalGate {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = join(home, 'local-gate.sqlite');
  const database = openDatabase(path);
  chmodSync(path, 0o600);
  const steps = MIGRATIONS.map((name) => {
    const file = join(PROJECT, 'migrations', 'gate', `${name}.sql`);
    return { name, sql: readFileSync(file, 'utf8') };
  });
  // All in one transaction, because another process may open it for the first time too.
  database.transactionSync(() => migrate(database, steps));
  let gate = new Gate(database, { usedBytes: database.usedBytes });
  let version = database.version();
  const now = () => {
    // Rules and settings are kept parsed, so read them again after somebody else has changed something.
    if (version !== database.version()) {
      gate = new Gate(database, { usedBytes: database.usedBytes });
      version = database.version();
    }
    return gate;
  };
  const ledger = new LedgerArchive({
    storage: database,
    store: archiveInFolder(join(home, 'local-gate-archive')),
    usedBytes: database.usedBytes,
    maxBytes: () => now().maxBytes,
    signer: undefined,
  });
  const makeRoom = async () => {
    try {
      await ledger.makeRoom(PIECES_A_TURN);
    } catch (error) {
      // The call has ended and is recorded. Its caller can do nothing about this failure, but its owner reads
      // it here.
      console.error('Old calls could not be moved out of the ledger:', error);
    }
  };
  return {
    now,
    ledger,
    close: database.close,
    admit: async (call, endings) => now().admit(call, endings),
    settle: async (endings) => {
      now().settle(endings);
      await makeRoom();
    },
    answered: async (id, more) => now().answered(id, more),
    leave: async (id, callId) => now().leave(id, callId),
    // Another process makes the decision, so only looking again and again shows it.
    awaitDecision: async (id, ms) => {
      const until = performance.now() + ms;
      for (let left = ms; left > 0 && now().isPending(id); left = until - performance.now())
        await wait(Math.min(LOOK_EVERY_MS, left));
    },
  };
}
