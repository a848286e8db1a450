import type { Refusal } from '../core/call.ts';
import { isWithin } from '../core/clock.ts';
import { machineFailure } from '../core/machine-failure.ts';
import { nearest } from '../core/nearest.ts';
import type { MachineRef } from '../core/prepared-call.ts';
import type { MachineStatus } from './machine-port.ts';

/** The facts about a paired machine that decide which one is chosen. */
export interface Known extends MachineRef {
  readonly isDefault: boolean;
}

/** The facts about its connection that decide which one is chosen. */
export type Standing = Pick<MachineStatus, 'online' | 'since' | 'roots'>;

/** The time for which the list, and who is online, is believed. */
const REMEMBER_MS = 1_000;
/**
 * The time for which a machine's folders are believed. They change only when its bridge restarts, and the
 * bridge refuses calls in folders that it does not have.
 */
const REMEMBER_ROOTS_MS = 15_000;

/**
 * Chooses the machine of a call: the one it names, the only one online, or the default. Gives none otherwise.
 */
export function picker(
  registry: () => Promise<readonly Known[]>,
  status: (id: string) => Promise<Standing>,
  report: (error: unknown) => void,
) {
  // Keep values, not promises: a promise belongs to the request that made it.
  let listed: { readonly at: number; readonly machines: readonly Known[] } | undefined;
  const seen = new Map<string, { readonly at: number; readonly standing: Standing }>();

  const all = async (isFresh = false): Promise<readonly Known[]> => {
    if (!isFresh && listed && isWithin(REMEMBER_MS, listed.at, Date.now())) return listed.machines;
    const machines = await registry();
    listed = { at: Date.now(), machines };
    for (const id of seen.keys()) if (!machines.some((one) => one.id === id)) seen.delete(id);
    return machines;
  };

  /** Gives a machine's state, at most `maxAgeMs` old. */
  const standingOf = async (id: string, maxAgeMs: number): Promise<Standing> => {
    const known = seen.get(id);
    if (known && isWithin(maxAgeMs, known.at, Date.now())) return known.standing;
    const standing = await status(id);
    seen.set(id, { at: Date.now(), standing });
    return standing;
  };
  // A machine whose object does not answer is not chosen, and does not stop the choice of another.
  const isOnline = (id: string, maxAgeMs: number) =>
    standingOf(id, maxAgeMs).then(
      ({ online }) => online,
      (error: unknown) => {
        report(error);
        return false;
      },
    );
  const onlineAmong = async (machines: readonly Known[], maxAgeMs: number): Promise<Known[]> => {
    const online = await Promise.all(machines.map(({ id }) => isOnline(id, maxAgeMs)));
    return machines.filter((_, at) => online[at]);
  };

  const find = async (isIt: (one: Known) => boolean): Promise<Known | undefined> =>
    // A machine that was paired a moment ago may be missing in an older list.
    (await all()).find(isIt) ?? (await all(true)).find(isIt);

  const named = async (name: string): Promise<Known | Refusal> => {
    const found = await find((one) => one.name.toLowerCase() === name.toLowerCase());
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
    const up = await onlineAmong(machines, isFresh ? 0 : REMEMBER_MS);
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
    // Do not refuse a call because of what was true a moment ago.
    return 'kind' in picked ? unnamed(true) : picked;
  };

  /** Gives the machine's state for whoever needs its folders. */
  const folders = (id: string, isFresh = false) => standingOf(id, isFresh ? 0 : REMEMBER_ROOTS_MS);
  return { pick, all, find, folders };
}

function choices(machines: readonly Known[]): string {
  return machines.length === 0
    ? ''
    : `There ${machines.length === 1 ? 'is' : 'are'}: ${machines.map(({ name }) => name).join(', ')}.`;
}
