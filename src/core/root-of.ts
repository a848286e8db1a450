import * as z from 'zod';
import { PATH_FIELDS, pathErrors } from '../../contracts/machine-fields.ts';
import type { Refusal } from './call.ts';
import { failureOf } from './failure.ts';
import { offline } from './machine-failure.ts';
import { nearest } from './nearest.ts';
import type { MachineRef, RootRef } from './prepared-call.ts';

/** The folders that a machine has open, the default first, as far as they are known. */
interface OpenRoots {
  readonly online: boolean;
  readonly since: number | null;
  readonly roots: readonly OpenRoot[];
}

interface OpenRoot {
  readonly name: string;
  /** The absolute path on the machine. */
  readonly path: string;
}

/** The folder of a call, and its paths as they are seen from there, if the caller wrote them in full. */
interface Rooted {
  readonly root: RootRef;
  readonly paths?: Readonly<Record<string, unknown>>;
}

/**
 * Finds the folder that an input works in. An absolute path below an open folder names that folder, and becomes the
 * path from there, because rules, approvals and machines know relative paths alone. Any other absolute path stays as
 * it is, and the machine refuses it.
 */
export function rootIn(
  machine: Pick<MachineRef, 'name'>,
  standing: OpenRoots,
  input: unknown,
): Rooted | Refusal {
  const asked = textIn(input, 'root');
  const choice = asked === undefined ? standing.roots : standing.roots.filter(({ name }) => name === asked);
  const [written] = PATH_FIELDS.flatMap((field) => {
    const path = textIn(input, field);
    return path?.startsWith('/') ? [{ field, path }] : [];
  });
  const listed = filesIn(input);
  const first = written?.path ?? listed.find(({ path }) => path.startsWith('/'))?.path;
  const above = first === undefined ? undefined : deepestAbove(first, choice);
  const root = rootOf(machine, standing, above?.name ?? asked);
  if ('kind' in root) return root;
  if (!above) return { root };
  if (written) return { root, paths: { [written.field]: pathBelow(above, written.path) } };
  return { root, paths: { files: listed.map((one) => ({ ...one, path: pathBelow(above, one.path) })) } };
}

const fileList = z.looseObject({ files: z.array(z.looseObject({ path: z.string() })) });

/** Lists the files that a call names together. All of them are in one open folder. */
function filesIn(input: unknown): readonly { readonly path: string }[] {
  return fileList.safeParse(input).data?.files ?? [];
}

/** Gives a path as it is seen from a folder. One that is not below it stays as it is. */
function pathBelow({ path: above }: OpenRoot, path: string): string {
  if (path !== above && !path.startsWith(`${above}/`)) return path;
  return path.slice(above.length + 1) || '.';
}

function deepestAbove(path: string, roots: readonly OpenRoot[]): OpenRoot | undefined {
  const above = roots.filter((root) => path === root.path || path.startsWith(`${root.path}/`));
  return above.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Finds the folder that a call works in, by its registered name, or says why there is none. */
function rootOf(
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
export function textIn(
  input: unknown,
  key: 'machine' | 'root' | (typeof PATH_FIELDS)[number],
): string | undefined {
  const value = (input as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : undefined;
}
