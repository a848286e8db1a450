import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SecretsFound } from '../../../local-bridge/agent/mirror/push.ts';
import { pushRig } from '../../support/mirror-push.ts';

const rig = pushRig();

/** Everything that reached the gateway, as one text. */
const wire = () =>
  Buffer.concat(
    rig.gateway.requests.map(({ line, body }) => Buffer.concat([Buffer.from(line), body])),
  ).toString('latin1');

const DENIED = [
  '.env',
  '.env.local',
  '.ENV.production',
  'docs/.env',
  'docs/.Env/notes.md',
  'secrets/plan.md',
  'docs/Secrets/plan.md',
  'docs/deep/SECRETS/plan.md',
  'docs/id.key',
  'docs/ID.KEY',
  'docs/cert.pem',
  'docs/Cert.Pem',
  'docs/.env.',
  'docs/.ｅnv',
  'docs/.e\u200bnv',
  'docs/back\\slash.md',
  'docs/new\nline.md',
  '.claude/memory/decisions.jsonl',
  '.claude/memory/Best_Practices.md',
];

describe('what is denied', () => {
  it('never crosses the wire: not its bytes, not its name, not what git calls it', async () => {
    const marker = (path: string) => `bytes of ${Buffer.from(path).toString('hex')}`;
    rig.repo.commit({
      ...Object.fromEntries(DENIED.map((path) => [path, marker(path)])),
      'docs/open.md': marker('open'),
      'src/open.ts': marker('open too'),
    });
    rig.gateway.settings = { open: ['**'], allowedSecrets: [] };
    await rig.push();
    // A later push, which tells only what changed, holds them back as well.
    rig.repo.commit(
      Object.fromEntries([...DENIED, 'docs/open.md'].map((path) => [path, `${marker(path)} again`])),
    );
    await rig.push();
    rig.repo.git('rm', '-r', '--quiet', '.');
    rig.repo.commit({ 'docs/last.md': 'last' });
    await rig.push();
    const sent = wire();
    expect(sent).toContain(marker('open'));
    expect(sent).toContain(marker('open too'));
    const shas = rig.repo
      .git('rev-list', '--objects', '--all')
      .split('\n')
      .map((line) => line.split(' ', 1)[0] ?? '');
    const opened = new Set([
      ...rig.gateway.pushes().flatMap(({ files }) => files.map(({ sha }) => sha)),
      ...rig.gateway.pushes().flatMap(({ commit, base }) => [commit, base]),
    ]);
    for (const path of DENIED) {
      expect(sent, path).not.toContain(marker(path));
      expect(sent, path).not.toContain(JSON.stringify(path).slice(1, -1));
    }
    for (const sha of shas.filter((one) => !opened.has(one))) expect(sent).not.toContain(sha);
    expect([...rig.gateway.files.keys()]).toEqual(['docs/last.md']);
  });

  it('is nothing a gateway can ask for', async () => {
    rig.repo.commit({ '.env': 'TOKEN=very-private', 'docs/a.md': 'a', 'src/closed.ts': 'closed' });
    for (const path of ['.env', 'src/closed.ts']) {
      const sha = rig.repo.git('rev-parse', `HEAD:${path}`);
      rig.gateway.instead = (line) =>
        line.endsWith('/pushes') ? { kind: 'open', id: 'x', lacking: [sha] } : undefined;
      await expect(rig.push()).rejects.toThrow('asked for a file that this push does not contain');
    }
    expect(wire()).not.toContain('very-private');
    expect(wire()).not.toContain('closed');
  });

  it('does not leave by a link, since a link is sent as where it points and never as what is there', async () => {
    rig.repo.write({ '.env': 'TOKEN=very-private', 'docs/a.md': 'a' });
    symlinkSync('../.env', join(rig.repo.root, 'docs/link.md'));
    rig.repo.commit();
    await rig.push();
    expect(wire()).not.toContain('very-private');
    expect(wire()).not.toContain('../.env');
    expect(rig.gateway.files.get('docs/link.md')).toMatchObject({ mode: '120000' });
  });

  it('is what is not open: the default folders, and else what the clone was told', async () => {
    rig.repo.commit({
      'README.md': 'r',
      'CLAUDE.md': 'c',
      'docs/a.md': 'a',
      'paths/a.md': 'b',
      'stacks/a.md': 'd',
      'src/a.ts': 'e',
      'docs-private/a.md': 'f',
      'readme.md': 'g',
    });
    expect((await rig.push()).closed).toBe(3);
    expect([...rig.gateway.files.keys()]).toEqual([
      'CLAUDE.md',
      'README.md',
      'docs/a.md',
      'paths/a.md',
      'stacks/a.md',
    ]);
    // Git's own settings can leave out some of what the gateway's owner opened, and open nothing.
    rig.repo.git('config', '--add', 'bowline.open', 'src/**');
    await expect(rig.push()).rejects.toThrow('Nothing that this clone offers is open');
    rig.repo.git('config', '--add', 'bowline.open', 'docs/**');
    await rig.push();
    expect([...rig.gateway.files.keys()]).toEqual(['docs/a.md']);
    expect(rig.log.join()).toContain("bowline mirror open 'src/**'");
    rig.repo.git('config', '--replace-all', 'bowline.open', '**');
    expect((await rig.push()).files).toBe(5);
    rig.gateway.settings = { open: ['**'], allowedSecrets: [] };
    expect((await rig.push()).files).toBe(8);
    expect((await rig.push({ offered: ['src/**'] })).files).toBe(1);
    for (const pattern of ['docs/*.md', 'secrets/**', '../**', '/etc/**', '.env', 'a/**/b']) {
      await expect(rig.push({ offered: [pattern] })).rejects.toThrow('cannot be opened');
    }
  });

  it('is what was never committed', async () => {
    rig.repo.commit({ 'docs/a.md': 'committed' });
    rig.repo.write({ 'docs/a.md': 'only on disk', 'docs/b.md': 'only on disk' });
    await rig.push();
    expect(wire()).not.toContain('only on disk');
    expect([...rig.gateway.blobs.values()].map(String)).toEqual(['committed']);
  });
});

