import { createHash } from 'node:crypto';
import type { Root } from '../workspace/held.ts';
import { isRefusal } from '../workspace/refusal.ts';
import { contentsOf } from './changes.ts';
import { openRepository } from './git.ts';
import { type GitPorts, isProblem } from './repository.ts';

const TIMEOUT_MS = 1_500;
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/**
 * Gives the files of an open folder that stand there as git has them, each with the id of its content. Gives none if
 * git cannot tell soon.
 */
export async function cleanFiles(
  root: Root,
  ports: GitPorts,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const repository = await openRepository(root, '.', ports, signal);
  if (isRefusal(repository) || isProblem(repository)) return new Map();
  try {
    const more = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_LIST_BYTES };
    const [tracked, changed] = await Promise.all([
      repository.run(['ls-files', '-v', '--stage', '-z'], more),
      repository.run(['diff-files', '--name-only', '--ignore-submodules=all', '-z'], more),
    ]);
    if (tracked.problem || changed.problem || changed.cut) return new Map();
    const clean = new Map<string, string>();
    // `H` is the tag of a file that git compares. Of others the owner told git to believe that nothing changes.
    for (const entry of linesOf(tracked.out)) {
      const [, id, path] = /^H 100(?:644|755) ([0-9a-f]+) 0\t([\s\S]+)$/.exec(entry) ?? [];
      if (id !== undefined && path !== undefined) clean.set(path, id);
    }
    for (const path of linesOf(changed.out)) clean.delete(path);
    return clean;
  } finally {
    repository.close();
  }
}

/** Reads contents that git had, by their ids. The command may have changed git's own files, so each is checked. */
export async function cleanContents(
  root: Root,
  ids: readonly string[],
  most: { readonly each: number; readonly inAll: number },
  ports: GitPorts,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Buffer>> {
  if (ids.length === 0) return new Map();
  const repository = await openRepository(root, '.', ports, signal);
  if (isRefusal(repository) || isProblem(repository)) return new Map();
  try {
    const contents = await contentsOf(repository, ids, most.each, most.inAll);
    if (isProblem(contents)) return new Map();
    return new Map([...contents].filter(([id, bytes]) => idOf(bytes, id.length) === id));
  } finally {
    repository.close();
  }
}

function idOf(bytes: Buffer, length: number): string {
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

/** The last of a list that was cut off is no whole entry. */
function linesOf(out: Buffer): string[] {
  return out.toString('utf8').split('\0').slice(0, -1);
}
