import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rootIn } from '../../../src/core/root-of.ts';
import { failureIn } from '../../support/tools.ts';
import { envelopeIn, openRig, printedIn } from './rig.ts';

describe('the folder of a command', () => {
  it('is any folder below the open one', async () => {
    const { run, root, other } = await openRig();
    mkdirSync(join(root, 'app', 'src'), { recursive: true });
    mkdirSync(join(other, 'lib'));
    expect(printedIn(await run({ command: 'pwd', cwd: 'app/src' }))).toBe(`${root}/app/src\n`);
    expect(printedIn(await run({ command: 'pwd', cwd: '.' }))).toBe(`${root}\n`);
    expect(printedIn(await run({ command: 'pwd', cwd: 'lib', root: 'other' }))).toBe(`${other}/lib\n`);
  });

  it('is not where files that changed are counted from', async () => {
    const { run, root } = await openRig();
    mkdirSync(join(root, 'app'));
    const { files_affected } = envelopeIn(await run({ command: 'touch new ../beside', cwd: 'app' }));
    expect(files_affected.toSorted()).toEqual(['app/new', 'beside']);
  });

  it.each([
    ['../other', 'path_outside_root'],
    ['/etc', 'path_outside_root'],
    ['~', 'path_outside_root'],
    ['link', 'path_outside_root'],
    ['link/deeper', 'path_outside_root'],
    ['nothing', 'directory_not_found'],
    ['file.txt', 'not_a_directory'],
    ['.ssh', 'path_denied'],
    ['app/', 'invalid_path'],
    ['a\u202eb', 'invalid_path'],
  ])('is not %j', async (cwd, code) => {
    const { run, look, root, other } = await openRig();
    for (const folder of [join(root, '.ssh'), join(root, 'app'), join(other, 'deeper')]) mkdirSync(folder);
    symlinkSync(other, join(root, 'link'));
    writeFileSync(join(root, 'file.txt'), '');
    expect(failureIn(await run({ command: 'touch ran', cwd })).code).toBe(code);
    expect(await look({ command: 'touch ran', cwd })).toMatchObject({ kind: 'failed', failure: { code } });
    for (const folder of [root, other, join(root, '.ssh'), join(other, 'deeper')])
      expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('is shown before a yes, with what the command means there', async () => {
    const { look, root } = await openRig({ settings: { sandbox: 'off' } });
    mkdirSync(join(root, 'app'));
    const looked = await look({ command: 'echo x > ../../out.txt', cwd: 'app' });
    if ('kind' in looked) throw new Error(JSON.stringify(looked));
    const facts = looked.facts.map(({ text }) => text);
    expect(facts).toContain(`It starts in the folder ${root}/app.`);
    expect(facts.join('\n')).toMatch(/writes to `\.\.\/\.\.\/out\.txt`, which is outside the open folders/);
    const within = await look({ command: 'echo x > ../out.txt', cwd: 'app' });
    expect(JSON.stringify(within)).not.toContain('outside the open folders');
  });

  it('is the very one that the owner saw', async () => {
    const { look, runSeen, root } = await openRig();
    mkdirSync(join(root, 'app'));
    const looked = await look({ command: 'touch ran', cwd: 'app' });
    if ('kind' in looked) throw new Error(JSON.stringify(looked));
    renameSync(join(root, 'app'), join(root, 'old'));
    mkdirSync(join(root, 'app'));
    const again = await runSeen({ command: 'touch ran', cwd: 'app' }, looked.state ?? '');
    expect(failureIn(again).code).toBe('changed_since_approval');
    expect(existsSync(join(root, 'app', 'ran'))).toBe(false);
  });

  it('is told to rules and the owner by its path from the open folder, if it comes as an absolute one', () => {
    const roots = ['shop', 'notes'].map((name) => ({ name, path: `/home/ada/${name}` }));
    const standing = { online: true, since: null, roots };
    const asked = { command: 'ls', cwd: '/home/ada/notes/deep' };
    expect(rootIn({ name: 'mini' }, standing, asked)).toEqual({
      root: { name: 'notes', isDefault: false },
      paths: { cwd: 'deep' },
    });
  });
});
