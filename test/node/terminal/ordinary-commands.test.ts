import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionOnly } from '../../../local-bridge/tools/terminal/confine.ts';
import { findProgram } from '../../../local-bridge/tools/terminal/environment.ts';
import { type OpenSandbox, openSystemSandbox } from '../../../local-bridge/tools/terminal/sandbox.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { bestFallback, hasSandbox, noSandbox, openRig, printedIn, tempFolder } from './rig.ts';

const GIT = 'git -c user.name=ada -c user.email=ada@example.com';
/** Ordinary commands of ten toolchains: the program that each needs, and the command. */
const COMMANDS: readonly (readonly [program: string, command: string])[] = [
  ['git', 'git add -A && git status --short'],
  ['git', `git add -A && ${GIT} commit -qm one && git log --format=%s`],
  ['git', 'git checkout -q -b topic && git symbolic-ref HEAD'],
  [
    'git',
    `git add -A && ${GIT} commit -qm one && echo more >> a.txt && ${GIT} stash -q && git stash list | wc -l`,
  ],
  ['git', 'git add a.txt && git mv a.txt b.txt && git status --short'],
  ['git', 'git clean -nd'],
  ['git', 'git config user.name || echo none'],
  ['npm', 'npm run -s hello'],
  ['npm', 'npm pkg get name'],
  ['npm', 'npm install --offline --silent ./dep && ls node_modules'],
  ['node', "node -e 'console.log(6 * 7)'"],
  ['node', 'node --test t.test.mjs > /dev/null && echo passed'],
  ['python3', "python3 -c 'print(6 * 7)'"],
  ['python3', 'python3 -m py_compile s.py && ls __pycache__ | wc -l'],
  ['python3', 'python3 -m unittest -q s 2>&1 | tail -1'],
  ['make', 'make -s all && cat made'],
  ['make', 'make -s all clean && ls'],
  ['gcc', 'gcc -o hi hi.c && ./hi'],
  ['gcc', 'gcc -c hi.c && ar rc libhi.a hi.o && ar t libhi.a'],
  ['rustc', 'rustc -o hi-rs hi.rs && ./hi-rs'],
  ['cargo', 'cargo build --offline -q --manifest-path crate/Cargo.toml && ./crate/target/debug/crate'],
  ['cargo', 'cargo test --offline -q --manifest-path crate/Cargo.toml > /dev/null && echo passed'],
  ['java', 'java Hi.java 2>/dev/null'],
  ['perl', 'perl -pi -e s/one/two/ a.txt && cat a.txt'],
  ['sed', 'sed -i s/one/two/ a.txt && cat a.txt'],
  ['awk', "awk '{ print $1 }' a.txt"],
  ['vim', 'vim -es -u NONE -c s/one/two/ -c wq a.txt; cat a.txt'],
  ['tar', 'tar czf a.tgz a.txt hi.c && tar tzf a.tgz'],
  ['zip', 'zip -q a.zip a.txt && zip -sf a.zip | wc -l'],
  ['jq', 'jq -r .name package.json'],
  ['cmake', 'cmake -S . -B out > /dev/null && cmake --build out > /dev/null && ./out/hi'],
  ['find', 'find . -not -path "./.git/*" | sort'],
];

const FILES: Record<string, string> = {
  'a.txt': 'one\n',
  'package.json': '{ "name": "sample", "scripts": { "hello": "echo hello" } }',
  'dep/package.json': '{ "name": "dep", "version": "1.0.0" }',
  't.test.mjs': "import { test } from 'node:test';\ntest('passes', () => {});\n",
  's.py': 'import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        pass\n',
  Makefile: 'all:\n\techo made > made\nclean:\n\trm made\n',
  'hi.c': '#include <stdio.h>\nint main(void) { puts("hi"); return 0; }\n',
  'hi.rs': 'fn main() { println!("hi"); }\n',
  'Hi.java': 'public class Hi { public static void main(String[] a) { System.out.println("hi"); } }\n',
  'crate/Cargo.toml': '[package]\nname = "crate"\nversion = "0.1.0"\nedition = "2021"\n',
  'crate/src/main.rs': 'fn main() { println!("hi"); }\n#[test]\nfn passes() {}\n',
  'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.10)\nproject(hi C)\nadd_executable(hi hi.c)\n',
};

/** Those that take a second or more, in whatever way they are confined. */
const SLOW = new Set(['npm', 'rustc', 'cargo', 'java', 'cmake']);
const PROGRAMS = [...new Set(COMMANDS.map(([program]) => program))].filter(
  (program) => AT_LENGTH || !SLOW.has(program),
);

/** Makes a small project for all of these tools, in a fresh repository. */
function project(folder: string): string {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: folder });
  return folder;
}

/** A bridge is often started in the folder that it opens. */
const inItsRoot: OpenSandbox = (place, network) => {
  process.chdir(place.roots[0] ?? '.');
  return openSystemSandbox(place, network);
};

const ENV = { RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup') };
const wholeOf = (command: string) => `{ ${command}; } 2>&1; echo "ended with $?"`;

const outside = new Map<string, string>();
/** Gives what a command prints outside. It is run once, and compared with each confinement. */
function printedOutside(command: string): string {
  const known = outside.get(command);
  if (known !== undefined) return known;
  const { stdout } = spawnSync('/bin/sh', ['-c', wholeOf(command)], {
    cwd: project(tempFolder()),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: tempFolder(), LANG: 'C.UTF-8', ...ENV },
  });
  outside.set(command, stdout);
  return stdout;
}

describe.each([
  ["the system's sandbox", hasSandbox ? {} : 'Needs bwrap and socat, or macOS.', { openSandbox: inItsRoot }],
  ['namespaces', bestFallback(homedir()) === sessionOnly ? 'Needs unshare.' : {}, { openSandbox: noSandbox }],
  ['a plain session', {}, { openSandbox: noSandbox, fallback: sessionOnly }],
] as const)('in %s', (_, able, options) => {
  it.for(PROGRAMS)('%s works as outside', { timeout: 240_000 }, async (program, { skip }) => {
    if (typeof able === 'string') return skip(able);
    if (findProgram(program) === undefined) return skip(`${program} is not installed.`);
    const { run, root } = await openRig({
      ...options,
      env: ENV,
      settings: { environment: Object.keys(ENV) },
    });
    const all = COMMANDS.filter(([needed]) => needed === program);
    const commands = AT_LENGTH ? all : all.slice(0, 1);
    for (const [n, [, command]] of commands.entries()) {
      const expected = printedOutside(command);
      if (!expected.endsWith('ended with 0\n')) return skip(`It does not work outside either: ${expected}`);
      const folder = n === 0 ? '.' : `${n}`;
      project(join(root, folder));
      const inside = await run({ command: `cd ${folder}; ${wholeOf(command)}`, timeout_seconds: 110 });
      expect(printedIn(inside), command).toBe(expected);
    }
  });
});
