import { statSync } from 'node:fs';
import { stateOf } from '../../../src/core/preview.ts';
import { identityOf } from '../workspace/held.ts';
import type { TerminalStatus } from './terminal.ts';

/**
 * What an owner who approves a command relies on: the very folder, the shell, and what keeps the command in. Not what
 * the folder holds, which a command is meant to meet as it is.
 */
export function terminalState(here: string, { shell, confinement, network }: TerminalStatus): string {
  const folder = identityOf(statSync(here, { bigint: true }));
  return stateOf(folder, shell, confinement, network === null ? 'any' : network.join('\n'));
}
