import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const BIN = resolve(import.meta.dirname, '..', '..', 'local-bridge', 'bin.mjs');
const HOME_MODULE = resolve(import.meta.dirname, '..', '..', 'local-bridge', 'lib', 'home.ts');
const module = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;

/** Says at the end which home the product has, and whether Node loaded what removes types before that. */
const SAYS = module(`import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(2, process.moduleLoadList.some((name) => name.includes('amaro')) ? 'removed' : 'kept'));`);

interface Env {
  readonly HOME: string;
  readonly BOWLINE_HOME?: string;
}

function node(env: Env, ...args: string[]) {
  const all = { PATH: process.env.PATH ?? '', ...env };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: all, encoding: 'utf8' });
  expect({ status, stderr: stderr.replace(/removed|kept/, '') }).toEqual({ status: 0, stderr: '' });
  return { stdout, types: stderr };
}

const version = (env: Env) => node(env, '--import', SAYS, BIN, '--version').types;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'bowline-kept-code-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it('a command keeps compiled code in the home, and the next does not load what removes types', () => {
  const HOME = folder();
  const own = join(HOME, 'own');
  for (const env of [{ HOME }, { HOME, BOWLINE_HOME: '' }, { HOME, BOWLINE_HOME: own }]) {
    const imported = module(`import { bowlineHome } from ${JSON.stringify(`file://${HOME_MODULE}`)};
process.stdout.write(bowlineHome());`);
    const home = node(env, '--import', imported, '-e', '0').stdout;
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { mode: 0o700 });
    expect(version(env)).toBe('removed');
    expect(existsSync(join(home, 'compiled'))).toBe(true);
    expect(version(env)).toBe('kept');
  }
});

it('a command alone makes no home, because nobody has yet said who may enter it', () => {
  const HOME = folder();
  expect(version({ HOME })).toBe('removed');
  expect(existsSync(join(HOME, '.bowline'))).toBe(false);
});
