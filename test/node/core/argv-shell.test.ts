import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCommand } from '../../../src/gate/rules/argv.ts';

/** What this system has of the shells that a person may use. */
const shells = ['sh', 'dash', 'bash', 'zsh', 'ksh', 'fish', 'busybox sh'].filter(
  (shell) => spawnSync(`${shell} -c true`, { shell: true, stdio: 'ignore' }).status === 0,
);

const folder = mkdtempSync(join(tmpdir(), 'bowline-argv-'));
// So that a pattern which a shell would expand does expand.
for (const name of ['a', 'b', 'ab', 'a.b', '-', '=']) writeFileSync(join(folder, name), '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a shell gives a program that is called by each of these commands; one process for all of them. */
function shellWords(shell: string, commands: readonly string[]): string[][] {
  const script = commands.map((command) => `printf '%s\\0' ${command}; printf '\\1'`).join('\n');
  const [program = '', ...args] = [...shell.split(' '), '-c', script];
  const { stdout } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { HOME: '/home/x', PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' },
    timeout: 20_000,
  });
  return stdout
    .split('\u0001')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

const accepted = (commands: readonly string[]) =>
  commands.flatMap((command) => {
    const parsed = parseCommand(command);
    return 'argv' in parsed ? [{ command, argv: [...parsed.argv] }] : [];
  });

const hostile = fc.string({
  unit: fc.constantFrom(...` ab=~*?[]{}$\`"'\\|&;<>()#!%^/-.:,@+\n\tä`),
  maxLength: 12,
});
const quoted = fc.string({ unit: fc.constantFrom(...` ab=~*?[]{}|&;<>()#%^/-.ä`), maxLength: 6 });
const segment = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab=/-.:,@+_Z9'), minLength: 1, maxLength: 4 }),
  quoted.map((text) => `'${text}'`),
  quoted.map((text) => `"${text}"`),
);
const word = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join(''));
const plausible = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('  '));

describe.each(shells)('what parseCommand takes, %s takes alike', (shell) => {
  it.each([
    ['plausible commands', plausible, 300],
    ['hostile ones', hostile, 20_000],
    ['the two together', fc.tuple(plausible, hostile, plausible).map((parts) => parts.join('')), 5_000],
  ])('%s', (_, commands, count) => {
    const cases = accepted(fc.sample(commands, { numRuns: count, seed: 20_260_109 })).slice(0, 1_000);
    expect(cases.length).toBeGreaterThan(100);
    const words = shellWords(
      shell,
      cases.map(({ command }) => command),
    );
    expect(words).toEqual(cases.map(({ argv }) => argv));
  });
});
