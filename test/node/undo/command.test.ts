import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { undoFolder } from '../../../local-bridge/tools/handlers/files-ports.ts';
import { sessionOnly } from '../../../local-bridge/tools/terminal/confine.ts';
import { openUndoJournal } from '../../../local-bridge/tools/undo/journal.ts';
import { recover } from '../../../local-bridge/tools/undo/recover.ts';
import { entriesOfCall, undoCall } from '../../../local-bridge/tools/undo/undo-call.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { envelopeIn, openRig, type Rig, until } from '../terminal/rig.ts';

/** More files than are kept of one command. */
const MANY = AT_LENGTH ? 3_000 : 600;

const source = (path: string) => join(import.meta.dirname, '../../..', path);
const at = (rig: Rig, path: string) => join(rig.root, path);
const put = (rig: Rig, files: Readonly<Record<string, string | Buffer>>) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(at(rig, path)), { recursive: true });
    writeFileSync(at(rig, path), content);
  }
};
const text = (rig: Rig, path: string) => readFileSync(at(rig, path), 'utf8');
const git = (rig: Rig, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: rig.root });
const journalOf = (rig: Rig) => openUndoJournal(undoFolder(rig.home));

/** Runs a command, and tells what the answer says about undoing it. */
async function said(rig: Rig, command: string) {
  return String(envelopeIn(await rig.run(command)).metadata.undo ?? '');
}

/** Undoes the command that ran last, as `bowline undo` does. */
async function undoLast(rig: Rig, anyway = false) {
  const workspace = openWorkspace([{ path: rig.root, name: 'main' }], { closed: [rig.home] });
  const undo = journalOf(rig);
  try {
    const [last] = undo.list();
    const entries = entriesOfCall(last?.group ?? last?.id ?? '', undo);
    const ports = { workspace, undo, disk: nodeDisk };
    return await undoCall(entries, { id: `undo_${undo.list().length}`, tool: 'undo' }, ports, anyway);
  } finally {
    workspace.close();
  }
}

describe('undoing a command', () => {
  it('puts back what it changed and removed, and removes what it made', async () => {
    const rig = await openRig();
    put(rig, {
      'a.txt': 'one',
      'deep/er/b.txt': 'two',
      'same.txt': 'same',
      'c.bin': Buffer.from([0, 255, 7]),
    });
    const answer = await said(
      rig,
      'echo new > a.txt; rm -r deep; printf same > same.txt; mkdir -p made/empty; echo x > made/x; chmod 600 c.bin; echo y > c.bin',
    );
    expect(answer).toMatch(
      /^Undo covers 6 of 6 changed files\. On the machine, the owner runs `bowline undo \S+`\.$/,
    );
    expect(await undoLast(rig)).toMatchObject({ done: true });
    expect(readdirSync(rig.root, { recursive: true }).sort()).toEqual([
      ...['a.txt', 'c.bin', 'deep', 'deep/er', 'deep/er/b.txt', 'same.txt'],
    ]);
    expect([text(rig, 'a.txt'), text(rig, 'deep/er/b.txt')]).toEqual(['one', 'two']);
    expect(readFileSync(at(rig, 'c.bin'))).toEqual(Buffer.from([0, 255, 7]));
    expect(statSync(at(rig, 'c.bin')).mode & 0o777).toBe(0o644);
  });

  it('does not write over what changed since, for any of its files, unless told to', async () => {
    const rig = await openRig();
    put(rig, { a: 'one', b: 'two' });
    await rig.run('echo new > a; echo new > b');
    writeFileSync(at(rig, 'b'), 'mine');
    expect(await undoLast(rig)).toMatchObject({
      done: false,
      message: expect.stringContaining('b was changed since'),
    });
    expect([text(rig, 'a'), text(rig, 'b')]).toEqual(['new\n', 'mine']);
    expect(await undoLast(rig, true)).toMatchObject({ done: true });
    expect([text(rig, 'a'), text(rig, 'b')]).toEqual(['one', 'two']);
  });

  it('says which files it does not cover: closed ones, links, and those that are too large', async () => {
    // A command that nothing confines can change closed files as well.
    const rig = await openRig({ fallback: sessionOnly });
    put(rig, { '.env': 'KEY=1', a: 'one', big: Buffer.alloc(11 * 1024 * 1024) });
    symlinkSync('a', at(rig, 'link'));
    const answer = await said(rig, 'echo new > a; echo x >> .env; ln -sf b link; echo x >> big');
    expect(answer).toMatch(/^Undo covers 1 of 4 changed files, not \.env, big, link\. /);
    expect(await undoLast(rig)).toMatchObject({ done: true, message: 'Put back 1 file: a' });
    expect(text(rig, '.env')).toBe('KEY=1x\n');
  });

  it('keeps no file twice that did not change between commands, and notices when one did', async () => {
    const rig = await openRig();
    put(rig, { a: 'one', b: 'other' });
    await rig.run('true');
    writeFileSync(at(rig, 'a'), 'two');
    await rig.run('rm a b');
    expect(await undoLast(rig)).toMatchObject({ done: true });
    expect([text(rig, 'a'), text(rig, 'b')]).toEqual(['two', 'other']);
  });

  it('leaves no record of a command that is over, and says nothing when nothing changed', async () => {
    const rig = await openRig();
    put(rig, { a: 'one' });
    expect(await said(rig, 'cat a')).toBe('');
    expect(readdirSync(undoFolder(rig.home)).filter((name) => name !== 'kept')).toEqual([]);
  });
});

