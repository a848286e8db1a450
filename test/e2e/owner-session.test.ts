import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { hasTerminal, type InTerminal, inTerminal } from '../support/terminal.ts';
import { startUp, type Up } from '../support/up.ts';

describe.runIf(hasTerminal)('bowline login --as-owner', () => {
  const base = mkdtempSync(join(tmpdir(), 'bowline-owner-'));
  const home = join(base, 'home');
  const file = join(home, 'owner-session.json');
  const terminals: InTerminal[] = [];
  let up: Up;

  beforeAll(async () => {
    mkdirSync(home);
    up = await startUp({ home: join(base, 'up'), opensNothing: true });
  });
  afterAll(async () => {
    for (const one of terminals) one.kill();
    await up?.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const env = () => ({ BOWLINE_HOME: home, BOWLINE_URL: up.ready.rest });
  const typed = (args: readonly string[]) => {
    const terminal = inTerminal(args, env());
    terminals.push(terminal);
    return terminal;
  };
  const held = () =>
    JSON.parse(readFileSync(file, 'utf8')) as { held: Record<string, string>; until: number };

  it('keeps a session, and neither the key nor a code, where its user alone can read it', async () => {
    const owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
    const { code } = (await owner.call('POST', 'sign-in-codes')) as { code: string };
    const login = typed(['login', '--as-owner']);
    await login.shows(/one-time code \(not shown\): /);
    login.type(`${code}\r`);
    await login.shows(/Signed in as the owner/);
    expect(await login.ended).toBe(0);
    expect(login.output()).not.toContain(code);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toMatch(new RegExp(`bwl_owner|${code}`));
    expect(held().until - Date.now()).toBeLessThanOrEqual(8 * 3_600_000);
  });

  it('lets the owner’s commands go on in a terminal without the key, and nowhere else', async () => {
    const ledger = typed(['token', 'list']);
    await ledger.shows(/bowline up/);
    expect(await ledger.ended).toBe(0);
    expect(ledger.output()).not.toContain('Owner key');
    const piped = await runBowline(['token', 'list'], { env: env() });
    expect([piped.code, piped.stderr]).toEqual([3, expect.stringContaining('This needs the owner')]);
  });

  it('asks again once the session is over, and goes on with what was asked', async () => {
    const before = held();
    await fetch(`${up.ready.rest}/api/owner/session`, { method: 'DELETE', headers: before.held });
    const list = typed(['token', 'list']);
    await list.shows(/Owner key \(it is not shown\): /);
    list.type(`${up.ready.owner_key}\r`);
    await list.shows(/bowline up/);
    expect(await list.ended).toBe(0);
    expect(held().held).not.toEqual(before.held);
    expect(held().until).toBe(before.until);
  });

  it('counts for its gateway alone, and for eight hours', async () => {
    const kept = readFileSync(file, 'utf8');
    for (const change of [{ url: 'http://localhost:1' }, { until: Date.now() - 1 }]) {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), ...change }));
      const list = typed(['token', 'list']);
      await list.shows(/Owner key \(it is not shown\): /);
      list.kill();
    }
    writeFileSync(file, kept);
  });

  it('ends with logout', async () => {
    const { cookie = '' } = held().held;
    await runBowline(['logout'], { env: env() });
    expect(() => statSync(file)).toThrow('ENOENT');
    expect((await fetch(`${up.ready.rest}/api/owner/access`, { headers: { cookie } })).status).toBe(401);
  });

  it.runIf(process.platform === 'linux')('keeps none where commands could read it', async () => {
    const bin = join(base, 'bin');
    mkdirSync(bin);
    // No program here can close Bowline's folder to a command.
    symlinkSync(process.execPath, join(bin, 'node'));
    const login = await runBowline(['login', '--as-owner'], { env: { ...env(), PATH: bin } });
    expect([login.code, login.stderr]).toEqual([
      1,
      expect.stringContaining('could read the owner’s session'),
    ]);
    expect(() => statSync(file)).toThrow('ENOENT');
  });
});
