import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GatewayAway } from '../../../local-bridge/agent/mirror/gateway.ts';
import { NotARepo } from '../../../local-bridge/agent/mirror/repo.ts';
import { pushRig } from '../../support/mirror-push.ts';
import { newRepo } from '../../support/mirror-repo.ts';

const rig = pushRig();
const ms = (seconds: number) => seconds * 1_000;

describe('pushing again', () => {
  it('sends one content and says one file for a change of one file', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`docs/${n}.md`, `number ${n}`]));
    const first = rig.repo.commit(many);
    expect(await rig.push()).toMatchObject({ sent: 300, described: 300, files: 300 });
    rig.gateway.requests.length = 0;
    rig.repo.commit({ 'docs/7.md': 'changed' });
    expect(await rig.push()).toMatchObject({ sent: 1, described: 1, files: 300 });
    expect(rig.gateway.requests.map(({ line }) => line)).toEqual([
      'GET /api/mirror',
      'POST /api/mirror/pushes',
      'POST /api/mirror/pushes/push2/blobs',
    ]);
    expect(rig.gateway.pushes()[0]).toMatchObject({
      base: first,
      files: [{ path: 'docs/7.md' }],
      removed: [],
    });
    expect(rig.gateway.requests.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(1_000);
  });

  it('sends nothing for what moved, went, or did not change', async () => {
    rig.repo.commit({ 'docs/a.md': 'aaa', 'docs/b.md': 'bbb', 'docs/c.md': 'ccc' });
    await rig.push();
    expect(await rig.push()).toMatchObject({ sent: 0, described: 0 });
    rig.repo.git('mv', 'docs/a.md', 'docs/moved.md');
    rig.repo.git('rm', '--quiet', 'docs/b.md');
    rig.repo.commit();
    expect(await rig.push()).toMatchObject({ sent: 0, described: 1, files: 2 });
    expect([...rig.gateway.files.keys()].sort()).toEqual(['docs/c.md', 'docs/moved.md']);
  });

  it('says everything when the gateway is at a commit that is not here, or the folders changed', async () => {
    rig.repo.commit({ 'docs/a.md': 'a', 'src/a.ts': 's' });
    await rig.push();
    rig.gateway.commit = 'f'.repeat(40);
    rig.repo.commit({ 'docs/b.md': 'b' });
    expect(await rig.push()).toMatchObject({ described: 2, sent: 1 });
    rig.gateway.settings = { open: ['**'], allowedSecrets: [] };
    expect(await rig.push()).toMatchObject({ described: 3, sent: 1 });
    expect(await rig.push({ full: true })).toMatchObject({
      described: 3,
      sent: 0,
    });
  });

  it('finds out where the gateway is, if this computer does not know', async () => {
    rig.gateway.open = ['docs/**'];
    rig.gateway.commit = rig.repo.commit({ 'docs/a.md': 'a' });
    rig.repo.commit({ 'docs/b.md': 'b' });
    expect(await rig.push({ offered: ['docs/**'] })).toMatchObject({ described: 1 });
  });

  it('tells how far it is', async () => {
    rig.repo.commit({ 'docs/a.md': 'a', 'docs/b.md': 'b' });
    const told: string[] = [];
    await rig.push({ tell: (what, done, all) => void told.push([what, done, all].join(' ').trim()) });
    expect(told.filter((one) => !one.startsWith('Listing the files'))).toEqual([
      'Looking up when each file changed 0 2',
      'Looking up when each file changed 1 2',
      'Looking up when each file changed 2 2',
      'Looking for secrets in the files 0 2',
      'Looking for secrets in the files 1 2',
      'Describing the files to the gateway 0 2',
      'Sending files 0 2',
      'Sending files 2 2',
    ]);
  });

  it('tells differences between branches that went apart', async () => {
    rig.repo.commit({ 'docs/a.md': 'a', 'docs/b.md': 'b' });
    rig.repo.git('checkout', '--quiet', '-b', 'other');
    rig.repo.commit({ 'docs/b.md': 'other b', 'docs/c.md': 'other c' });
    await rig.push();
    rig.repo.git('checkout', '--quiet', 'main');
    rig.repo.commit({ 'docs/a.md': 'main a' });
    expect(await rig.push()).toMatchObject({ described: 2, files: 2 });
    expect(rig.gateway.pushes().at(-1)).toMatchObject({ branch: 'main', removed: ['docs/c.md'] });
    expect(String(rig.gateway.blobs.get(rig.gateway.files.get('docs/b.md')?.sha ?? ''))).toBe('b');
  });
});

