import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { PROJECT } from '../../lib/project.ts';

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

/** Gives the clone that this runs from. No package contains the gateway. */
export function cloneFolder(): string {
  if (existsSync(join(PROJECT, 'wrangler.toml'))) return PROJECT;
  throw new CliError(
    'The gateway runs from a clone of the repo, and this is the package for machines.',
    'Clone Bowline, and run `npm ci && npm start` there. Here, use `bowline pair` and `bowline connect`.',
  );
}

/** Finds wrangler's program, or says what to do if it is missing. */
export function wranglerProgram(): string {
  cloneFolder();
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

/** Finds the runtime's own program. The package's `bin` is only a script that starts it. */
export function workerdProgram(): string {
  return createRequire(wranglerProgram())('workerd').default;
}
