import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CliError } from '../exit.ts';

/** Settings that keep wrangler from calling home or asking questions. */
export const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CI: 'true',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
};

/** Where wrangler's program is, or what to do if it is nowhere. */
export function wranglerProgram(): string {
  const missing = new CliError(
    'The local runtime (wrangler) is not installed.',
    'Run `npm ci` in the folder you cloned Bowline into, then start again.',
  );
  let manifest: string;
  try {
    manifest = createRequire(import.meta.url).resolve('wrangler/package.json');
  } catch {
    throw missing;
  }
  const program = join(dirname(manifest), 'bin', 'wrangler.js');
  if (!existsSync(program)) throw missing;
  return program;
}
