import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../local-bridge/cli/backup/format.ts';
import { wholeBackup } from '../../local-bridge/cli/backup/read.ts';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { type Ran, runBowline } from '../support/command.ts';
import { startUp, type Up } from '../support/up.ts';

const folder = mkdtempSync(join(tmpdir(), 'bowline-backup-'));
const backup = join(folder, 'backup');
const DAY = 86_400_000;
const rule = (effect: 'allow' | 'deny', path: string, change: object = {}) => ({
  ...{ tool: 'create_directory', machine: null, effect, expiresAt: Date.now() + DAY, maxUses: null },
  ...{ note: path, match: { kind: 'arguments', fields: { path: { equals: path } } } },
  examples: { must: [JSON.stringify({ path })], mustNot: ['{"path":"other"}'] },
  ...change,
});

let old: Up;
let fresh: Up;
let owner: OwnerSession;
const homeBefore = process.env.BOWLINE_HOME;
beforeAll(async () => {
  // Backups are looked at in this process as well.
  process.env.BOWLINE_HOME = join(folder, 'home');
  // One after the other: each is several processes.
  old = await startUp({ home: mkdtempSync(join(folder, 'old-')), args: ['--root', folder] });
  fresh = await startUp({ home: mkdtempSync(join(folder, 'new-')), args: ['--root', folder] });
  owner = await signInAsOwner(old.ready.rest, old.ready.owner_key);
  for (let n = 0; n < 3; n++)
    await owner.call('POST', 'memory/entries', { file: 'progress_log.jsonl', entry: `{"n":${n}}` });
  await owner.call('POST', 'memory/entries', { file: 'best_practices.md', entry: '- Back up 🗄️.' });
  const lines = Array.from({ length: 200 }, (_, n) => ({ text: `{"old":${n}}`, nth: 1 }));
  for (let n = 0; n < 4; n++) {
    const batch = lines.map(({ text, nth }) => ({ text: text.replace('old', `old${n}`), nth }));
    await owner.call('POST', 'memory/import', { file: 'decisions.jsonl', lines: batch });
  }
  for (const one of [rule('allow', 'yes'), rule('deny', 'no')]) await owner.call('POST', 'rules', one);
  await owner.call('PUT', 'settings/rates', { value: { hello: 7 } });
  await owner.call('PUT', 'settings/instructions', { value: 'Use pnpm.' });
  const webhooks = { value: [{ url: 'https://ntfy.example.org/topic', token: 'tk_secret' }] };
  await owner.call('PUT', 'settings/webhooks', webhooks);
});
afterAll(async () => {
  await old?.stop();
  await fresh?.stop();
  rmSync(folder, { recursive: true, force: true });
  if (homeBefore === undefined) delete process.env.BOWLINE_HOME;
  else process.env.BOWLINE_HOME = homeBefore;
});

const at = ({ ready }: Up, ...args: string[]): Promise<Ran> =>
  runBowline(args, {
    env: { BOWLINE_HOME: join(folder, 'home'), BOWLINE_URL: ready.rest, BOWLINE_OWNER_KEY: ready.owner_key },
  });
const log = (where: string) => readFileSync(join(where, 'memory', 'log.jsonl'), 'utf8');

describe('bowline backup', () => {
  it('writes it all into a folder that nobody else reads, and no secret', async () => {
    expect(old.output()).toMatch(/Mirror: none\. .* is not in a git repository\./);
    expect(await at(old, 'backup', backup)).toMatchObject({ code: 0, stderr: '' });
    const manifest = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'));
    expect(manifest).toMatchObject({ format: 1, memory: { entries: 804 } });
    expect(manifest.calls).toBeGreaterThan(0);
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    for (const name of ['backup.json', ...Object.keys(manifest.files)]) {
      expect(statSync(join(backup, name)).mode & 0o777, name).toBe(0o600);
      const text = readFileSync(join(backup, name), 'utf8');
      for (const secret of ['tk_secret', 'ntfy.example.org', old.ready.owner_key, old.ready.token])
        expect(text, name).not.toContain(secret);
    }
    const verified = await at(old, 'memory', 'verify', join(backup, 'memory', 'log.jsonl'));
    expect(verified).toMatchObject({ code: 0 });
  });

  it('takes the webhooks along when it is asked to', async () => {
    const with_ = join(folder, 'with-secrets');
    expect(await at(old, 'backup', with_, '--secrets')).toMatchObject({ code: 0 });
    expect(readFileSync(join(with_, 'settings.json'), 'utf8')).toContain('tk_secret');
  });

  it('refuses a folder that holds something', async () => {
    const again = await at(old, 'backup', backup);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
  });
});

