import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const BOWLINE = join(import.meta.dirname, '..', 'local-bridge', 'bin.mjs');
const NODE_MODULES = join(import.meta.dirname, 'node_modules');

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** All that a program needs of ours, so that no setting of this computer's user reaches it. */
export function stdioEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', NO_COLOR: '1' };
}

/** A file of a client's package. */
export function inPackage(name: string, ...path: readonly string[]): string {
  return join(NODE_MODULES, name, ...path);
}

export function versionOf(name: string): string {
  return JSON.parse(readFileSync(inPackage(name, 'package.json'), 'utf8')).version;
}
