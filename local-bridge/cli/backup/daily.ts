import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { writePrivate } from '../../lib/private-file.ts';
import { FILES, PLAIN_SETTINGS, rulesShape, SECRET_SETTINGS } from './format.ts';

const KEPT = 10;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** A backup needs these keys: without them, signatures, machines and the owner's sign-in are lost. */
const KEYS = ['owner-key', 'memory-key', 'machine/machine-key', 'machine/machine.json'];

/** The time between looks for a day without a backup. It is short because a computer may sleep through midnight. */
const LOOK_EVERY_MS = 60 * 60_000;

/** Backs up now, and each day from then on, as long as the gateway runs. Gives a function that stops this. */
export async function backUpEachDay(
  act: () => Promise<void>,
  complain: (error: unknown) => void,
): Promise<() => void> {
  const once = () => act().catch(complain);
  await once();
  const timer = setInterval(() => void once(), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Tells whether a day's backup is there and complete. */
export function isBackedUp(stateFolder: string, now: Date): boolean {
  return existsSync(join(folderOf(stateFolder, now), FILES.rules));
}

function folderOf(stateFolder: string, now: Date): string {
  return join(stateFolder, 'backups', now.toISOString().slice(0, 10));
}

/** Backs up the rules, settings and keys of a local gateway, once a day, and keeps ten of these. */
export async function backUpDay(
  owner: Pick<OwnerSession, 'call'>,
  stateFolder: string,
  now: Date,
): Promise<void> {
  const all = join(stateFolder, 'backups');
  const folder = folderOf(stateFolder, now);
  // The rules are written last, so a backup that was interrupted is made again.
  if (isBackedUp(stateFolder, now)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const key of KEYS) {
    const name = key.split('/').at(-1) ?? key;
    if (existsSync(join(stateFolder, key))) copyFileSync(join(stateFolder, key), join(folder, name));
  }
  const settings: Record<string, unknown> = {};
  for (const name of [...PLAIN_SETTINGS, ...SECRET_SETTINGS]) {
    settings[name] = ((await owner.call('GET', `settings/${name}`)) as { value: unknown }).value;
  }
  writePrivate(join(folder, FILES.settings), `${JSON.stringify(settings, null, 2)}\n`);
  const { rules } = rulesShape.parse(await owner.call('GET', 'rules'));
  writePrivate(join(folder, FILES.rules), `${JSON.stringify({ rules }, null, 2)}\n`);
  const days = readdirSync(all)
    .filter((name) => DAY.test(name))
    .toSorted();
  for (const old of days.slice(0, -KEPT)) rmSync(join(all, old), { recursive: true, force: true });
}
