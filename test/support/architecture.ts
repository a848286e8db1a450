import { posix } from 'node:path';
import { hastyWaits } from './hasty-waits.ts';

/** A file of the repo, by its path from the root. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  /** `import type` and `export type`, which leave nothing behind at run time. */
  readonly typeOnly: boolean;
}

const FROM = /(?:^|[;}])[ \t]*(?:import|export)\b([^'"`;]*?)\bfrom\s*(['"])([^'"\n]+)\2/gm;
const BARE = /(?:^|[;}])[ \t]*import\s*(['"])([^'"\n]+)\1/gm;
const CALLED = /\b(?:import|require)\s*\(\s*(['"`])([^'"`\n]+)\1/g;
const COMPUTED = /\bimport\s*\(\s*(?!['"`\s])/;

/** Everything a module names in an import, in whatever form. */
export function importsOf(text: string): Import[] {
  return [
    ...[...text.matchAll(FROM)].map(([, clause = '', , specifier = '']) => ({
      specifier,
      typeOnly: /^\s+type\s+[\w{*]/.test(clause),
    })),
    ...[...text.matchAll(BARE), ...text.matchAll(CALLED)].map(([, , specifier = '']) => ({
      specifier,
      typeOnly: false,
    })),
  ];
}

interface Rule {
  readonly says: string;
  readonly files: RegExp;
  readonly except?: RegExp;
  /** Whether a file may import this: a path from the root, or the name of a package. */
  allows(target: string, imported: Import, importer: string): boolean;
}

const isLocal = (target: string) => !/^(?:@?[a-z][\w-]*:|@|[a-z][\w.-]*(?:\/|$))/.test(target);
const isIn = (target: string, ...folders: string[]) =>
  folders.some((folder) => target.startsWith(`./${folder}/`));
const isPackage = (target: string, ...names: string[]) =>
  names.some((name) => target === name || target.startsWith(`${name}/`));

/**
 * The areas of the product, each below those that may import it. An area imports only areas above its own line, so
 * that no circle of areas can form; what the areas are for is in docs/architecture.md.
 */
const AREAS = [
  'contracts',
  'src/storage',
  'src/core',
  'src/events',
  'src/web',
  'src/http',
  'src/language',
  'src/transcript',
  'src/owner',
  'src/memory',
  'src/machines',
  'src/joined',
  'src/doctor',
  'src/gate',
  'src/mirror',
  'src/tools',
  'src/surfaces',
  'src/api',
  'src/console',
  'src/wiring',
  'src/worker.ts',
  'local-bridge/lib',
  'local-bridge/tools',
  'local-bridge/agent',
  'local-bridge/local',
  'local-bridge/cli',
  'local-bridge/main.ts',
];

/** Where in the list a path stands; -1 for what is not the product's code. */
const placeOf = (path: string) => AREAS.findIndex((area) => path === area || path.startsWith(`${area}/`));

/** What both sides run: where there is no gateway, the bridge has a gate and joined servers of its own. */
const SHARED = ['core', 'surfaces', 'joined', 'tools', 'web', 'language', 'transcript', 'gate', 'storage'];

const rules: Rule[] = [
  {
    says: 'an area imports only those before it',
    files: /^(?:src|contracts|local-bridge)\/.+\.tsx?$/,
    allows: (target, _, path) => {
      const to = target.startsWith('./') ? placeOf(target.slice(2)) : -1;
      return to <= placeOf(path);
    },
  },
  {
    says: 'contracts import contracts and zod',
    files: /^contracts\//,
    allows: (target) => isIn(target, 'contracts') || isPackage(target, 'zod'),
  },
  {
    says: 'core imports contracts, core and a few libraries',
    files: /^src\/core\//,
    allows: (target, { typeOnly }) =>
      isIn(target, 'contracts', 'src/core') ||
      isPackage(target, 'canonicalize', 'zod', 're2js', 'node:crypto') ||
      (typeOnly && isPackage(target, '@modelcontextprotocol/server')),
  },
  {
    says: 'nothing in the gateway imports the bridge, nor anything of the product its tests or tools',
    files: /^(?:src|contracts)\//,
    allows: (target) => !isIn(target, 'local-bridge', 'test', 'bench', 'scripts'),
  },
  {
    says: 'only what runs in Node imports Node',
    files: /^(?:src|contracts)\//,
    allows: (target) => !target.startsWith('node:') || target === 'node:crypto',
  },
  {
    says: 'only the worker and its objects import the runtime',
    files: /^(?:src|contracts|local-bridge|scripts)\//,
    except: /^src\/(?:worker|.*object)\.tsx?$/,
    allows: (target) => !target.startsWith('cloudflare:'),
  },
  {
    says: 'a script for browsers imports such scripts, names, types and what spells text out, and nothing else of the server',
    files: /\.browser\.ts$/,
    allows: (target, { typeOnly }) =>
      typeOnly ||
      target === './src/core/visible.ts' ||
      /^\.\/src\/(?:console\/.+(?:\.browser|-names)|core\/[a-z]+-names)\.ts$/.test(target),
  },
  {
    says: 'names that scripts for browsers share with the server stand alone',
    files: /^src\/(?:console\/.+|core\/[a-z]+)-names\.ts$/,
    allows: () => false,
  },
  {
    says: 'only scripts for browsers run what is for browsers; others import its text, by `?text`',
    files: /\.tsx?$/,
    except: /\.browser\.ts$/,
    allows: (target) => !/\.(?:browser\.ts|css)$/.test(target),
  },
  {
    says: 'the bridge imports what both sides share',
    files: /^local-bridge\//,
    allows: (target) =>
      !isLocal(target) ||
      target === './package.json' ||
      isIn(target, 'local-bridge', 'contracts') ||
      // The gate and its storage run here too, where there is no gateway; its object does not.
      (isIn(target, ...SHARED.map((name) => `src/${name}`)) && !target.endsWith('-object.ts')),
  },
];

/** Where imports point the wrong way, as one line each. */
export function wrongImports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) => [
    ...importsOf(text).flatMap((imported) => {
      const target = targetOf(path, imported.specifier);
      return rules
        .filter(({ files, except }) => files.test(path) && !except?.test(path))
        .filter((rule) => !rule.allows(target, imported, path))
        .map(({ says }) => `${path} imports ${imported.specifier}, but ${says}`);
    }),
    ...(/^(?:src|contracts)\//.test(path) && COMPUTED.test(text)
      ? [`${path} imports what it works out at run time, which nobody can check`]
      : []),
  ]);
}

/** Files of the product that stand in no area. */
export function withoutArea(paths: readonly string[]): string[] {
  return paths.filter((path) => /^(?:src|contracts|local-bridge)\//.test(path) && placeOf(path) < 0);
}

/** Circles of files that import each other, each as its files in their order. */
export function circles(sources: readonly Source[]): string[] {
  const imports = new Map(
    sources.map(({ path, text }) => [
      path,
      importsOf(text).map(({ specifier }) => targetOf(path, specifier).slice(2)),
    ]),
  );
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) found.add(way.slice(start).sort().join(' '));
    if (start >= 0 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return [...found];
}

function targetOf(path: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return `./${posix.normalize(posix.join(posix.dirname(path), specifier))}`;
}

// As a type, `any` is followed by punctuation or the end of the line; in prose it is followed by a word.
const ANY = /(?:[:<|&,(=]|\bas|\bis|\bkeyof|\bextends)\s*any\s*(?=[;,)>\]}=|&[]|$)/m;
const DEFAULT_EXPORT = /^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/m;
const SILENCED = /@ts-(?:ignore|nocheck)|biome-ignore lint\/suspicious\/noExplicitAny/;

/** Programs that a file holds as text, to give to some other runtime. */
const TEMPLATE = /`(?:[^`\\]|\\.)*`/gs;

/** Files where a default export is what the tool that loads them asks for. */
const ENTRY =
  /^src\/worker\.ts$|^test\/fixtures\/.*worker\.ts$|^test\/worker\/gateway-main\.ts$|^bench\/.*-worker\.ts$|\.config\.ts$|\.d\.ts$/;

/** Where the house style is broken in ways that a small search can see. */
export function styleBreaks(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    return [
      ...(ANY.test(text) ? [`${path} has a type \`any\``] : []),
      ...(SILENCED.test(text) ? [`${path} silences the checker`] : []),
      ...(DEFAULT_EXPORT.test(text.replaceAll(TEMPLATE, '``')) && !ENTRY.test(path)
        ? [`${path} has a default export`]
        : []),
      ...hastyWaits(text).map((line) => `${path}:${line} waits without saying how long, or not long enough`),
      ...(lines > 300 ? [`${path} has ${lines} lines, more than 300`] : []),
    ];
  });
}
