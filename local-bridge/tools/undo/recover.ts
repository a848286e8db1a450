import { isWithin } from '../../../src/core/clock.ts';
import { isDiskFull } from '../../../src/core/error-text.ts';
import { isRunning } from '../../lib/lock.ts';
import { type ChangePorts, contentNow, settle } from './changes.ts';
import { type CommandRecord, entryOfCommand, recordsIn, removeRecord } from './command-record.ts';
import type { Entry } from './entry.ts';
import { openKeptContents } from './kept-contents.ts';
import { settleGroup } from './transaction.ts';

/**
 * Settles the changes that a crash interrupted. It leaves the change of a running process alone, unless the change is
 * so old that another process must have that number by now. What a full disk does not let it settle, a later start does.
 */
export async function recover(ports: ChangePorts, now: number): Promise<void> {
  const isOurs = (writer: Pick<Entry, 'pid' | 'at' | 'started'>) =>
    writer.pid === process.pid || !isWithin(HOUR_MS, writer.at, now) || !isRunning(writer);
  await attempt(async () => ports.undo.dropHalves(isOurs));
  const groups = new Map<string, Entry[]>();
  for (const entry of ports.undo.unfinished()) {
    if (!isOurs(entry)) continue;
    if (entry.group !== undefined) {
      groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
      continue;
    }
    // An extra entry does no harm; a missing one would lose the earlier content.
    await attempt(() => settle(entry, ports, 'keep'));
  }
  for (const entries of groups.values()) await attempt(() => settleGroup(entries, ports));
  for (const record of recordsIn(ports.undo.folder, ports.disk)) {
    if (isOurs(record)) await attempt(() => settleCommand(record, ports));
  }
}

/** Records what a command changed of the files that were kept before it, when a crash cut it off. */
async function settleCommand(record: CommandRecord, ports: ChangePorts): Promise<void> {
  const { undo, disk, workspace } = ports;
  const root = workspace.roots.find(({ path }) => path === record.root.path);
  // A start with that folder open settles it.
  if (!root) return;
  const contents = openKeptContents(undo.folder, disk);
  for (const [i, { path, ...before }] of record.files.entries()) {
    const after = await contentNow(root, path, ports);
    if (after === 'unreadable' || after?.sha256 === before.sha256) continue;
    const bytes = contents.read(before.sha256);
    const what = { path, kind: 'file' as const, before, after, parents: [] };
    const entry = entryOfCommand(record, undo.newId(`${record.id}-${i + 1}`), what);
    if (bytes) await undo.addMade([{ entry, before: bytes }]);
  }
  removeRecord(undo.folder, record, disk);
}

const HOUR_MS = 60 * 60 * 1000;

/** A full disk is no reason not to start: then nobody could read either. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