describe('bowline restore refuses', () => {
  /** A copy of the backup after somebody was at it; `mended` as well as they could. */
  const tampered = async (name: string, change: (text: string) => string, mended = false) => {
    const copy = mkdtempSync(join(folder, 'copy-'));
    cpSync(backup, copy, { recursive: true });
    const path = join(copy, name);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    if (mended) {
      const manifest = JSON.parse(readFileSync(join(copy, 'backup.json'), 'utf8'));
      manifest.files[name] = await sha256Of(copy, name);
      writeFileSync(join(copy, 'backup.json'), JSON.stringify(manifest));
    }
    return copy;
  };
  const LOG = 'memory/log.jsonl';
  const cut = (text: string) => `${text.split('\n').slice(0, 500).join('\n')}\n`;

  it.each([
    [
      'a manifest that is cut off',
      'backup.json',
      (text: string) => text.slice(0, -20),
      false,
      /cannot be read/,
    ],
    [
      'rules that were changed',
      'rules.json',
      (text: string) => text.replace('"no"', '"yes"'),
      false,
      /rules.json/,
    ],
    ['another text in the log', LOG, (text: string) => text.replace('old2', 'new2'), true, /its hash/],
    ['a log that is cut', LOG, cut, true, /memory/],
  ])('%s', async (_, name, change, mended, because) => {
    const found = await wholeBackup(await tampered(name, change, mended)).catch((error: unknown) => error);
    expect(found).toMatchObject({
      message: expect.stringMatching(because),
      suggestion: expect.stringContaining('Nothing was restored'),
    });
  });

  it('a folder that lacks a file, or is no backup', async () => {
    const copy = await tampered('rules.json', (text) => text);
    rmSync(join(copy, 'ledger.jsonl'));
    expect((await at(fresh, 'restore', copy)).stderr).toContain('ledger.jsonl is missing');
    await expect(wholeBackup(folder)).rejects.toThrow('has no backup.json');
  });

  it('a gateway that is in use', async () => {
    const ran = await at(old, 'restore', backup);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('cannot be restored here')]);
  });

  it('whoever is not its owner, and steps out of order', async () => {
    const body = JSON.stringify({ do: 'begin', log: { total: 0, head: '0'.repeat(64) } });
    const headers = { authorization: `Bearer ${fresh.ready.token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${fresh.ready.rest}/api/owner/restore`, { method: 'POST', headers, body });
    expect(answer.status).toBe(401);
    const other = await signInAsOwner(fresh.ready.rest, fresh.ready.owner_key);
    for (const step of [
      { do: 'take', entries: [] },
      { do: 'calls', calls: [] },
      { do: 'end', checkpoints: [] },
    ])
      await expect(other.call('POST', 'restore', step)).rejects.toThrow('no restore has begun');
    const call = { seq: -1, id: '', at: 0, principal: '', client: '', via: '', tool: '', machine: null };
    const ended = { outcome: null, code: null, bytes: null, durationMs: null };
    const entry = { ...call, digest: '', args: '', decision: '', because: '', ...ended };
    const calls = (count: number) =>
      other.call('POST', 'restore', { do: 'calls', calls: Array(count).fill(entry) });
    await expect(calls(2_000)).rejects.toThrow('no restore has begun');
    await expect(calls(2_001)).rejects.toThrow('calls');
    await other.signOut();
  });
});

describe('bowline restore', () => {
  it('brings all of it into a fresh gateway', async () => {
    const ran = await at(fresh, 'restore', backup, '--json');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ entries: 804, rules: 2, leftOut: [] });
    expect(JSON.parse(ran.stdout).switchedOff).toHaveLength(1);
  });

  it('so that the memory is the same, entry by entry, and whole', async () => {
    const verified = await at(fresh, 'memory', 'verify', '--json');
    expect(JSON.parse(verified.stdout)).toMatchObject({ entries: 804, signed: 1, problems: [] });
    const copy = join(folder, 'again');
    expect((await at(fresh, 'backup', copy)).code).toBe(0);
    expect(log(copy)).toBe(log(backup));
    for (const file of ['best_practices.md', 'decisions.jsonl'])
      expect(readFileSync(join(copy, 'memory', file))).toEqual(readFileSync(join(backup, 'memory', file)));
  });

  it('so that old calls follow the new ones in the ledger, page by page', async () => {
    const seen: { id: string; seq: number }[] = [];
    for (let before: number | null | undefined; before !== null; ) {
      const page: string[] = before === undefined ? [] : [`--before=${before}`];
      const { stdout } = await at(fresh, 'ledger', '--json', '--limit', '2', ...page);
      const { entries, next } = JSON.parse(stdout);
      seen.push(...entries);
      before = next;
    }
    const ids = seen.map(({ id }) => id);
    const written = readFileSync(join(backup, 'ledger.jsonl'), 'utf8').trim().split('\n');
    expect(ids.slice(-written.length)).toEqual(written.map((line) => JSON.parse(line).id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('so that rules and settings hold, and yeses wait to be looked at', async () => {
    const other = await signInAsOwner(fresh.ready.rest, fresh.ready.owner_key);
    const { rules } = (await other.call('GET', 'rules')) as { rules: { note: string; enabled: boolean }[] };
    expect(Object.fromEntries(rules.map(({ note, enabled }) => [note, enabled]))).toEqual({
      yes: false,
      no: true,
    });
    expect(await other.call('GET', 'settings/rates')).toEqual({ value: { hello: 7 } });
    expect(await other.call('GET', 'settings/instructions')).toEqual({ value: 'Use pnpm.' });
    await other.signOut();
  });

  it('once', async () => {
    const again = await at(fresh, 'restore', backup);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('cannot be restored here')]);
  });
});
