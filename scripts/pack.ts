import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';

// Makes `bowline` a package for machines without a clone: `npm run pack [folder]`, by default into `results/`. Node
// strips types from its own files but not from packages, so this script strips them. The tree keeps its form, and so
// do all paths between its files.

const root = resolve(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(root, 'results'));
const stage = join(out, 'package');
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });

const tsc = join(root, 'node_modules', '.bin', 'tsc');
execFileSync(tsc, ['-p', join(root, 'local-bridge', 'tsconfig.pack.json'), '--outDir', stage], {
  stdio: 'inherit',
});
// The gateway runs only from a clone, and these parts would need wrangler.
for (const name of ['prepare', 'template'])
  rmSync(join(stage, 'local-bridge', 'local', 'up', 'runtime', `${name}.js`));
cpSync(join(root, 'migrations', 'gate'), join(stage, 'migrations', 'gate'), { recursive: true });
copy('local-bridge/bin.mjs', 'local-bridge/bin.mjs');
copy('docs/run-on-a-mac.md', 'README.md');

// The compiler renames imports. This renames the files that code finds by a path beside its own file.
const BESIDE = /(import\('\.\/[\w/-]+|new URL\('\.\.?\/[\w./-]+)\.ts'/g;
const modules = globSync('**/*.{js,mjs}', { cwd: stage });
for (const path of modules) {
  const text = readFileSync(join(stage, path), 'utf8');
  const mended = text.replace(BESIDE, "$1.js'");
  if (mended !== text) writeFileSync(join(stage, path), mended);
}

const manifest = JSON.parse(readFileSync(join(root, 'local-bridge', 'package.json'), 'utf8'));
const undeclared = [...packagesIn(modules)].filter((name) => !(name in manifest.dependencies));
if (undeclared.length > 0) {
  console.error(`local-bridge/package.json lacks ${undeclared.join(', ')}.`);
  process.exit(1);
}
const packed = {
  ...manifest,
  bin: { bowline: 'local-bridge/bin.mjs' },
  engines: { node: '>=22.18' },
  files: ['local-bridge', 'src', 'contracts', 'migrations'],
};
writeFileSync(join(stage, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
const [said] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--pack-destination', out], { cwd: stage, encoding: 'utf8' }),
);
console.log(`${join(out, said.filename)}: ${said.entryCount} files, ${Math.round(said.size / 1024)} KB`);

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(stage, to)), { recursive: true });
  copyFileSync(join(root, from), join(stage, to));
}

/** Lists the packages that the modules import. */
function packagesIn(paths: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const path of paths) {
    const text = readFileSync(join(stage, path), 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export|\})[^'"\n]*\bfrom '([^']+)';$/gm)) add(name);
    for (const [, name = ''] of text.matchAll(/^import '([^']+)';$/gm)) add(name);
    for (const [, name = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) add(name);
  }
  function add(name: string): void {
    if (name.startsWith('.') || isBuiltin(name)) return;
    names.add(
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  }
  return names;
}
