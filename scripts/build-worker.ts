import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildResult, build, type Plugin } from 'esbuild';
import { browserTextInBuild, isBrowserText } from './browser-text.ts';
import { readyForWranglerDev } from './wrangler-dev.ts';

const PROJECT = resolve(import.meta.dirname, '..');

/** The folder of the built Worker, as `wrangler.toml` names it. */
export const BUILD_FOLDER = join(PROJECT, '.wrangler', 'worker');

const MCP_SHIMS = join(PROJECT, 'node_modules/@modelcontextprotocol/server/dist/shimsBrowser.mjs');

/** Data about the build, for its sizes. */
export type Metafile = NonNullable<BuildResult['metafile']>;

interface BuiltWorker {
  readonly metafile: Metafile;
  /** The files that the Worker was made from. If one changes, build again. */
  readonly sources: readonly string[];
}

/**
 * Bundles the Worker into `worker.js`, and a module for each part that is imported only when needed. Wrangler's own
 * bundling would put everything into the one module that every start has to read.
 */
export async function buildWorker(
  entry = join(PROJECT, 'src', 'worker.ts'),
  folder = BUILD_FOLDER,
  { minify = true }: { readonly minify?: boolean } = {},
): Promise<BuiltWorker> {
  const sources = new Set([import.meta.filename, join(import.meta.dirname, 'browser-text.ts')]);
  const { outputFiles, metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: { worker: entry },
    outdir: folder,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'error',
    format: 'esm',
    target: 'es2024',
    // Find packages as wrangler does.
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    // This is like workerd's shim, but does not build the schemas of both protocol eras at once: most isolates need
    // one.
    alias: { '@modelcontextprotocol/server/_shims': MCP_SHIMS },
    define: { 'process.env.NODE_ENV': '"production"', 'navigator.userAgent': '"Cloudflare-Workers"' },
    external: ['node:*', 'cloudflare:*'],
    plugins: [browserTextInBuild(sources), migrationsInBuild],
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
  });
  mkdirSync(folder, { recursive: true });
  // Several processes may build at once while others read, so write each file whole, and the one that names the
  // others last.
  const files = outputFiles.toSorted((a, b) => Number(isMain(a.path)) - Number(isMain(b.path)));
  for (const { path, contents } of files) replace(path, contents);
  const built = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) {
    if (/\.js(\.map)?$/.test(name) && !built.has(name)) rmSync(join(folder, name), { force: true });
  }
  for (const name of Object.keys(metafile.inputs)) {
    if (!isBrowserText(name)) sources.add(resolve(PROJECT, name));
  }
  return { metafile, sources: [...sources] };
}

/** Takes migrations in without their comments, because every start reads them all. */
const migrationsInBuild: Plugin = {
  name: 'migrations without comments',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.sql$/ }, ({ path }) => ({
      contents: withoutComments(readFileSync(path, 'utf8')),
      loader: 'text',
    })),
};

/** Removes the lines of SQL that are comments. */
export function withoutComments(sql: string): string {
  return sql.replaceAll(/^ *--.*\n/gm, '');
}

function isMain(path: string): boolean {
  return basename(path) === 'worker.js';
}

function replace(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** Lists the modules that `worker.js` cannot start without, itself included, by their paths in `metafile`. */
export function neededAtStart({ outputs }: Metafile): string[] {
  const main = Object.keys(outputs).find(isMain);
  const needed = new Set(main === undefined ? [] : [main]);
  for (const path of needed) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && imported in outputs) needed.add(imported);
    }
  }
  return [...needed];
}

// `node scripts/build-worker.ts [entry] [folder] [--list-inputs]` builds, by default, the gateway where `wrangler.toml`
// looks for it. It can print the files that it read.
if (import.meta.main) {
  if (process.env.WRANGLER_COMMAND === 'dev') readyForWranglerDev(PROJECT, process.env);
  const [, , entry, folder, list] = process.argv;
  const { sources } = await buildWorker(entry, folder);
  if (list === '--list-inputs') console.log(JSON.stringify(sources));
}
