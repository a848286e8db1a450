import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEYS } from '../../../../contracts/terminal-session-fields.ts';
import { failureIn } from '../../../support/tools.ts';
import { envelopeIn } from '../rig.ts';
import { openSessionRig } from './rig.ts';

const BAD_FOLDERS = [
  ['../other', 'path_outside_root'],
  ['/etc', 'path_outside_root'],
  ['~', 'path_outside_root'],
  ['link', 'path_outside_root'],
  ['link/deeper', 'path_outside_root'],
  ['nothing', 'directory_not_found'],
  ['file.txt', 'not_a_directory'],
  ['.ssh', 'path_denied'],
  ['.SSH', 'path_denied'],
  ['app/', 'invalid_path'],
  ['a\u202eb', 'invalid_path'],
  ['a\u001b[2J', 'invalid_path'],
] as const;

async function placedRig() {
  const rig = await openSessionRig();
  const { root, other } = rig;
  for (const folder of [join(root, '.ssh'), join(root, 'app'), join(other, 'deeper')]) mkdirSync(folder);
  symlinkSync(other, join(root, 'link'));
  writeFileSync(join(root, 'file.txt'), '');
  return rig;
}

describe('the folder of a lasting terminal', () => {
  it.each(BAD_FOLDERS)('is not %j', async (cwd, code) => {
    const rig = await placedRig();
    const start = { session: 'work', command: 'touch ran', cwd };
    expect(failureIn(await rig.start(start)).code).toBe(code);
    expect(await rig.look('terminal_start', start)).toMatchObject({ kind: 'failed', failure: { code } });
    for (const folder of [rig.root, rig.other, join(rig.root, '.ssh'), join(rig.other, 'deeper')])
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    expect(envelopeIn(await rig.call('terminal_list', {})).metadata.sessions).toEqual([]);
  });

  it.each(BAD_FOLDERS)('is none that a line may name: %j', async (cwd, code) => {
    const rig = await placedRig();
    await rig.start();
    await rig.prompt();
    expect(failureIn(await rig.send({ text: 'touch ran', cwd })).code).toBe(code);
    expect(existsSync(join(rig.root, 'ran'))).toBe(false);
  });

  it.each([
    ['another folder', (path: string) => mkdirSync(path)],
    ['a link out of the open one', (path: string) => symlinkSync('/etc', path)],
  ])('is the very one that the owner saw, and not %s', async (_, put) => {
    const rig = await placedRig();
    const args = { session: 'work', command: 'touch ran', cwd: 'app' };
    const looked = await rig.look('terminal_start', args);
    if ('kind' in looked) throw new Error(JSON.stringify(looked));
    renameSync(join(rig.root, 'app'), join(rig.root, 'old'));
    put(join(rig.root, 'app'));
    const { code } = failureIn(await rig.seen('terminal_start', args, looked.state ?? ''));
    expect(['changed_since_approval', 'path_outside_root']).toContain(code);
    for (const folder of ['app', 'old']) expect(existsSync(join(rig.root, folder, 'ran'))).toBe(false);
    expect(envelopeIn(await rig.call('terminal_list', {})).metadata.sessions).toEqual([]);
  });
});

describe('what is asked of a lasting terminal', () => {
  it.each([
    [31, 'session_not_found'],
    [32, 'session_not_found'],
    [33, 'invalid_input'],
  ])('has a name of 32 letters at most: %i', async (letters, code) => {
    const rig = await openSessionRig();
    expect(failureIn(await rig.read({ session: 'n'.repeat(letters) })).code).toBe(code);
  });

  it.each(['', '-a', 'A', 'a b', 'a/b', '../a', 'a\n', 'a\u001b[2J', 'ä', '__proto__'])(
    'has a name that means nothing to a path or a screen: not %j',
    async (session) => {
      const rig = await openSessionRig();
      expect(failureIn(await rig.start({ session, command: 'true' })).code).toBe('invalid_input');
    },
  );

  it.each([
    [19, 'session_not_found'],
    [20, 'session_not_found'],
    [21, 'invalid_input'],
  ])('has 20 keys at most: %i', async (count, code) => {
    const rig = await openSessionRig();
    const keys = Array.from({ length: count }, (_, i) => KEYS[i % KEYS.length]);
    expect(failureIn(await rig.send({ keys })).code).toBe(code);
  });

  it.each([
    [3_999, 'session_not_found'],
    [4_000, 'session_not_found'],
    [4_001, 'invalid_input'],
  ])('has a text of 4,000 characters at most: %i', async (length, code) => {
    const rig = await openSessionRig();
    const text = `${'x'.repeat(99)}\n`.repeat(41).slice(0, length);
    expect(failureIn(await rig.send({ text, program: true })).code).toBe(code);
  });
});
