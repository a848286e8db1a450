import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CliError, EXIT } from './exit.ts';

/** The user's state folder: `BOWLINE_HOME`, or `.bowline` in their home. */
export function bowlineHome(): string {
  const set = process.env.BOWLINE_HOME;
  return set ? resolve(set) : join(homedir(), '.bowline');
}

/** The gateway that commands speak to, if one is named. */
export function gatewayUrl(): string | undefined {
  const set = process.env.BOWLINE_URL?.replace(/\/+$/, '');
  if (!set) return undefined;
  if (URL.canParse(set) && /^https?:/.test(set)) return set;
  throw new CliError(
    `BOWLINE_URL is ${JSON.stringify(set)}, which is not a web address.`,
    'Set it to something like https://bowline.example.workers.dev.',
    EXIT.usage,
  );
}
