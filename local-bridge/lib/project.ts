import { join, resolve } from 'node:path';

/** The folder with the sources of gateway and bridge. */
export const PROJECT = resolve(import.meta.dirname, '..', '..');

/** What a gateway under `wrangler dev` keeps. It lies in the clone, which may be an open folder. */
export const WRANGLER_STATE = join(PROJECT, '.wrangler', 'state');

/** The `bowline` command as a file for Node. */
export const BOWLINE = resolve(PROJECT, 'local-bridge', 'bin.mjs');

/**
 * Options of Node for a bridge that runs for weeks: it then holds half as much memory, because V8 collects sooner and
 * does not grow for each burst of calls.
 */
export const LEAN = ['--max-semi-space-size=1', '--optimize-for-size'] as const;
