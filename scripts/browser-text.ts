import { dirname, relative, resolve } from 'node:path';
import { type Plugin as BuildPlugin, build } from 'esbuild';
import type { Plugin as VitePlugin } from 'vite';

const PROJECT = resolve(import.meta.dirname, '..');

/** The imports of files for browsers: `./live.browser.ts?text` or `./console.css?text`. */
const ASKED = /\.(?:browser\.ts|css)\?text$/;
const QUERY = /\?text$/;

interface BrowserText {
  readonly text: string;
  /** The files that the text was made of. */
  readonly files: readonly string[];
}

/** Builds a script or a style sheet for browsers: one minified text, with all that the file imports. */
export async function browserText(path: string): Promise<BrowserText> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: dirname(path),
    entryPoints: [path],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    // Two scripts of one page must not see each other's names.
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
  });
  return {
    text: (outputFiles[0]?.text ?? '').trimEnd(),
    files: Object.keys(metafile.inputs).map((name) => resolve(dirname(path), name)),
  };
}

const NAMESPACE = 'browser-text';

/** Lets esbuild import such a file as its built text. Adds the files that the text was made of to `sources`. */
export const browserTextInBuild = (sources: Set<string>): BuildPlugin => ({
  name: NAMESPACE,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: ASKED }, ({ path, resolveDir }) => ({
      namespace: NAMESPACE,
      // Source maps contain this path, and their readers must not learn folders of this computer.
      path: relative(PROJECT, resolve(resolveDir, path.replace(QUERY, ''))),
    }));
    onLoad({ filter: /./, namespace: NAMESPACE }, async ({ path }) => {
      const { text, files } = await browserText(resolve(PROJECT, path));
      for (const file of files) sources.add(file);
      return { contents: text, loader: 'text', watchFiles: [...files] };
    });
  },
});

/** Tells whether a name in the build's data means such a text, and not a file. */
export const isBrowserText = (name: string) => name.startsWith(`${NAMESPACE}:`);

/**
 * The ending that Vite gets for the name of such a module. Vite would take a name that ends in `.css` for a style
 * sheet of its own, and Vitest would leave a name that ends in `.js` to the runtime, which finds no such file.
 */
const SUFFIX = '.text.ts';

/** Lets the tests, which Vite loads from the sources, import such a file as the built Worker does. */
export function browserTextInTests(): VitePlugin {
  return {
    name: 'browser-text',
    enforce: 'pre',
    resolveId(specifier, importer) {
      if (!ASKED.test(specifier) || importer === undefined) return undefined;
      return resolve(dirname(importer), specifier.replace(QUERY, '')) + SUFFIX;
    },
    async load(id) {
      if (!id.endsWith(SUFFIX)) return undefined;
      const { text, files } = await browserText(id.slice(0, -SUFFIX.length));
      for (const file of files) this.addWatchFile(file);
      return `export default ${JSON.stringify(text)};`;
    },
  };
}
