import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { buildWorker, neededAtStart } from '../../scripts/build-worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'bowline-size-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MOST_AT_START = 350 * 1_024;
/** Three megabytes is what the free plan takes, of everything together. */
const MOST_OF_ALL = 1_500 * 1_024;

describe('the built Worker', async () => {
  const { metafile, sources } = await buildWorker(undefined, folder);
  const zipped = (paths: readonly string[]) =>
    paths
      .map((path) => gzipSync(readFileSync(join(folder, basename(path)))).byteLength)
      .reduce((sum, bytes) => sum + bytes, 0);
  const atStart = neededAtStart(metafile);

  it('is no larger than it may be, at start and in all', () => {
    const all = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
    expect(zipped(atStart)).toBeLessThanOrEqual(MOST_AT_START);
    expect(zipped(all)).toBeLessThanOrEqual(MOST_OF_ALL);
  });

  // `npm start` builds again only when one of them changed.
  it('names every file that it was made from', () => {
    const root = resolve(import.meta.dirname, '..', '..');
    expect(sources.filter((path) => !existsSync(path))).toEqual([]);
    for (const path of [
      'src/worker.ts',
      'src/console/browser/console.css',
      'src/console/parts/base.css',
      'src/console/parts/live.browser.ts',
      'src/console/parts/times.browser.ts',
      'src/console/parts/page-names.ts',
      'src/console/settings/service-worker.browser.ts',
      'scripts/build-worker.ts',
      'scripts/browser-text.ts',
    ]) {
      expect(sources).toContain(join(root, path));
    }
  });

  it.each([
    ['the PDF reader', 'node_modules/unpdf'],
    ['the HTML parser', 'node_modules/htmlparser2'],
    ['the reader of pages', 'src/web/read-page.ts'],
    ['the cleaner of transcripts', 'src/transcript/'],
    ['the DOM behind selectors', 'node_modules/linkedom'],
    ['the checker of JSON schemas', 'node_modules/@modelcontextprotocol/server/dist/cfWorkerProvider'],
    ['the rules for tools of joined servers', 'src/joined/conform.ts'],
    ['passkeys', 'node_modules/@simplewebauthn/server'],
    ['the protocol as a server', 'node_modules/@modelcontextprotocol/server/dist/index.mjs'],
    ['the protocol as a client', 'node_modules/@modelcontextprotocol/client'],
    ['the scripts and styles of pages', 'browser-text:'],
    ['the editor of rules', 'src/console/rules/rule-editor.tsx'],
    ['the icons', 'src/console/parts/icons.ts'],
  ])('starts without %s', (_what, name) => {
    const inputs = (paths: readonly string[]) =>
      paths.flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    const isPartOfIt = (path: string) => path.includes(name);
    expect(inputs(Object.keys(metafile.outputs)).some(isPartOfIt)).toBe(true);
    expect(inputs(atStart).filter(isPartOfIt)).toEqual([]);
  });
});