describe('undoing a command in a repository too large to be kept', () => {
  const many = Object.fromEntries(Array.from({ length: 1_005 }, (_, i) => [`src/f${i}.txt`, `line ${i}\n`]));

  it('takes from git what git had, and keeps the rest', { timeout: 120_000 }, async () => {
    const rig = await openRig();
    git(rig, 'init', '-q');
    put(rig, { ...many, '.gitignore': 'out\n', 'src/edited.txt': 'committed\n' });
    git(rig, 'add', '.');
    git(rig, 'commit', '-qm', 'x');
    put(rig, { 'src/edited.txt': 'not committed\n', 'new.txt': 'untracked\n', 'out/x': 'ignored\n' });
    const answer = await said(
      rig,
      'for f in src/f7.txt src/edited.txt new.txt out/x; do echo y > $f; done; git add .; rm src/f8.txt',
    );
    expect(answer).toMatch(/^Undo covers 5 of 5 /);
    expect(await undoLast(rig)).toMatchObject({ done: true });
    expect(
      ['src/f7.txt', 'src/f8.txt', 'src/edited.txt', 'new.txt', 'out/x'].map((path) => text(rig, path)),
    ).toEqual([...['line 7\n', 'line 8\n', 'not committed\n', 'untracked\n', 'ignored\n']]);
  });

  it('does not give what git stores in another form, nor what the command made of git’s own files', {
    timeout: 120_000,
  }, async () => {
    const rig = await openRig();
    git(rig, 'init', '-q');
    put(rig, { ...many, 'src/crlf.txt': 'a\r\nb\r\n', '.gitattributes': 'crlf.txt text eol=crlf\n' });
    git(rig, 'add', '.');
    git(rig, 'commit', '-qm', 'x');
    expect(await said(rig, 'echo y > src/crlf.txt')).toMatch(
      /^Undo covers 0 of 1 changed file, not src\/crlf\.txt\.$/,
    );
    expect(await said(rig, 'echo y > src/f7.txt; rm -rf .git')).toMatch(/^Undo covers 0 of 1 /);
  });

  it('is bounded when a command changes thousands of files', { timeout: 120_000 }, async () => {
    const rig = await openRig();
    const answer = await said(rig, `i=0; while [ $i -lt ${MANY} ]; do echo x > f$i; i=$((i+1)); done`);
    // The look at the folder is bounded in time as well, so a busy machine may see fewer files, or none.
    expect(answer).toMatch(/^(?:Undo covers \d+ of \d+ changed files, not f\S+, .* and \d+ more\.|$)/);
    const covered = Number(/\d+/.exec(answer)?.[0] ?? 0);
    expect(covered).toBeLessThanOrEqual(300);
    expect(journalOf(rig).list()).toHaveLength(covered);
  });
});

describe('a bridge that dies while a command runs', () => {
  it('tells at its next start what the command had changed by then', { timeout: 60_000 }, async () => {
    const rig = await openRig();
    put(rig, { a: 'one', b: 'two', c: 'three' });
    // Another process, so that it can be killed.
    const program = `
      import { openMachine } from '${source('local-bridge/agent/machine.ts')}';
      import { everyone, WatchedDoor } from '${source('test/support/tools.ts')}';
      const machine = await openMachine({ home: '${rig.home}', roots: [{ path: '${rig.root}', name: 'main' }], settings: {} });
      const tool = machine.tools(new WatchedDoor()).get('run_in_terminal');
      await tool.call({ command: 'echo x > a; rm b; : > begun; sleep 60' }, everyone);`;
    const args = ['--no-warnings', '--input-type=module-typescript', '-e', program];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await until('the command has begun', () => existsSync(at(rig, 'begun')), 40_000);
    child.kill('SIGKILL');
    await until('the bridge is gone', () => child.signalCode !== null);
    const undo = journalOf(rig);
    expect(undo.list()).toEqual([]);
    const workspace = openWorkspace([{ path: rig.root, name: 'main' }], { closed: [rig.home] });
    try {
      await recover({ workspace, undo, disk: nodeDisk }, Date.now());
    } finally {
      workspace.close();
    }
    expect(
      undo
        .list()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['a', 'b']);
    expect(readdirSync(undoFolder(rig.home)).filter((name) => name.endsWith('.running'))).toEqual([]);
    expect(await undoLast(rig)).toMatchObject({ done: true });
    expect([text(rig, 'a'), text(rig, 'b'), text(rig, 'c')]).toEqual(['one', 'two', 'three']);
  });
});
