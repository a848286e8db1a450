import { pathErrors } from '../../contracts/machine-fields.ts';
import type { Refusal } from './call.ts';
import { failureOf } from './failure.ts';
import { offline } from './machine-failure.ts';
import { nearest } from './nearest.ts';
import type { MachineRef, RootRef } from './prepared-call.ts';

/** The folders that a machine has open, the default first, as far as they are known. */
interface OpenRoots {
  readonly online: boolean;
  readonly since: number | null;
  readonly roots: readonly { readonly name: string }[];
}

/** Finds the folder that a call works in, by its registered name, or says why there is none. */
export function rootOf(
  { name }: Pick<MachineRef, 'name'>,
  { online, since, roots }: OpenRoots,
  asked: string | undefined,
): RootRef | Refusal {
  const [first] = roots;
  const found = asked === undefined ? first : roots.find((root) => root.name === asked);
  if (found) return { name: found.name, isDefault: found === first };
  if (!online) return offline(name, since);
  const names = roots.map((root) => root.name);
  const meant = asked === undefined ? undefined : nearest(asked, names);
  const message =
    asked === undefined
      ? `${name} has no folder open.`
      : `${name} has no open folder called ${JSON.stringify(asked)}. Open: ${names.join(', ') || 'none'}.`;
  const suggestion = meant && `Did you mean ${meant}? Name it in \`root\`, or leave \`root\` out.`;
  return {
    kind: 'failed',
    failure: failureOf('unknown_root', pathErrors.unknown_root, {
      message,
      ...(suggestion ? { suggestion } : {}),
    }),
  };
}

/** Reads a text from an input that its contract has accepted. */
export function textIn(input: unknown, key: 'machine' | 'root'): string | undefined {
  const value = (input as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : undefined;
}
