import { describe, expect, it } from 'vitest';
import { circles, importsOf, styleBreaks, withoutArea, wrongImports } from '../support/architecture.ts';
import { unusedExports } from '../support/unused-exports.ts';

describe('the check of imports', () => {
  it.each([
    ["import { a } from 'x';", 'x', false],
    ['import { a } from "x";', 'x', false],
    ["import a, {\n  b,\n  type c,\n} from 'x';", 'x', false],
    ["import * as a from 'x';", 'x', false],
    ["import 'x';", 'x', false],
    ["import type { a } from 'x';", 'x', true],
    ["import type a from 'x';", 'x', true],
    ["import type * as a from 'x';", 'x', true],
    ["import type from 'x';", 'x', false],
    ["import { type a } from 'x';", 'x', false],
    ["export { a } from 'x';", 'x', false],
    ["export * from 'x';", 'x', false],
    ["export * as a from 'x';", 'x', false],
    ["export type { a } from 'x';", 'x', true],
    ["const a = await import('x');", 'x', false],
    ['const a = await import(\n  `x`\n);', 'x', false],
    ["type a = typeof import('x');", 'x', false],
    ["const a = require('x');", 'x', false],
    ["const b = 1; import { a } from 'x';", 'x', false],
  ])('sees %j', (text, specifier, typeOnly) => {
    expect(importsOf(`const first = 'a';\n${text}\nconst last = Array.from('b');\n`)).toEqual([
      { specifier, typeOnly },
    ]);
  });

  it('sees nothing where nothing is imported', () => {
    const text =
      "/**\n * import { a } from 'x';\n */\n// import 'x';\nexport const from = 'y';\nimport.meta.url;\n";
    expect(importsOf(text)).toEqual([]);
  });

  it.each([
    ['contracts/a.ts', "import { b } from '../src/core/b.ts';"],
    ['contracts/a.ts', "import type { b } from '../src/core/b.ts';"],
    ['contracts/a.ts', "import { Hono } from 'hono';"],
    ['contracts/a.ts', "import { b } from '../local-bridge/b.ts';"],
    ['contracts/a.ts', "import { createHash } from 'node:crypto';"],
    ['contracts/a.ts', "import zodiac from 'zodiac';"],
    ['src/core/a.ts', "export { b } from '../surfaces/b.ts';"],
    ['src/core/a.ts', "export type { b } from '../wiring/ports.ts';"],
    ['src/core/a.ts', "import { Server } from '@modelcontextprotocol/server';"],
    ['src/core/a.ts', "import { type Server } from '@modelcontextprotocol/server';"],
    ['src/core/a.ts', "import { Hono } from 'hono';"],
    ['src/surfaces/a.ts', "import type { Ports } from '../wiring/ports.ts';"],
    ['src/surfaces/a.ts', "import { b } from '../api/b.ts';"],
    ['src/surfaces/a.ts', "const b = await import('../console/b.ts');"],
    ['src/gate/a.ts', "import type { b } from '../console/b.ts';"],
    ['src/owner/a.ts', "import type { b } from '../machines/b.ts';"],
    ['local-bridge/tools/a.ts', "import { b } from '../cli/b.ts';"],
    ['src/tools/a.ts', "import type { Ports } from '../wiring/ports.ts';"],
    ['src/gate/rules/a.ts', "import type { Ports } from '../../wiring/ports.ts';"],
    ['src/tools/a.ts', "import worker from '../worker.ts';"],
    ['src/gate/gate-object.ts', "import worker from '../worker.ts';"],
    ['src/wiring/ports.ts', "import worker from '../worker.ts';"],
    ['src/tools/a.ts', "import { b } from '../../local-bridge/b.ts';"],
    ['src/tools/a.ts', "import { b } from '../../test/support/b.ts';"],
    ['src/web/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['src/web/a.ts', 'const { b } = await import(name);'],
    ['src/gate/a.ts', "import { DurableObject } from 'cloudflare:workers';"],
    ['src/wiring/ports.ts', "import { env } from 'cloudflare:workers';"],
    ['src/gate/objects.ts', "import { DurableObject } from 'cloudflare:workers';"],
    ['src/joined/connect.ts', "import { connect } from 'cloudflare:sockets';"],
    ['local-bridge/lib/a.ts', "import { b } from '../../src/owner/b.ts';"],
    ['local-bridge/agent/link/a.ts', "import { b } from '../../../src/wiring/ports.ts';"],
    ['local-bridge/agent/link/a.ts', "import type { b } from '../../../src/worker.ts';"],
    ['local-bridge/lib/a.ts', "import { b } from '../../src/corex/b.ts';"],
    ['local-bridge/lib/a.ts', "import { b } from '../../test/b.ts';"],
    ['local-bridge/lib/a.ts', "import { env } from 'cloudflare:workers';"],
    ['src/console/home/a.browser.ts', "import { b } from './b.ts';"],
    ['src/console/home/a.browser.ts', "import * as z from 'zod';"],
    ['src/console/home/a.browser.ts', "import { b } from '../../gate/machine-names.ts';"],
    ['src/console/home/a-names.ts', "import { b } from './b.ts';"],
    ['src/core/a-names.ts', "import { b } from './b.ts';"],
    ['src/console/home/a.browser.ts', "import { b } from '../../core/names.ts';"],
    ['src/console/home/a.tsx', "import { b } from './b.browser.ts';"],
    ['src/console/home/a.tsx', "import './b.css';"],
  ])('refuses that %s does: %j', (path, text) => {
    expect(wrongImports([{ path, text }])).not.toEqual([]);
  });

  it.each([
    ['contracts/a.ts', "import * as z from 'zod';\nimport type { b } from './link/b.ts';"],
    ['src/core/a.ts', "import type { Server } from '@modelcontextprotocol/server';"],
    ['src/core/a.ts', "import { RE2JS } from 're2js';\nimport { b } from '../../contracts/b.ts';"],
    ['src/surfaces/a.ts', "import { Server } from '@modelcontextprotocol/server';\nimport '../core/b.ts';"],
    ['src/gate/a.ts', "import { createHash } from 'node:crypto';\nimport { b } from '../core/b.ts';"],
    ['src/gate/object.ts', "import { DurableObject } from 'cloudflare:workers';"],
    ['src/worker.ts', "import { env } from 'cloudflare:workers';\nimport { b } from './wiring/ports.ts';"],
    [
      'local-bridge/lib/a.ts',
      "import { b } from '../../src/joined/b.ts';\nimport { readFile } from 'node:fs';",
    ],
    [
      'local-bridge/agent/link/a.ts',
      "import '../../../contracts/link.ts';\nimport '../../tools/b.ts';\nimport 'commander';",
    ],
    [
      'src/console/home/a.browser.ts',
      "import './b.browser.ts';\nimport { C } from '../parts/c-names.ts';\nimport type { d } from '../../gate/d.ts';",
    ],
    ['src/console/home/a.ts', "import b from './b.browser.ts?text';\nimport c from './c.css?text';"],
    ['bench/a.ts', "import { b } from '../src/owner/b.ts';\nimport { readFile } from 'node:fs';"],
    ['test/node/a.test.ts', "import { b } from '../../local-bridge/b.ts';\nimport 'node:fs';"],
  ])('lets %s do: %j', (path, text) => {
    expect(wrongImports([{ path, text }])).toEqual([]);
  });
});

describe('the check of circles', () => {
  const file = (path: string, ...imported: string[]) => ({
    path,
    text: imported.map((one) => `import type { a } from './${one}.ts';\n`).join(''),
  });

  it('finds files that import each other, by whatever way', () => {
    const two = [file('src/a.ts', 'b'), file('src/b.ts', 'a')];
    expect(circles(two)).toEqual(['src/a.ts src/b.ts']);
    const three = [
      file('src/a.ts', 'b'),
      file('src/b.ts', 'c'),
      file('src/c.ts', 'd', 'a'),
      file('src/d.ts'),
    ];
    expect(circles(three)).toEqual(['src/a.ts src/b.ts src/c.ts']);
  });

  it('finds none where two ways lead to one file', () => {
    expect(circles([file('src/a.ts', 'b', 'c'), file('src/b.ts', 'c'), file('src/c.ts')])).toEqual([]);
  });

  it('finds files that stand in no area', () => {
    expect(withoutArea(['src/new/a.ts', 'src/gate/a.ts', 'test/node/a.ts'])).toEqual(['src/new/a.ts']);
  });
});

describe('the check of style', () => {
  it.each([
    ['let a: any;'],
    ['let a: any'],
    ['const a = b as any;'],
    ['function a(b: any, c: any) {}'],
    ['const a = new Map<string, any>();'],
    ['let a: any[] = [];'],
    ['let a: string | any = 0;'],
    ['type A<T = any> = T;'],
    ['// @ts-ignore'],
    ['export default {};'],
    ['export default function a() {}'],
    ['const a = `b`;\nexport default a;\nconst c = `d`;'],
    ['const a = 0;\nexport { a as default };'],
  ])('refuses %j', (text) => {
    expect(styleBreaks([{ path: 'src/a.ts', text }])).toHaveLength(1);
  });

  it.each([
    ['src/a.ts', '// Whatever the reason: any of them will do, as any reader sees (any at all).\n'],
    ['src/a.ts', "const company = 'any';\nexport const defaults = {};\n"],
    ['src/a.ts', 'export const worker = `const a = "\\`";\nexport default {};`;\n'],
    ['src/worker.ts', 'export default {};\n'],
    ['test/fixtures/conformance/worker.ts', 'export default {};\n'],
    ['bench/floor-worker.ts', 'export default {};\n'],
  ])('lets %s have: %j', (path, text) => {
    expect(styleBreaks([{ path, text }])).toEqual([]);
  });

  it.each([
    'vi.waitFor(() => done());',
    'vi.waitUntil(() => done(), 5_000);',
    'vi.waitFor(() => { done(2_000); }, { timeout: 10_000, interval: 1 });',
    'await expect\n  .poll(done)\n  .toBe(SOON_MS);',
  ])('sees that a test gives up early: %j', (text) => {
    expect(styleBreaks([{ path: 'test/a.ts', text }])).toHaveLength(1);
  });

  it.each(['vi.waitFor(done, SOON_MS);', 'expect.poll(done, { timeout: 20_000 });', 'link.waitFor(done);'])(
    'lets a test wait: %j',
    (text) => expect(styleBreaks([{ path: 'test/a.ts', text }])).toEqual([]),
  );

  it('counts lines, and lets a file have 300', () => {
    const fileOf = (lines: number) => [{ path: 'src/a.ts', text: 'a();\n'.repeat(lines) }];
    expect(styleBreaks(fileOf(300))).toEqual([]);
    expect(styleBreaks(fileOf(301))).toEqual(['src/a.ts has 301 lines, more than 300']);
  });
});

describe('an export', () => {
  const used = { path: 'test/b.ts', text: "import { one, type Two } from '../src/a.ts';" };

  it('is found if no other file names it', () => {
    const text =
      'export const one = 1;\nexport interface Two {}\nexport async function three() { return four; }';
    expect(unusedExports([{ path: 'src/a.ts', text }, used])).toEqual(['src/a.ts: three']);
    expect(unusedExports([{ path: 'src/a.ts', text }])).toHaveLength(3);
  });

  it('is no matter in what is no part of the product', () => {
    expect(unusedExports([{ path: 'test/a.ts', text: 'export const one = 1;' }])).toEqual([]);
  });
});
