import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { readWhole } from '../../../local-bridge/tools/workspace/read-content.ts';
import { isRefusal } from '../../../local-bridge/tools/workspace/refusal.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { fileRig, type Rig, WAYS } from './rig.ts';

const contentOf = async ({ workspace, root }: Rig, path: string) => {
  const file = workspace.file(root, path, 'read');
  if (isRefusal(file)) return file.code;
  try {
    return (await readWhole(file, nodeDisk)).toString();
  } finally {
    file.close();
  }
};
const folderOf = ({ workspace, root }: Rig, path: string) => {
  const folder = workspace.folder(root, path);
  if (isRefusal(folder)) return folder.code;
  try {
    return folder.use((here) => readdirSync(here)).sort();
  } finally {
    folder.close();
  }
};
const openFds = () => readdirSync('/proc/self/fd').length;

describe.each(WAYS)('a workspace held %s', (_, hold) => {
  const files = { 'a/b/c.txt': 'deep', 'top.txt': 'top', 'a/other.txt': 'other' };

  it('opens what is inside', async () => {
    const rig = fileRig({ files, hold });
    expect(await contentOf(rig, 'a/b/c.txt')).toBe('deep');
    expect(await contentOf(rig, 'top.txt')).toBe('top');
    expect(folderOf(rig, '.')).toEqual(['a', 'top.txt']);
    expect(folderOf(rig, 'a')).toEqual(['b', 'other.txt']);
  });

  it('says what is not there, and what is something else', async () => {
    const rig = fileRig({ files, hold });
    expect(await contentOf(rig, 'a/none.txt')).toBe('not_found');
    expect(await contentOf(rig, 'none/c.txt')).toBe('not_found');
    expect(await contentOf(rig, 'top.txt/x')).toBe('not_a_directory');
    expect(await contentOf(rig, 'a')).toBe('not_a_file');
    expect(await contentOf(rig, '.')).toBe('not_a_file');
    expect(folderOf(rig, 'top.txt')).toBe('not_a_directory');
    expect(folderOf(rig, 'none')).toBe('not_found');
    expect(folderOf(rig, '..')).toBe('path_outside_root');
    expect(folderOf(rig, '.ssh')).toBe('path_denied');
  });

  it('follows no link, at no place of a path, wherever it leads', async () => {
    const rig = fileRig({ files, hold });
    mkdirSync(`${rig.base}/outside`);
    writeFileSync(`${rig.base}/outside/secret.txt`, 'secret');
    symlinkSync('../outside', rig.at('out'));
    symlinkSync('../outside/secret.txt', rig.at('out.txt'));
    symlinkSync('/etc/passwd', rig.at('a/passwd'));
    symlinkSync('../nowhere', rig.at('dangling'));
    symlinkSync('b', rig.at('a/link'));
    symlinkSync('a/b/c.txt', rig.at('inside.txt'));
    symlinkSync('loop', rig.at('loop'));
    symlinkSync('.env', rig.at('env.txt'));
    symlinkSync(rig.at('a'), rig.at('absolute'));
    for (const path of ['out/secret.txt', 'out.txt', 'a/passwd', 'dangling', 'out/none']) {
      expect(await contentOf(rig, path), path).toBe('path_outside_root');
    }
    for (const path of ['a/link/c.txt', 'inside.txt', 'loop', 'loop/x', 'env.txt', 'absolute/b/c.txt']) {
      expect(await contentOf(rig, path), path).toBe('path_denied');
    }
    expect(folderOf(rig, 'out')).toBe('path_outside_root');
    expect(folderOf(rig, 'a/link')).toBe('path_denied');
    expect(rig.workspace.file(rig.root, 'a/link/c.txt', 'read')).toMatchObject({
      suggestion: "Use 'a/b', where it leads.",
    });
    expect(rig.workspace.place(rig.root, 'out/new.txt', 'create')).toMatchObject({
      code: 'path_outside_root',
    });
    expect(rig.workspace.place(rig.root, 'a/link/new/new.txt', 'create')).toMatchObject({
      code: 'path_denied',
    });
    expect(readdirSync(`${rig.base}/outside`)).toEqual(['secret.txt']);
  });

  it('opens no file with a second name, and nothing but files, without waiting', async () => {
    const rig = fileRig({ files, hold });
    writeFileSync(`${rig.base}/secret.txt`, 'secret');
    linkSync(`${rig.base}/secret.txt`, rig.at('hard.txt'));
    execFileSync('mkfifo', [rig.at('pipe')]);
    const server = createServer().listen(rig.at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    for (const path of ['hard.txt', 'pipe', 'socket']) {
      expect(await contentOf(rig, path), path).toBe('not_a_file');
      expect(rig.workspace.file(rig.root, path, 'write')).toMatchObject({ code: 'not_a_file' });
    }
    expect(folderOf(rig, 'pipe')).toBe('not_a_directory');
    await new Promise((resolve) => server.close(resolve));
  });

  it.skipIf(process.getuid?.() !== 0)('opens no device', async () => {
    const rig = fileRig({ hold });
    execFileSync('mknod', [rig.at('zero'), 'c', '1', '5']);
    expect(await contentOf(rig, 'zero')).toBe('not_a_file');
  });

  it('works on in the directory it opened, whatever takes its place', () => {
    const rig = fileRig({ files, hold });
    mkdirSync(`${rig.base}/outside`);
    const folder = rig.workspace.folder(rig.root, 'a/b');
    if (isRefusal(folder)) throw new Error(folder.message);
    renameSync(rig.at('a/b'), rig.at('a/moved'));
    symlinkSync(`${rig.base}/outside`, rig.at('a/b'));
    const attempt = () =>
      folder.use((here) => {
        writeFileSync(`${here}/new.txt`, 'new');
        return spawnSync('ls', { cwd: here, encoding: 'utf8' }).stdout;
      });
    // Either it is still the same directory under its new name, or it is refused: never the other one.
    if (hold === WAYS[0]?.[1]) expect(attempt()).toBe('c.txt\nnew.txt\n');
    else expect(attempt).toThrow('ESTALE');
    folder.close();
    expect(readdirSync(`${rig.base}/outside`)).toEqual([]);
  });

  it('gives up a root that was replaced, until it is opened again', async () => {
    const rig = fileRig({ files, hold });
    renameSync(rig.path, `${rig.base}/away`);
    expect(await contentOf(rig, 'top.txt')).toBe('unknown_root');
    mkdirSync(rig.path);
    writeFileSync(rig.at('top.txt'), 'another');
    expect(await contentOf(rig, 'top.txt')).toBe('unknown_root');
    rmSync(rig.path, { recursive: true });
    symlinkSync(`${rig.base}/away`, rig.path);
    expect(await contentOf(rig, 'top.txt')).toBe('unknown_root');
  });

  it('keeps nothing open that was closed, or refused', async () => {
    const rig = fileRig({ files, hold });
    symlinkSync('/etc', rig.at('out'));
    linkSync(rig.at('top.txt'), rig.at('hard.txt'));
    const before = openFds();
    for (let i = 0; i < 50; i++) {
      for (const path of [
        'a/b/c.txt',
        'hard.txt',
        'out/passwd',
        'none',
        'a/b',
        '.',
        'top.txt/x',
        'a/none/x',
      ]) {
        await contentOf(rig, path);
        folderOf(rig, path);
        const place = rig.workspace.place(rig.root, path, 'exist');
        if (!isRefusal(place)) place.close();
      }
    }
    expect(openFds()).toBe(before);
  });
});

describe('roots', () => {
  it('are named, the first by default', () => {
    const { base, path } = fileRig({ files: { 'sub/x': '' } });
    const workspace = openWorkspace([{ path }, { path: `${path}/sub`, name: 'other' }]);
    expect(workspace.roots.map(({ name }) => name)).toEqual(['project', 'other']);
    expect(workspace.root()).toMatchObject({ path });
    expect(workspace.root('other')).toMatchObject({ path: `${path}/sub` });
    expect(workspace.root('Project')).toMatchObject({
      code: 'unknown_root',
      suggestion: "Open folders: 'project', 'other'.",
    });
    expect(workspace.folder({ name: 'forged', path: base }, '.')).toMatchObject({ code: 'unknown_root' });
    workspace.close();
    expect(openWorkspace([]).root()).toMatchObject({ code: 'unknown_root' });
  });

  it('are real: a link to one is resolved when it is opened', () => {
    const { base, path } = fileRig();
    symlinkSync(path, `${base}/link`);
    const workspace = openWorkspace([{ path: `${base}/link` }]);
    expect(workspace.roots[0]).toMatchObject({ name: 'project', path });
    workspace.close();
  });

  it.each([
    ['missing', 'ENOENT'],
    ['file.txt', 'ENOTDIR'],
  ])('that are %s cannot be opened', (name, why) => {
    const { path } = fileRig({ files: { 'file.txt': '' } });
    expect(() => openWorkspace([{ path: `${path}/${name}` }])).toThrow(why);
  });

  it('have names of their own, and are not where Bowline keeps its state', () => {
    const { path } = fileRig({ files: { 'home/undo/x': '' } });
    expect(() => openWorkspace([{ path }, { path }])).toThrow('Two open folders are called "project".');
    const closed = [`${path}/home`];
    expect(() => openWorkspace([{ path: `${path}/home/undo` }], { closed })).toThrow("Bowline's own folder");
    expect(() => openWorkspace([{ path: `${path}/home` }], { closed })).toThrow("Bowline's own folder");
  });

  it('keep state that is inside them closed, in any case, even before it exists', () => {
    const { path } = fileRig();
    const workspace = openWorkspace([{ path }], { closed: [`${path}/.state/bowline`] });
    const [root] = workspace.roots;
    if (!root) throw new Error('No root');
    for (const closed of ['.state/bowline', '.state/bowline/undo/x', '.STATE/Bowline/x']) {
      expect(workspace.isOpen(root, closed, 'read'), closed).toBe(false);
      expect(workspace.place(root, closed, 'create')).toMatchObject({ code: 'path_denied' });
    }
    expect(workspace.isOpen(root, '.state/bowline2', 'read')).toBe(true);
    expect(workspace.isOpen(root, '.env', 'read')).toBe(false);
    expect(workspace.place(root, '.', 'exist')).toMatchObject({ code: 'path_denied' });
    workspace.close();
  });
});
