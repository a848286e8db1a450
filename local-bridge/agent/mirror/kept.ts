import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { SHA } from '../../../src/core/git-blob.ts';
import { bowlineHome } from '../../lib/home.ts';

const keptShape = z.object({ url: z.string(), root: z.string(), commit: z.string().regex(SHA) });

/**
 * Gives the commit that was last pushed from here. It is a guess at the mirror's commit, which saves asking the
 * gateway.
 */
export function lastPushed(url: string, root: string): string | undefined {
  try {
    const kept = keptShape.safeParse(JSON.parse(readFileSync(pathFor(url, root), 'utf8')));
    return kept.success && kept.data.url === url && kept.data.root === root ? kept.data.commit : undefined;
  } catch {
    // A missing or damaged file means that there is no guess.
    return undefined;
  }
}

export function keepPushed(url: string, root: string, commit: string): void {
  const path = pathFor(url, root);
  mkdirSync(join(bowlineHome(), 'mirror'), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.${process.pid}`, JSON.stringify({ url, root, commit }), { mode: 0o600 });
  renameSync(`${path}.${process.pid}`, path);
}

function pathFor(url: string, root: string): string {
  const name = createHash('sha256').update(`${url}\n${root}`).digest('hex').slice(0, 24);
  return join(bowlineHome(), 'mirror', `${name}.json`);
}
