import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { AnyContract } from '../contracts/contract.ts';
import { catalogue } from '../contracts/index.ts';
import { importsOf } from '../test/support/architecture.ts';

/** Files that every call goes through, whatever the tool. */
const SHARED = /^(?:src\/(?:core|surfaces|storage)\/|contracts\/index\.ts$)/;

/**
 * Finds the files behind each tool, by wire name: its contract, its handler, and everything that these import. It
 * follows imports of types too, because a handler names its workers by type.
 */
export async function filesOfTools(root: string): Promise<Map<string, readonly string[]>> {
  const homes = await homesOfContracts(root);
  const handlers = globSync(['src/tools/*.ts', 'local-bridge/tools/handlers/*.ts'], { cwd: root });
  return new Map(
    Object.values<AnyContract>(catalogue).map((contract) => {
      const home = homes.get(contract);
      if (!home) throw new Error(`No file of contracts/ exports ${contract.name}.`);
      const handled = handlers.filter((path) => takes(readFileSync(join(root, path), 'utf8'), home));
      if (handled.length === 0) throw new Error(`Nothing handles ${contract.name}.`);
      return [contract.wireName, namedBy(root, [home.path, ...handled])];
    }),
  );
}

interface Home {
  readonly path: string;
  readonly exported: string;
}

async function homesOfContracts(root: string): Promise<Map<unknown, Home>> {
  const homes = new Map<unknown, Home>();
  for (const path of globSync('contracts/*.ts', { cwd: root })) {
    const exports: Record<string, unknown> = await import(join(root, path));
    for (const [exported, value] of Object.entries(exports)) homes.set(value, { path, exported });
  }
  return homes;
}

function takes(text: string, { path, exported }: Home): boolean {
  const imported = new RegExp(`import\\b[^;']*\\b${exported}\\b[^;']*from '(?:\\.\\./)+${path}'`);
  return imported.test(text);
}

function namedBy(root: string, first: readonly string[]): string[] {
  const found = new Set(first);
  // Items added to a set during the loop are visited too.
  for (const path of found) {
    for (const { specifier } of importsOf(readFileSync(join(root, path), 'utf8'))) {
      const target = posix.join(posix.dirname(path), specifier);
      if (specifier.startsWith('.') && /\.tsx?$/.test(target) && !SHARED.test(target)) found.add(target);
    }
  }
  return [...found].sort();
}