describe('the time of a file', () => {
  const times = () =>
    Object.fromEntries([...rig.gateway.files.values()].map(({ path, modified }) => [path, modified]));

  it('is that of the last commit that changed it, whatever is said of the commit', async () => {
    rig.repo.commit({ 'docs/a.md': 'a', 'docs/b.md': 'b', 'docs/two words é.md': 'c' }, 1_700_000_000);
    rig.repo.commit({ 'docs/b.md': 'bb' }, 1_700_000_100);
    await rig.push();
    rig.repo.commit({ 'docs/a.md': 'aa' }, 1_700_000_200);
    rig.repo.commit({}, 1_700_000_300);
    await rig.push();
    expect(times()).toEqual({
      'docs/a.md': ms(1_700_000_200),
      'docs/b.md': ms(1_700_000_100),
      'docs/two words é.md': ms(1_700_000_000),
    });
    const { modified: _, ...pushed } = rig.gateway.files.get('docs/b.md') ?? {};
    expect(pushed).toMatchObject({ size: 2, mode: '100644' });
  });

  it('is that of the branch it came from, after a merge, and of the merge if that changed it', async () => {
    rig.repo.commit({ 'docs/a.md': 'a', 'docs/b.md': 'b' }, 1_700_000_000);
    rig.repo.git('checkout', '--quiet', '-b', 'side');
    rig.repo.commit({ 'docs/b.md': 'side' }, 1_700_000_100);
    rig.repo.git('checkout', '--quiet', 'main');
    rig.repo.commit({ 'docs/a.md': 'main' }, 1_700_000_200);
    rig.repo.git('merge', '--quiet', '--no-commit', '--no-ff', 'side');
    rig.repo.commit({ 'docs/new.md': 'by the merge' }, 1_700_000_300);
    await rig.push();
    expect(times()).toEqual({
      'docs/a.md': ms(1_700_000_200),
      'docs/b.md': ms(1_700_000_100),
      'docs/new.md': ms(1_700_000_300),
    });
  });
});

