import { join, resolve } from 'node:path';

/** The folder with the sources of gateway and bridge. */
export const PROJECT = resolve(import.meta.dirname, '..', '..');

/** What a gateway under `wrangler dev` keeps. It lies in the clone, which may be an open folder. */
export const WRANGLER_STATE = join(PROJECT, '.wrangler', 'state');

/** The `bowline` command as a file for Node. */
export const BOWLINE = resolve(PROJECT, 'local-bridge', 'bin.mjs');
