import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { missingSecrets } from '../local-bridge/cli/deploy/secrets.ts';
import { readIfThere, writePrivate } from '../local-bridge/lib/private-file.ts';

/** Wrangler's own services that would show the data of the Worker. The clone's `.env` turns them off. */
const MUST_BE_OFF = ['X_LOCAL_EXPLORER', 'X_LOCAL_OBSERVABILITY'];

/**
 * Prepares a clone for `wrangler dev`: writes the secrets to `.dev.vars`, which wrangler reads after the build.
 * Prints a new owner key, which is kept nowhere. Refuses if wrangler would show all data of the Worker.
 */
export function readyForWranglerDev(clone: string, environment: NodeJS.ProcessEnv): void {
  const on = MUST_BE_OFF.filter((name) => environment[name]?.toLowerCase() !== 'false');
  if (on.length > 0) {
    console.error(
      `\`wrangler dev\` would show everything the Worker keeps to all programs of this computer: ${on.join(' and ')} must be false.\n` +
        'Run it in the clone without --env-file, so that it reads the `.env` there; or use `npm start`.',
    );
    process.exit(1);
  }
  // Wrangler keeps the Worker's data here, in files that every user could read.
  const data = join(clone, '.wrangler');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  chmodSync(data, 0o700);
  const ownerKey = makeDevVars(join(clone, '.dev.vars'));
  if (ownerKey !== undefined) {
    console.log(
      `Owner key: ${ownerKey}\n` +
        'It signs you in to the console, and is shown only now. For a new one, take OWNER_KEY_HASH out of .dev.vars.',
    );
  }
}

/** Adds the settings that `.dev.vars` lacks. Gives the owner key if it made one. */
function makeDevVars(path: string): string | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw new Error(`${path} has to be a file, and is something else.`);
  const text = readIfThere(path) ?? '';
  const names = Object.keys(parseEnv(text));
  const { values, ownerKey } = missingSecrets({ there: names, newOwnerKey: false, github: false });
  const wanted = {
    ...values,
    // With an empty address, the gateway is at the address of each request, because wrangler may choose any port.
    PUBLIC_URL: '',
    BLOB_NAMES_BEGIN: randomBytes(16).toString('hex'),
  };
  const lines = Object.entries(wanted).flatMap(([name, value]) =>
    names.includes(name) ? [] : [`${name}=${value}\n`],
  );
  const begun = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (lines.length > 0) writePrivate(path, begun + lines.join(''));
  else chmodSync(path, 0o600);
  return ownerKey;
}
