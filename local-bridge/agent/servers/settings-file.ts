import { isRecord } from '../../../src/core/is-record.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { jsonOrNothing, readIfThere, writePrivate } from '../../lib/private-file.ts';
import { settingsFile } from '../policy/settings.ts';
import { type ServerEntry, serverEntries } from './settings.ts';

/** Reads the `servers` in a home's bridge.json. */
export function serversIn(home: string): Record<string, unknown> {
  const { servers } = fileIn(home);
  return isRecord(servers) ? servers : {};
}

/** Writes a server into the file for the bridge to start. The rest of the file stays as it is. */
export function writeServer(home: string, name: string, entry: Partial<ServerEntry>): void {
  const servers = serversIn(home);
  if (Object.hasOwn(servers, name)) {
    throw new CliError(
      `bridge.json has a server ${name} already.`,
      `Remove it first: \`bowline servers remove ${name}\`.`,
    );
  }
  const next = { ...servers, [name]: entry };
  // Check before writing: a wrong file stops the start.
  serverEntries(next);
  write(home, next);
}

/** Removes a server; `false` if it was not there. */
export function dropServer(home: string, name: string): boolean {
  const { [name]: gone, ...servers } = serversIn(home);
  if (gone === undefined) return false;
  write(home, servers);
  return true;
}

function write(home: string, servers: Record<string, unknown>): void {
  writePrivate(settingsFile(home), `${JSON.stringify({ ...fileIn(home), servers }, null, 2)}\n`);
}

function fileIn(home: string): Record<string, unknown> {
  const text = readIfThere(settingsFile(home));
  if (text === undefined) return {};
  const json = jsonOrNothing(text);
  if (isRecord(json)) return json;
  throw new CliError(`${settingsFile(home)} is not a JSON object.`, 'Fix it, then try again.', EXIT.usage);
}
