import { statSync } from 'node:fs';
import { stateOf } from '../../../src/core/preview.ts';
import { identityOf } from '../workspace/held.ts';
import type { TerminalStatus } from './terminal.ts';

/**
 * Gives the state that the owner sees when they approve a command: the very folder, the shell, and the confinement.
 * The folder's contents are not part of it, because a command may use them as they are then.
 */
export function terminalState(here: string, { shell, confinement, network }: TerminalStatus): string {
  const folder = identityOf(statSync(here, { bigint: true }));
  return stateOf(folder, shell, confinement, network === null ? 'any' : network.join('\n'));
}
