import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { PROJECT, startUp, type Up } from '../support/up.ts';

// The archive is the state folder of `npm start`, as an earlier version left it: three entries of the memory, the calls
// that made them, one command that is denied, and a paired machine. Its databases were closed, and its built Worker left
// out.
const ARCHIVE = join(PROJECT, 'test', 'fixtures', 'states', '2026-11-18.tar.gz');

let base: string;
let up: Up;
let owner: OwnerSession;

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-older-')));
  const [home, root, state] = ['home', 'root', 'state'].map((name) => join(base, name));
  for (const folder of [home, root, state]) mkdirSync(folder ?? '', { mode: 0o700 });
  execFileSync('tar', ['-xzf', ARCHIVE, '-C', state ?? '']);
  writeFileSync(join(root ?? '', 'a.txt'), 'one');
  up = await startUp({ home: home ?? '', args: ['--root', root ?? '', '--state', state ?? ''] });
  owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
});
afterAll(async () => {
  await up?.stop();
  rmSync(base, { recursive: true, force: true });
});

async function call(tool: string, args: object) {
  const response = await fetch(`${up.ready.rest}/tools/${tool}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${up.ready.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
  return { status: response.status, body: (await response.json()) as { code?: string; content?: string } };
}

describe('the state of an earlier version', () => {
  it('keeps the memory, whose chain and signatures hold', async () => {
    const { body } = await call('read_repo_file', { path: '.claude/memory/progress_log.jsonl' });
    const entries = body.content?.trim().split('\n') ?? [];
    expect(entries.map((line) => JSON.parse(line).summary)).toEqual(['entry 0', 'entry 1', 'entry 2']);
    const env = { BOWLINE_URL: up.ready.rest, BOWLINE_OWNER_KEY: up.ready.owner_key, BOWLINE_HOME: base };
    expect(await runBowline(['memory', 'verify'], { env })).toMatchObject({ code: 0 });
  });

  it('keeps the ledger', async () => {
    const { entries } = (await owner.call('GET', 'ledger?limit=200')) as {
      entries: { tool: string; outcome: string; machine: string | null }[];
    };
    const seen = entries.map(({ tool, outcome }) => `${tool} ${outcome}`);
    expect(seen.filter((one) => one === 'write_memory_entry ok')).toHaveLength(3);
    expect(entries).toContainEqual(expect.objectContaining({ tool: 'create_file', machine: 'vm' }));
  });

  it('keeps the rules, which hold', async () => {
    expect(await owner.call('GET', 'rules')).toMatchObject({
      rules: [{ tool: 'run_in_terminal', effect: 'deny', enabled: true }],
    });
    const { status, body } = await call('run_in_terminal', { command: 'git push' });
    expect([status, body.code]).toEqual([403, 'denied_by_rule']);
  });

  it('keeps the machine, which answers', async () => {
    expect(await owner.call('GET', 'machines')).toMatchObject({
      machines: [{ id: 'm_37904d103661c21b7ceb8cf777c29348', name: 'vm', online: true }],
    });
    expect((await call('read_file', { path: 'a.txt' })).body).toMatchObject({ success: true });
  });
});