describe('what looks like a secret', () => {
  const key = `AKIA${'IOSFODNN7EXAMPLE'}`;

  it('stops the push before a word of it, naming the place and not the secret', async () => {
    rig.repo.commit({ 'docs/a.md': 'fine', 'docs/b.md': `one\ntwo\nkey = ${key}\n` });
    const stopped = await rig.push().catch((error: unknown) => error);
    expect(stopped).toBeInstanceOf(SecretsFound);
    if (!(stopped instanceof SecretsFound)) return;
    expect(stopped.places).toEqual([{ path: 'docs/b.md', line: 3, rule: 'aws-access-key' }]);
    expect(stopped.message).toContain('docs/b.md:3');
    expect(`${stopped.message}${stopped.suggestion}`).not.toContain(key);
    expect(stopped.suggestion).toContain("mirror allow-secret 'docs/b.md:aws-access-key'");
    expect(rig.gateway.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  it('is let through where it is allowed by name, and nowhere else', async () => {
    rig.repo.commit({ 'docs/b.md': key });
    for (const allowed of ['docs/b.md', 'docs/b.md:private-key', 'docs/*:aws-access-key', 'aws-access-key']) {
      rig.gateway.settings = { open: ['**'], allowedSecrets: [allowed] };
      await expect(rig.push()).rejects.toBeInstanceOf(SecretsFound);
    }
    // The clone's own word allows nothing.
    rig.repo.git('config', '--add', 'bowline.allowSecret', 'docs/b.md:aws-access-key');
    await expect(rig.push()).rejects.toBeInstanceOf(SecretsFound);
    rig.gateway.settings = { open: ['docs/**'], allowedSecrets: ['docs/b.md:aws-access-key'] };
    expect(await rig.push()).toMatchObject({ files: 1 });
    rig.repo.commit({ 'docs/c.md': key });
    await expect(rig.push()).rejects.toBeInstanceOf(SecretsFound);
  });

  it('does not matter in what stays here', async () => {
    rig.repo.commit({ 'docs/a.md': 'a', 'src/a.ts': key, '.env': key });
    expect(await rig.push()).toMatchObject({ files: 1 });
  });
});
