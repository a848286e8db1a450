import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeReadyFile } from '../../../local-bridge/local/up/ready-file.ts';
import { takeStateFolder } from '../../../local-bridge/local/up/state.ts';

const URL = 'http://localhost:1';
const modeOf = (path: string) => statSync(path).mode & 0o777;

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-state-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a state folder that other users may enter', () => {
  it('is refused as it is, if it is somebody’s project', () => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'run'), '');
    chmodSync(join(folder, 'bin', 'run'), 0o755);
    expect(() => takeStateFolder(folder, URL)).toThrow('it holds more than Bowline’s own files');
    expect([folder, join(folder, 'bin', 'run')].map(modeOf)).toEqual([0o755, 0o755]);
    expect(existsSync(join(folder, 'up.lock'))).toBe(false);
  });

  it('is closed if it was Bowline’s before, and its user may do what they could', () => {
    for (const name of ['owner-key', 'run', 'kept']) writeFileSync(join(folder, name), '');
    chmodSync(join(folder, 'run'), 0o755);
    chmodSync(join(folder, 'owner-key'), 0o644);
    chmodSync(join(folder, 'kept'), 0o444);
    chmodSync(folder, 0o755);
    takeStateFolder(folder, URL).release();
    expect(['', 'run', 'owner-key', 'kept'].map((name) => modeOf(join(folder, name)))).toEqual([
      ...[0o700, 0o700, 0o600, 0o400],
    ]);
  });
});

describe('the ready-file', () => {
  it('takes the place of a link, and leaves what the link led to', () => {
    writeFileSync(join(folder, 'notes'), 'mine');
    symlinkSync('notes', join(folder, 'ready.json'));
    const ready = takeReadyFile(join(folder, 'ready.json'));
    expect(ready.path).toBe(join(folder, 'ready.json'));
    expect(existsSync(ready.path)).toBe(false);
    ready.write({ token: 't' });
    expect(lstatSync(ready.path).isFile()).toBe(true);
    expect(modeOf(ready.path)).toBe(0o600);
    expect(readFileSync(join(folder, 'notes'), 'utf8')).toBe('mine');
  });

  it('has the path that links lead to, so that it stays closed when they are replaced', () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'way'));
    expect(takeReadyFile(join(folder, 'way', 'ready.json')).path).toBe(join(folder, 'real', 'ready.json'));
  });

  it('is written to no file that somebody put beside it', () => {
    const planted = join(folder, 'planted');
    writeFileSync(planted, 'theirs');
    const ready = takeReadyFile(join(folder, 'ready.json'));
    linkSync(planted, `${ready.path}.${process.pid}`);
    ready.write({ token: 't' });
    expect(readFileSync(planted, 'utf8')).toBe('theirs');
    expect(statSync(ready.path).nlink).toBe(1);
  });

  it('that cannot be written is refused at once', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => takeReadyFile(join(folder, 'file', 'ready.json'))).toThrow('cannot be written');
    mkdirSync(join(folder, 'taken'));
    expect(() => takeReadyFile(join(folder, 'taken'))).toThrow('cannot be written');
  });
});
