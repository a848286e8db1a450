import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Control, editsOf, projectOf, testsAt } from '../test/controls/control.ts';
import { Project } from '../test/controls/fit/project.ts';
import { controls } from '../test/controls/index.ts';
import { withTable } from '../test/controls/table.ts';
import { copyProject, linkPackages } from '../test/support/clone.ts';
import { endRuns, type Run, runTests } from './controls-run.ts';

/**
 * Removes the controls of docs/security.md one after the other, in a copy of the project, and checks that their tests
 * fail: `controls.ts [id…]`, or all of them. `--list` names them, `--write` writes their table.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean' }, write: { type: 'boolean' } },
});
const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'security.md');
const unknown = positionals.filter((id) => !controls.some((one) => one.id === id));
if (unknown.length > 0) {
  console.error(`No control is called ${unknown.join(', ')}; --list shows them.`);
  process.exit(2);
}
const pathOf = testsAt(root);
const asked = controls.filter(({ id }) => positionals.length === 0 || positionals.includes(id));

if (values.list) for (const { id, promise } of asked) console.log(`${id}: ${promise}`);
else if (values.write) writeFileSync(page, withTable(readFileSync(page, 'utf8'), controls));
else process.exitCode = await prove(asked);

async function prove(wanted: readonly Control[]): Promise<number> {
  setPriority(5);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-controls-')));
  process.once('exit', () => {
    endRuns();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const copy = join(folder, 'bowline');
  mkdirSync(copy);
  copyProject(copy);
  // Some tests clone the project, and ask git for its files.
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
  linkPackages(copy);

  const began = Date.now();
  const project = Project.at(copy);
  const usual = await unedited(wanted, copy);
  const unproven: string[] = [];
  for (const control of wanted) {
    const runs = control.tests.map((test) => usual.get(keyOf(pathOf(test), control.only)));
    const wrong = runs.find((run) => !run || run.problem || run.failed.length > 0 || run.passed === 0);
    const why = wrong?.problem ?? wrong?.failed[0]?.title ?? 'there is no such test';
    const said = wrong ? `✗ it fails as it stands: ${why}` : await without(control, project, copy, runs);
    if (!said.startsWith('✓')) unproven.push(control.id);
    console.log(`${said.slice(0, 2)}${control.id}: ${said.slice(2)}`);
  }
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  console.log(`\n${wanted.length - unproven.length} of ${wanted.length} are noticed when they are gone.`);
  console.log(unproven.length > 0 ? `Not proven: ${unproven.join(', ')}.` : `It took ${minutes} minutes.`);
  return unproven.length > 0 ? 1 : 0;
}

function keyOf(test: string, only = ''): string {
  return JSON.stringify([test, only]);
}

/** Runs every needed test on the unchanged product. */
async function unedited(wanted: readonly Control[], copy: string): Promise<Map<string, Run>> {
  const found = new Map<string, Run>();
  const needed = wanted.flatMap(({ tests, only }) => tests.map((test) => ({ test: pathOf(test), only })));
  const together = Map.groupBy(needed, ({ test, only }) => keyOf(projectOf(test), only));
  for (const group of together.values()) {
    const tests = [...new Set(group.map(({ test }) => test))];
    const only = group[0]?.only;
    const runs = await runTests(copy, tests, { only, bail: false, longestMs: 60_000 * (tests.length + 5) });
    for (const [test, run] of runs ?? []) found.set(keyOf(test, only), run);
  }
  return found;
}

/** Removes one control, and says in a line whether each of its tests noticed. */
async function without(
  control: Control,
  project: Project,
  copy: string,
  usual: readonly (Run | undefined)[],
): Promise<string> {
  const texts = new Map<string, string>();
  try {
    for (const [file, next] of project.edited(editsOf(control))) {
      const path = join(copy, file);
      texts.set(path, readFileSync(path, 'utf8'));
      writeFileSync(path, next);
    }
    const noticed: string[] = [];
    for (const [i, test] of control.tests.map(pathOf).entries()) {
      const longestMs = 60_000 + 4 * (usual[i]?.ms ?? 0);
      const runs = await runTests(copy, [test], { only: control.only, bail: true, longestMs });
      const { problem, failed = [] } = runs?.get(test) ?? {};
      const assertion = failed.find(({ isAssertion }) => isAssertion);
      if (!runs) noticed.push('it had no end');
      else if (assertion) noticed.push(assertion.title);
      else if (problem) return `✗ ${test} could not be run: ${problem}`;
      else if (failed[0]) return `✗ ${test} broke instead of noticing: ${failed[0].title}: ${failed[0].why}`;
      else return `✗ ${test} notices nothing`;
    }
    return `✓ ${noticed.join('; ')}`;
  } catch (error) {
    return `✗ ${error instanceof Error ? error.message : error}`;
  } finally {
    for (const [path, text] of texts) writeFileSync(path, text);
  }
}
