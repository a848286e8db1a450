import { hostname } from 'node:os';
import { machineName } from '../../../contracts/machine-fields.ts';

/** Gives this computer's name as far as it is a valid machine name: the host's first label. */
export function defaultMachineName(host: string = hostname()): string {
  const [label = ''] = host.split('.');
  const cut = label
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
    .replace(/(?<![-_.])[-_.]+$/, '');
  return machineName.safeParse(cut).success ? cut : 'this-computer';
}
