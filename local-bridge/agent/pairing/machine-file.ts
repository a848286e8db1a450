import { join } from 'node:path';
import * as z from 'zod';
import { machineName } from '../../../contracts/machine-fields.ts';
import { CliError } from '../../lib/exit.ts';
import { jsonOrNothing, readIfThere, writePrivate } from '../../lib/private-file.ts';

const shape = z.object({ gateway: z.url(), id: z.string().regex(/^m_[0-9a-f]{32}$/), name: machineName });

/** The gateway that this machine serves, and the machine's name and id there. */
export type PairedMachine = z.infer<typeof shape>;

export function pairedMachine(home: string): PairedMachine | undefined {
  const path = machineFile(home);
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const parsed = shape.safeParse(jsonOrNothing(text));
  if (parsed.success) return parsed.data;
  throw new CliError(`${path} is damaged.`, 'Move it away and run `bowline pair` again.');
}

export function savePairedMachine(home: string, machine: PairedMachine): void {
  writePrivate(machineFile(home), `${JSON.stringify(machine, null, 2)}\n`);
}

/** The file that says which gateway this machine serves. */
export function machineFile(home: string): string {
  return join(home, 'machine.json');
}
