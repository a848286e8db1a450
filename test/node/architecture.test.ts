import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { circles, type Source, styleBreaks, withoutArea, wrongImports } from '../support/architecture.ts';
import { unusedExports } from '../support/unused-exports.ts';

const root = new URL('../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(root + path, 'utf8');

const sources: Source[] = globSync('{contracts,src,local-bridge,scripts,bench,test,interop}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: (path) => /(?:^|\/)(?:node_modules|generated|results)(?:\/|$)/.test(path),
})
  // Its samples are what the checks look for.
  .filter((path) => path !== 'test/node/architecture-checks.test.ts')
  .map((path) => ({ path, text: read(path) }));

interface Manifest {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly overrides?: Record<string, string>;
}
const manifests: [string, Manifest][] = ['package.json', 'local-bridge/package.json'].map((path) => [
  path,
  JSON.parse(read(path)),
]);
const pinsOf = ({ dependencies, devDependencies, optionalDependencies, overrides }: Manifest) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides });

describe('the repo', () => {
  it('is what is being looked at', () => {
    const paths = sources.map(({ path }) => path);
    for (const path of [
      'contracts/hello.ts',
      'src/worker.ts',
      'src/core/invoke.ts',
      'src/surfaces/rest.ts',
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.filter((path) => path.includes('node_modules'))).toEqual([]);
  });

  it('has imports that point one way', () => {
    expect(wrongImports(sources)).toEqual([]);
  });

  it('has no file outside the areas, and no circle of files', () => {
    const product = sources.filter(({ path }) => /^(?:src|contracts|local-bridge)\//.test(path));
    expect(circles(product)).toEqual([]);
    expect(withoutArea(product.map(({ path }) => path))).toEqual([]);
  });

  it('keeps to its style', () => {
    expect(styleBreaks(sources)).toEqual([]);
  });

  it('exports nothing that nobody imports', () => {
    expect(unusedExports(sources)).toEqual([]);
  });

  it('has one version', () => {
    expect(manifests.map(([path, { version }]) => [path, version])).toEqual([
      ['package.json', VERSION],
      ['local-bridge/package.json', VERSION],
    ]);
  });

  const clients: [string, Manifest] = ['interop/package.json', JSON.parse(read('interop/package.json'))];

  it.each([...manifests, clients])('pins exactly what %s depends on', (_, manifest) => {
    expect(pinsOf(manifest).length).toBeGreaterThan(3);
    expect(pinsOf(manifest).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('can run without the packages for developing', () => {
    const [[, gateway], [, bridge]] = manifests as [[string, Manifest], [string, Manifest]];
    const declared = { ...gateway.dependencies, ...bridge.dependencies };
    // `npm start` builds the Worker with these scripts.
    const builds = ['scripts/build-worker.ts', 'scripts/browser-text.ts', 'scripts/wrangler-dev.ts'];
    const run = sources.filter(
      ({ path }) => /^(?:src|contracts|local-bridge)\//.test(path) || builds.includes(path),
    );
    const imported = run.flatMap(({ text }) => [
      ...text.matchAll(/^(?:import|export)(?! type )[^'\n]* from '([^'.:][^':]*)';$/gm),
      ...text.matchAll(/^\} from '([^'.:][^':]*)';$/gm),
      ...text.matchAll(/(?:\bimport|createRequire\(import\.meta\.url\)\.resolve)\('([\w@][^':]*)'\)/g),
    ]);
    const names = imported.map(([, from = '']) =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/'),
    );
    expect(names).toContain('wrangler');
    expect([...new Set(names)].filter((name) => !(name in declared))).toEqual([]);
  });

  it('pins a dependency that several packages have to the same version', () => {
    const [[, gateway], [, bridge]] = manifests as [[string, Manifest], [string, Manifest]];
    const versions = Object.fromEntries(pinsOf(gateway));
    const others = [bridge, clients[1]].flatMap(pinsOf);
    const different = others.filter(([name, version]) => (versions[name] ?? version) !== version);
    expect(different).toEqual([]);
  });
});
