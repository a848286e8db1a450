import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_FILES } from '../../../contracts/memory.ts';
import { GENESIS } from '../../../src/core/chain.ts';
import { VERSION } from '../../../src/core/version.ts';
import { visible } from '../../../src/core/visible.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { counted, type Tell } from '../../lib/long-work.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { writePrivate } from '../../lib/private-file.ts';
import { exportedCheckpoints, exportedEntries, exportedLine } from '../memory/export.ts';
import {
  FILES,
  ledgerPageShape,
  type Manifest,
  machinesShape,
  PLAIN_SETTINGS,
  rulesShape,
  SECRET_SETTINGS,
  serversShape,
  sha256Of,
} from './format.ts';

/** Writes everything that the gateway keeps for its owner into an empty folder. */
export async function makeBackup(
  owner: OwnerSession,
  { url, folder, secrets }: { readonly url: string; readonly folder: string; readonly secrets: boolean },
  tell?: Tell,
): Promise<Manifest> {
  emptyFolder(folder);
  const memory = await writeMemory(owner, folder, tell);
  const calls = await writeLedger(owner, folder, tell);
  const { rules } = rulesShape.parse(await owner.call('GET', 'rules'));
  const settings: Record<string, unknown> = {};
  for (const name of [...PLAIN_SETTINGS, ...(secrets ? SECRET_SETTINGS : [])]) {
    const said = await owner.call('GET', `settings/${name}`);
    settings[name] = (said as { value: unknown }).value;
  }
  const { machines } = machinesShape.parse(await owner.call('GET', 'machines'));
  const { servers } = serversShape.parse(await owner.call('GET', 'servers'));
  // The text after an address may hold a key.
  const joined = secrets ? servers : servers.map((one) => ({ ...one, url: one.url && bare(one.url) }));
  const json = {
    ...{ [FILES.rules]: { rules }, [FILES.settings]: settings },
    ...{ [FILES.machines]: { machines }, [FILES.servers]: { servers: joined } },
  };
  for (const [name, value] of Object.entries(json))
    writePrivate(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  const names = [...Object.values(FILES), ...MEMORY_FILES.map((file) => `memory/${file}`)];
  const files: Record<string, string> = {};
  for (const name of names.filter((one) => one !== FILES.manifest))
    files[name] = await sha256Of(folder, name);
  const made = new Date().toISOString();
  const manifest: Manifest = {
    ...{ format: 1, made_at: made, gateway: url, version: VERSION, memory, calls, files },
  };
  writePrivate(join(folder, FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

function bare(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

function emptyFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CliError(
      `${folder} is not empty.`,
      'Name an empty or a new folder. A backup holds one moment and is never added to.',
      EXIT.usage,
    );
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

async function writeMemory(owner: OwnerSession, folder: string, tell?: Tell): Promise<Manifest['memory']> {
  // Fetch these before the entries: a checkpoint made meanwhile would belong to an entry that is not here.
  const signed = await exportedCheckpoints(owner);
  writePrivate(join(folder, FILES.checkpoints), `${JSON.stringify(signed, null, 2)}\n`);
  for (const name of [FILES.log, ...MEMORY_FILES.map((file) => `memory/${file}`)])
    writeFileSync(join(folder, name), '', { mode: 0o600 });
  let entries = 0;
  let head = GENESIS;
  for await (const entry of counted(exportedEntries(owner), tell, 'Saving the memory’s entries')) {
    appendFileSync(join(folder, FILES.log), exportedLine(entry));
    // The name comes from a gateway, and becomes part of a path here.
    if (!MEMORY_FILES.some((known) => known === entry.file))
      throw new CliError(`The gateway's memory has a file that this version does not know: ${entry.file}.`);
    appendFileSync(join(folder, 'memory', entry.file), `${entry.body}\n`);
    entries += 1;
    head = entry.hash;
  }
  return { entries, head };
}

async function writeLedger(owner: OwnerSession, folder: string, tell?: Tell): Promise<number> {
  const path = join(folder, FILES.ledger);
  writeFileSync(path, '', { mode: 0o600 });
  let calls = 0;
  for (let before: number | null | undefined; before !== null; ) {
    const page = ledgerPageShape.parse(
      await owner.call('GET', `ledger?limit=200${before === undefined ? '' : `&before=${before}`}`),
    );
    if (page.missing) {
      throw new CliError(
        `Calls cannot be read from the archive: ${page.missing.map((one) => visible(one)).join(' ')}`,
        'Without them the backup would be incomplete. `bowline ledger verify` shows what is wrong with the archive.',
      );
    }
    appendFileSync(path, page.entries.map((call) => `${JSON.stringify(call)}\n`).join(''));
    calls += page.entries.length;
    tell?.('Saving calls of the ledger', calls);
    before = page.next;
  }
  return calls;
}
