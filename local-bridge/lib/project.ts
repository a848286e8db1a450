import { resolve } from 'node:path';

/** The folder with the sources of gateway and bridge. */
export const PROJECT = resolve(import.meta.dirname, '..', '..');

/** The `bowline` command as a file for Node. */
export const BOWLINE = resolve(PROJECT, 'local-bridge', 'bin.mjs');
