import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_LENGTH } from '../support/at-length.ts';
import { copyProject, linkPackages } from '../support/clone.ts';
import { PROJECT } from '../support/up.ts';

const run = promisify(execFile);
const page = readFileSync(join(PROJECT, 'docs', 'adding-a-tool.md'), 'utf8');

/** The page's blocks that say which file they are, or are added to. */
const blocks = [...page.matchAll(/^```(ts|diff) (\S+)\n(.*?)^```$/gms)].map(
  ([, kind = '', path = '', text = '']) => ({ kind, path, text }),
);

let folder: string;
const at = (path: string) => join(folder, path);
const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, maxBuffer: 1e8 });
/** Several checkers of TypeScript work out the same types each for itself. */
const tsc = (...args: string[]) => node('node_modules/typescript/bin/tsc', '--checkers', '1', ...args);
const vitest = (...args: string[]) => node('node_modules/vitest/vitest.mjs', 'run', ...args);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-tool-'));
  copyProject(folder);
  linkPackages(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Puts the lines with a plus behind the lines without one, which must be in the file just so. */
function added(file: string, hunk: string): string {
  const lines = hunk.split('\n').filter((line) => line !== '');
  const before = lines.filter((line) => line.startsWith(' ')).map((line) => `${line.slice(1)}\n`);
  const fresh = lines.filter((line) => line.startsWith('+')).map((line) => `${line.slice(1)}\n`);
  const known = before.join('');
  expect(file.split(known), `the page names these lines, once in the file:\n${known}`).toHaveLength(2);
  return file.replace(known, () => known + fresh.join(''));
}

// Each step compiles or tests the whole project.
describe('the page about adding a tool', { timeout: 300_000 }, () => {
  it('names three new files and two that list them', () => {
    expect(blocks.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'ts contracts/words.ts',
      'diff contracts/index.ts',
      'ts src/tools/words.ts',
      'diff src/tools/registry.ts',
      'ts test/node/tools/words.test.ts',
    ]);
  });

  it('adds a tool that does not compile before it has its handler', async () => {
    for (const { kind, path, text } of blocks.slice(0, 2)) write(kind, path, text);
    await expect(tsc('-p', 'tsconfig.json')).rejects.toMatchObject({
      stdout: expect.stringContaining("'text.count'"),
    });
  });

  it('has all that it takes for the tool to compile, and to keep the house style', async () => {
    for (const { kind, path, text } of blocks.slice(2)) write(kind, path, text);
    await tsc('-p', 'tsconfig.json');
    await node('scripts/generate.ts');
    const made = blocks.map(({ path }) => path);
    await node('node_modules/@biomejs/biome/bin/biome', 'ci', '--vcs-enabled=false', ...made);
  });

  it('has a test that passes', async () => {
    await vitest('--project', 'node', 'test/node/tools/words');
  });

  it.runIf(AT_LENGTH)('compiles with its test, and breaks none of the tests about all tools', async () => {
    await tsc('-p', 'test/tsconfig.json');
    await node('scripts/generate.ts', '--check');
    await vitest(
      ...['--project', 'node', 'test/node/tools', 'test/node/catalogue', 'test/node/architecture'],
      ...['test/node/doctor/troubleshooting', 'test/node/docs', 'test/node/completions'],
    );
  });

  it.runIf(AT_LENGTH)('has its example answered over every way in', async () => {
    const suite = ['--project', 'suite', 'test/suite/every-way'];
    const { stdout } = await vitest(...suite, '-t', 'text_count', '--reporter', 'json');
    const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{"numTotal'))) as {
      testResults: { assertionResults: { status: string; fullName: string }[] }[];
    };
    const passed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status, fullName }) => status === 'passed' && fullName.includes('counts two words'));
    expect(passed.length).toBeGreaterThan(3);
  });
});

function write(kind: string, path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  if (kind === 'ts') writeFileSync(at(path), text);
  else {
    let file = readFileSync(at(path), 'utf8');
    for (const hunk of text.split('@@\n')) file = added(file, hunk);
    writeFileSync(at(path), file);
  }
}