describe('what a repo may hold', () => {
  it('links, submodules, pointers and large files are described, and their contents stay', async () => {
    const sub = newRepo();
    sub.commit({ 'x.md': 'x' });
    rig.repo.write({ 'docs/a.md': 'a', 'docs/run.sh': '#!', 'docs/big.bin': Buffer.alloc(1024 * 1024 + 1) });
    rig.repo.write({ 'docs/lfs.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n' });
    symlinkSync('a.md', join(rig.repo.root, 'docs/link'));
    rig.repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub.root, 'docs/sub');
    rig.repo.git('update-index', '--add', '--chmod=+x', 'docs/run.sh');
    rig.repo.git('config', 'core.fileMode', 'false');
    rig.repo.commit();
    expect(await rig.push()).toMatchObject({ described: 6, sent: 3 });
    const modes = Object.fromEntries([...rig.gateway.files.values()].map(({ path, mode }) => [path, mode]));
    expect(modes).toEqual({
      'docs/a.md': '100644',
      'docs/big.bin': '100644',
      'docs/lfs.bin': '100644',
      'docs/link': '120000',
      'docs/run.sh': '100755',
      'docs/sub': '160000',
    });
    expect(rig.log.join()).toContain('Git LFS keeps 1 files elsewhere');
    sub.remove();
  });

  it('names of any kind are kept as they are, and one that is no text is left out with a word', async () => {
    const names = [
      'docs/two words.md',
      'docs/日本.md',
      'docs/É.md',
      'docs/A.md',
      'docs/a.md',
      'docs/-x',
      "docs/it's.md",
      'docs/"q".md',
      'docs/[x]*?.md',
      'docs/:(top)',
    ];
    rig.repo.write(Object.fromEntries(names.map((name) => [name, name])));
    writeFileSync(
      Buffer.concat([Buffer.from(`${rig.repo.root}/docs/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]),
      'x',
    );
    rig.repo.commit();
    expect(await rig.push()).toMatchObject({ described: names.length, sent: names.length });
    expect([...rig.gateway.files.keys()].sort()).toEqual([...names].sort());
    expect(rig.log).toEqual([expect.stringContaining('its name is not UTF-8')]);
  });

  it('may name its contents by SHA-256', async () => {
    const repo = newRepo('--object-format=sha256');
    repo.commit({ 'docs/a.md': 'a' });
    expect((await rig.push({ root: repo.root })).commit).toHaveLength(64);
    repo.commit({ 'docs/a.md': 'b' });
    expect(await rig.push({ root: repo.root })).toMatchObject({ sent: 1, described: 1 });
    repo.remove();
  });

  it('may replace objects or have settings of its own, and what is committed is what counts', async () => {
    rig.repo.commit({ 'docs/a.md': 'real', 'docs/b.md': 'other' });
    rig.repo.git(
      'replace',
      rig.repo.git('rev-parse', 'HEAD:docs/a.md'),
      rig.repo.git('rev-parse', 'HEAD:docs/b.md'),
    );
    for (const [name, value] of [
      ['log.showSignature', 'true'],
      ['diff.renames', 'copies'],
      ['core.quotePath', 'true'],
      ['log.date', 'raw'],
      ['diff.external', '/bin/false'],
    ])
      rig.repo.git('config', name ?? '', value ?? '');
    expect(await rig.push()).toMatchObject({ sent: 2 });
    expect([...rig.gateway.blobs.values()].map(String).sort()).toEqual(['other', 'real']);
  });
});

describe('where there is nothing to push', () => {
  it('says so: no repo, no commit, no such folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bowline-none-'));
    await expect(rig.push({ root: folder })).rejects.toThrow(/is not in a git repository/);
    await expect(rig.push({ root: rig.repo.root })).rejects.toThrow(NotARepo);
    rmSync(folder, { recursive: true });
  });

  it('takes the repo around a folder', async () => {
    rig.repo.commit({ 'docs/deep/a.md': 'a', 'README.md': 'r' });
    mkdirSync(join(rig.repo.root, 'docs/deep'), { recursive: true });
    expect(await rig.push({ root: join(rig.repo.root, 'docs/deep') })).toMatchObject({ files: 2 });
  });
});

describe('a gateway', () => {
  it('that is away, busy or broken is worth another try; one that refuses is not', async () => {
    rig.repo.commit({ 'docs/a.md': 'a' });
    for (const status of [500, 503, 429]) {
      rig.gateway.instead = () => status;
      await expect(rig.push()).rejects.toBeInstanceOf(GatewayAway);
    }
    for (const status of [401, 403, 404]) {
      rig.gateway.instead = () => status;
      await expect(rig.push()).rejects.not.toBeInstanceOf(GatewayAway);
    }
    await expect(rig.push({ url: 'http://127.0.0.1:1' })).rejects.toBeInstanceOf(GatewayAway);
  });

  it('that asks for the same for ever is given up', async () => {
    rig.repo.commit({ 'docs/a.md': 'a' });
    const sha = rig.repo.git('rev-parse', 'HEAD:docs/a.md');
    rig.gateway.instead = (line) =>
      line.startsWith('POST') ? { kind: 'open', id: 'x', lacking: [sha] } : undefined;
    await expect(rig.push()).rejects.toThrow('keeps asking');
    rig.gateway.instead = (line) =>
      line.startsWith('POST') ? { kind: 'open', id: 'x', lacking: [] } : undefined;
    await expect(rig.push()).rejects.toThrow('keeps asking');
    rig.gateway.instead = (line) =>
      line.startsWith('POST') ? { kind: 'other_base', commit: null } : undefined;
    await expect(rig.push()).rejects.toThrow('Other pushes kept changing the mirror');
  });
});
