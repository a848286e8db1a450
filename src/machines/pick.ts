import type { Refusal } from '../core/call.ts';
import { nearest } from '../core/nearest.ts';
import { machineFailure } from './answer.ts';

/** A paired machine, as far as choosing one goes. */
export interface Known {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
}

/** How long the list, and who is online, is believed. */
const REMEMBER_MS = 1_000;

/** Chooses the machine of a call: the one it names, or the only one online, or the default, or none. */
export function picker(
  registry: () => Promise<readonly Known[]>,
  status: (id: string) => Promise<{ readonly online: boolean }>,
  report: (error: unknown) => void,
) {
  // Values, and no promises: those belong to the request that made them.
  let listed: { readonly at: number; readonly machines: readonly Known[] } | undefined;
  let online: { readonly at: number; readonly ids: ReadonlySet<string> } | undefined;

  const all = async (isFresh = false): Promise<readonly Known[]> => {
    if (!isFresh && listed && Date.now() - listed.at < REMEMBER_MS) return listed.machines;
    const machines = await registry();
    listed = { at: Date.now(), machines };
    return machines;
  };
  // One whose object cannot say is none to choose, and no reason not to choose another.
  const isOnline = (id: string) =>
    status(id).then(
      (one) => one.online,
      (error: unknown) => {
        report(error);
        return false;
      },
    );
  const onlineAmong = async (machines: readonly Known[], isFresh: boolean): Promise<Known[]> => {
    if (isFresh || !online || Date.now() - online.at >= REMEMBER_MS) {
      const ids = await Promise.all(machines.map(async ({ id }) => ((await isOnline(id)) ? [id] : [])));
      online = { at: Date.now(), ids: new Set(ids.flat()) };
    }
    const { ids } = online;
    return machines.filter(({ id }) => ids.has(id));
  };

  const named = async (name: string): Promise<Known | Refusal> => {
    const isIt = (one: Known) => one.name.toLowerCase() === name.toLowerCase();
    // One that was paired a moment ago may not be in a list from before.
    const found = (await all()).find(isIt) ?? (await all(true)).find(isIt);
    if (found) return found;
    const machines = await all();
    const meant = nearest(
      name,
      machines.map((one) => one.name),
    );
    return machineFailure('unknown_machine', {
      message: `No machine called ${name} is paired. ${choices(machines)}`.trimEnd(),
      ...(meant ? { suggestion: `Did you mean ${meant}? Name it in \`machine\`.` } : {}),
    });
  };

  const unnamed = async (isFresh: boolean): Promise<Known | Refusal> => {
    const machines = await all(isFresh);
    const [first, ...others] = machines;
    if (!first) {
      return machineFailure('unknown_machine', {
        message: 'No machine is paired yet.',
        suggestion: 'Ask the owner to run `bowline pair` on the machine that is to do this.',
      });
    }
    if (others.length === 0) return first;
    const up = await onlineAmong(machines, isFresh);
    const chosen = up.length === 1 ? up[0] : machines.find(({ isDefault }) => isDefault);
    if (chosen) return chosen;
    const message =
      up.length === 0
        ? `None of the machines is online. ${choices(machines)}`
        : `More than one could run this. ${choices(up)}`;
    return machineFailure(up.length === 0 ? 'machine_offline' : 'ambiguous_machine', { message });
  };

  const pick = async (name: string | undefined): Promise<Known | Refusal> => {
    if (name !== undefined) return named(name);
    const picked = await unnamed(false);
    // Nobody is turned away by what was so a moment ago.
    return 'kind' in picked ? unnamed(true) : picked;
  };
  return { pick, all };
}

function choices(machines: readonly Known[]): string {
  return machines.length === 0
    ? ''
    : `There ${machines.length === 1 ? 'is' : 'are'}: ${machines.map(({ name }) => name).join(', ')}.`;
}
