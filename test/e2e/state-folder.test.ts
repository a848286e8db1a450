import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { hasSandbox } from '../node/terminal/rig.ts';
import { copyBuilt } from '../support/copied-build.ts';
import { startUp, type Up } from '../support/up.ts';
import { decideUntil } from '../support/waiting-calls.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-inside-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

// State folder, Bowline home and ready-file all lie inside the folder that is open to tools.
describe.each(['auto', 'off'] as const)('with the sandbox set to %s, inside the open folder', (sandbox) => {
  let up: Up;
  let owner: OwnerSession;
  let secrets: string[];

  beforeAll(async () => {
    for (const name of ['home', 'inner', 'state', 'state/logs']) mkdirSync(join(root, name));
    writeFileSync(
      join(root, 'home', 'bridge.json'),
      JSON.stringify({ terminal: { sandbox, shell: '/bin/sh' } }),
    );
    // As an earlier version may have left it.
    mkdirSync(join(root, 'state', 'gateway', 'v3', 'observability'), { recursive: true });
    writeFileSync(join(root, 'state', 'gateway', 'v3', 'observability', 'trace.sqlite'), 'code=PLANTED');
    writeFileSync(join(root, 'state', 'logs', 'gateway.log'), 'old', { mode: 0o644 });
    for (const name of ['state', 'state/logs']) chmodSync(join(root, name), 0o755);
    // Otherwise the start builds it.
    copyBuilt(join(root, 'built'));
    up = await startUp({
      home: join(root, 'home'),
      readyFile: join(root, 'inner', 'ready.json'),
      args: ['--root', root, '--state', join(root, 'state')],
      env: { BOWLINE_BUILT_WORKER: join(root, 'built') },
    });
    owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
    secrets = [
      up.ready.owner_key,
      up.ready.token,
      readFileSync(join(root, 'state', 'memory-key'), 'utf8').trim(),
    ];
  });
  afterAll(async () => {
    await up?.stop();
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
  });

  const call = async (tool: string, args: object) => {
    const response = await fetch(`${up.ready.rest}/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${up.ready.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    const text = await response.text();
    for (const secret of secrets) expect(text).not.toContain(secret);
    return { status: response.status, body: JSON.parse(text) };
  };
  /** Calls a tool that asks, with an owner who says yes. */
  const approved = async (tool: string, args: object) => {
    const answer = call(tool, args);
    await decideUntil(answer, owner, { decision: 'approve' });
    return answer;
  };
  const run = async (command: string) => {
    const { body } = await approved('run_in_terminal', { command });
    return JSON.stringify(body);
  };

  it('names the file of the owner key, and holds no key', () => {
    const written = readFileSync(up.readyFile, 'utf8');
    expect(written).not.toContain(up.ready.owner_key);
    expect(up.ready.owner_key_file).toBe(join(root, 'state', 'owner-key'));
    expect(statSync(up.ready.owner_key_file).mode & 0o777).toBe(0o600);
    expect(statSync(up.readyFile).mode & 0o777).toBe(0o600);
  });

  it('mends a state folder that others could enter', () => {
    const modeOf = (name: string) => statSync(join(root, name)).mode & 0o777;
    expect(['state', 'state/logs', 'state/logs/gateway.log'].map(modeOf)).toEqual([0o700, 0o700, 0o600]);
    expect(() => statSync(join(root, 'state', 'gateway', 'v3', 'observability'))).toThrow('ENOENT');
  });

  it('shows no tool what is in them', async () => {
    for (const path of ['inner/ready.json', 'state/owner-key', 'state/gateway.env', 'inner/READY.JSON']) {
      const { status } = await call('read_file', { path });
      expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code >= 400)]);
    }
    expect((await call('list_dir', { path: 'state' })).status).toBeGreaterThanOrEqual(400);
    const found = await call('file_search', { query: '**/*' });
    expect(JSON.stringify(found.body)).not.toMatch(/owner-key|ready\.json|machine-key/);
    const lines = await call('grep_search', { query: 'bwl_', is_regexp: false });
    expect(JSON.stringify(lines.body)).not.toMatch(/owner-key|ready\.json/);
  });

  it('lets no tool write there', async () => {
    for (const path of ['inner/ready.json', 'state/owner-key', 'state/new']) {
      const { status, body } = await approved('create_file', { path, content: 'x' });
      expect([path, status, body.code]).toEqual([
        path,
        expect.toSatisfy((code: number) => code >= 400),
        'path_denied',
      ]);
    }
    expect(readFileSync(up.ready.owner_key_file, 'utf8').trim()).toBe(up.ready.owner_key);
  });

  it('lets no tool and no command change the built Worker, which the next start runs', async () => {
    const [folder = ''] = readdirSync(join(root, 'built'));
    const worker = join('built', folder, 'worker.js');
    const before = readFileSync(join(root, worker), 'utf8');
    expect((await approved('create_file', { path: worker, content: 'x' })).body.code).toBe('path_denied');
    // Nothing but a sandbox keeps commands out.
    if (sandbox === 'auto' && hasSandbox)
      expect(await run(`echo x > ${worker}; echo over`)).toContain('over');
    expect(readFileSync(join(root, worker), 'utf8')).toBe(before);
  });

  it('keeps no configuration of the runtime, which holds the secrets', () => {
    expect(existsSync(join(root, 'state', 'gateway.capnp'))).toBe(false);
  });

  it('shows no command what is in them', async () => {
    const said = await run(
      'cat inner/ready.json state/owner-key state/memory-key home/credentials.json; ls -la state home; grep -rs bwl_ .; echo over',
    );
    expect(said).toContain('over');
    // A name in the ready-file: secrets would be replaced in what is shown.
    expect(said).not.toContain('owner_key_file');
    expect(said).not.toMatch(/memory-key\\n|gateway\.env|machine-key/);
  });

  it('shows them to no command and no tool after a command moved the folder around them', async () => {
    expect(await run('mv inner elsewhere; ls elsewhere; echo over')).toContain('over');
    const read = await call('read_file', { path: 'elsewhere/ready.json' });
    // bubblewrap lets nobody move it; without it a command may, and still reads nothing in it.
    const isMoved = existsSync(join(root, 'elsewhere'));
    expect(isMoved).toBe(sandbox === 'off' || !hasSandbox);
    expect(read.body.code).toBe(isMoved ? 'path_denied' : 'file_not_found');
    expect(await run('cat elsewhere/ready.json; echo over')).toContain(isMoved ? 'was moved' : 'over');
  });
});
