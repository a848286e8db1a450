import { resolve } from 'node:path';

/** The folder that holds the gateway's sources, and the bridge's beside them. */
export const PROJECT = resolve(import.meta.dirname, '..', '..');

/** The `bowline` command, as a file for Node. */
export const BOWLINE = resolve(PROJECT, 'local-bridge', 'bin.mjs');
