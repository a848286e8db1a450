import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Larger files are bundles, of which a real tree has few. They are taken from the first copy alone. */
const USUAL_BYTES = 64 * 1024;
const TEXT = '**/*.{ts,js,mjs,cjs,json,md,css,html,txt,yml}';

/** Makes a folder of so many files of real source text: this project's dependencies, side by side as in a monorepo. */
export function realTree(files: number): string {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-tree-'));
  const from = resolve(import.meta.dirname, '..', '..', 'node_modules');
  const found = globSync(TEXT, { cwd: from }).filter((path) => statSync(join(from, path)).isFile());
  writeFileSync(join(root, '.gitignore'), '*.log\nbuild/\n');
  let made = 0;
  for (let copy = 0; made < files; copy++) {
    for (const path of found) {
      if (made >= files) break;
      if (copy > 0 && statSync(join(from, path)).size > USUAL_BYTES) continue;
      const to = join(root, `package-${copy}`, path);
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(from, path), to);
      made += 1;
    }
  }
  return root;
}
