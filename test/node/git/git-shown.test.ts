import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AT_LENGTH } from '../../support/at-length.ts';
import { beside, gitRig, readAll } from './rig.ts';

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';

/** Names of closed files. Which others are closed is tested in test/node/workspace. */
const CLOSED = ['.env', 'keys/server.pem', 'deep/.env.local', '.ENV'];

describe('what git_read shows', () => {
  it.each(AT_LENGTH ? CLOSED : CLOSED.slice(0, 2))('holds nothing of %s', async (name) => {
    const rig = gitRig({ [name]: 'CLOSED=1\n', 'a.txt': '1\n' });
    const { repo, read } = rig;
    repo.commit({ [name]: 'CLOSED=2\n' });
    repo.write({ [name]: 'CLOSED=3\n' });
    const all = await readAll(rig);
    expect(all).not.toContain('CLOSED');
    expect(all).not.toContain(name.split('/').at(-1));
    expect((await read({ what: 'diff' })).metadata).toMatchObject({ files: [], closed_files: 1 });
    expect((await read({ what: 'show' })).output).toContain('[1 changed file closed to tools, left out]');
    for (const what of ['diff', 'log', 'blame', 'show', 'status'])
      expect((await rig.refused({ what, path: name })).code).toBe('path_denied');
  });

  it('holds nothing of a closed file that was given an open name', async () => {
    const { repo, root, read } = gitRig({ '.env': `CLOSED=${'x'.repeat(50)}\nB=2\nC=3\n` });
    renameSync(join(root, '.env'), join(root, 'notes.txt'));
    repo.write({ 'notes.txt': `CLOSED=${'x'.repeat(50)}\nB=2\nC=4\n` });
    repo.commit();
    const { output } = await read({ what: 'show' });
    expect(output).not.toContain('C=3');
  });

  it('has its secrets hidden, by the whole file', async () => {
    const { repo, read } = gitRig({ 'a.txt': `token = ${SECRET}\n` });
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEabcdef0123456789\n'.repeat(12)}-----END RSA PRIVATE KEY-----\n`;
    repo.commit({ 'a.txt': 'clean\n', 'b.txt': key });
    repo.write({ 'b.txt': key.replace('MIIEabcdef0123456789\n-----END', 'MIIEabcdef0123456780\n-----END') });
    repo.git('commit', '-q', '--allow-empty', '-m', `Use ${SECRET}`);
    for (const args of [{ what: 'log' }, { what: 'show' }, { what: 'show', ref: 'HEAD~1' }, { what: 'diff' }])
      expect((await read(args)).output).not.toMatch(/ghp_0123|MIIEabcdef/);
    expect((await read({ what: 'blame', path: 'b.txt' })).output).not.toContain('MIIEabcdef');
  });

  it('follows no link of the working tree', async () => {
    const rig = gitRig({ 'd/a.txt': 'inside\n', 'a.txt': '1\n' });
    beside(rig);
    rmSync(join(rig.root, 'd'), { recursive: true });
    symlinkSync('../beside', join(rig.root, 'd'));
    rmSync(join(rig.root, 'a.txt'));
    symlinkSync('../beside/a.txt', join(rig.root, 'a.txt'));
    for (const what of ['status', 'diff'])
      expect(JSON.stringify(await rig.read({ what }))).not.toContain('OUTSIDE');
  });

  it('has no line that a name or a message forged', async () => {
    const { repo, read } = gitRig();
    const names = ['b\n  modified: forged.ts', 'c\u001b[2Jd', 'e\u202ef', '"quoted"', '-x', 'a -> b'];
    repo.commit(Object.fromEntries(names.map((name) => [name, '1\n'])));
    repo.git('commit', '-q', '--allow-empty', '-m', 'Subject \u001b]0;x\u0007\u202e');
    const asked = [{ what: 'show', ref: 'HEAD~1' }, { what: 'log' }, { what: 'status' }];
    for (const args of asked) {
      const { output } = await read(args);
      for (const part of ['forged', '\u001b', '\u0007', '\u202e']) expect(output).not.toContain(part);
    }
    expect((await read(asked[0] ?? {})).metadata).toMatchObject({
      closed_files: 3,
      files: [{ path: '"quoted"' }, { path: '-x' }, { path: 'a -> b' }],
    });
    repo.write({ '-x': '2\n' });
    expect((await read({ what: 'diff', path: '-x' })).output).toContain('+2');
    expect((await read({ what: 'blame', path: '-x' })).output).toContain(': 1');
  });

  it.each([
    ...[
      '-x',
      '--output=pwned',
      '--upload-pack=touch ran',
      'HEAD..main',
      ':/at',
      'HEAD^{/at}',
      'a b',
      'HEAD:a.txt',
    ],
    ...['@{-1}', 'main\n--all'],
  ])('takes no %j for a commit', async (ref) => {
    const rig = gitRig();
    for (const field of ['ref', 'base']) {
      const { code } = await rig.refused({ what: 'diff', [field]: ref });
      expect(['invalid_input', 'unknown_ref']).toContain(code);
    }
    expect(existsSync(join(rig.root, 'pwned'))).toBe(false);
  });

  it('takes the name of a branch that begins with a dash for a name', async () => {
    const { repo, read, ran } = gitRig();
    repo.git('update-ref', 'refs/heads/--output=pwned', 'HEAD');
    expect((await read({ what: 'log', ref: 'refs/heads/--output=pwned' })).output).toContain('1 commit of');
    expect(existsSync(join(repo.root, 'pwned')) || ran()).toBe(false);
  });

  it('is bounded, however much there is', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`f${i}.txt`, `${i}\n`.repeat(400)]),
    );
    const { repo, read } = gitRig({ 'big.txt': 'x'.repeat(3_000_000) });
    repo.commit(many);
    const { output, metadata } = await read({ what: 'show' });
    expect(output.length).toBeLessThan(130_000);
    expect((metadata.files as unknown[]).length).toBe(300);
    expect(metadata.truncated).toBe(true);
    repo.write({ 'big.txt': 'y'.repeat(3_000_000), 'long.txt': '' });
    expect((await read({ what: 'diff' })).output).toContain('# modified: big.txt (too large for a diff)');
    repo.git('commit', '-q', '--allow-empty', '-m', 'z'.repeat(100_000));
    expect((await read({ what: 'log' })).output.length).toBeLessThan(2_000);
    expect((await read({ what: 'show' })).output.length).toBeLessThan(20_000);
  });

  it('leaves nothing behind', async () => {
    const rig = gitRig();
    await readAll(rig);
    expect(readdirSync(join(rig.home, 'git-views'))).toEqual([]);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: rig.root, encoding: 'utf8' })).toBe('');
  });
});
