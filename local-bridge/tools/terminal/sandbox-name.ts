import type { Sandbox } from '../../../contracts/sandboxes.ts';
import type { TerminalStatus } from './terminal.ts';

/** Names what keeps commands apart on this machine, for its gateway. */
export function sandboxOf({
  on,
  sandboxed,
  confinement,
}: Pick<TerminalStatus, 'on' | 'sandboxed' | 'confinement'>): Sandbox {
  if (!on) return 'off';
  if (!sandboxed) return 'none';
  return confinement === 'Seatbelt' ? 'sandbox-exec' : 'bubblewrap';
}
