import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bridgeSettings } from '../../../local-bridge/agent/policy/settings.ts';
import { followServers } from '../../../local-bridge/agent/servers/follow.ts';
import { joinStdioServers } from '../../../local-bridge/agent/servers/join.ts';
import { writeServer } from '../../../local-bridge/agent/servers/settings-file.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import type { Door } from '../../../src/core/invoke.ts';
import { SOON_MS } from '../../support/soon.ts';

const program = fileURLToPath(new URL('../../fixtures/servers/hostile.ts', import.meta.url));
const door: Door = {
  newCallId: () => 'call_1',
  admit: () => ADMITTED,
  ...NO_LEDGER,
  report: (error) => {
    throw error;
  },
};

/** A bridge's settings on disk, followed as a running bridge does. */
async function following(first: Record<string, unknown> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'bowline-follow-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const write = (settings: unknown) =>
    writeFileSync(
      join(home, 'bridge.json'),
      typeof settings === 'string' ? settings : JSON.stringify(settings),
    );
  write(first);
  let greetings = 0;
  const joined = await joinStdioServers(first.servers, { changed: () => (greetings += 1) });
  onTestFinished(() => joined.close());
  const said: string[] = [];
  const settings = bridgeSettings(home);
  const watcher = followServers({ home, settings, joined, say: (line) => said.push(line), lookMs: 20 });
  onTestFinished(() => watcher.stop());
  const tools = joined.tools(door);
  const heard = (line: string) =>
    vi.waitFor(() => expect(said.join('\n')).toContain(line), { timeout: SOON_MS });
  return {
    ...{ home, write, said, heard, joined },
    greetings: () => greetings,
    offers: (names: string[]) =>
      vi.waitFor(() => expect([...tools.keys()]).toEqual(names), { timeout: SOON_MS }),
    ups: () => joined.report().map(({ name, is }) => `${name} ${is}`),
  };
}

const notes = join(mkdtempSync(join(tmpdir(), 'bowline-follow-notes-')), 'notes');
afterAll(() => rmSync(dirname(notes), { recursive: true, force: true }));
const entry = () => ({ command: process.execPath, args: ['--no-warnings', program, '', notes] });
const bothTools = (name: string) => [`${name}__say`, `${name}__run_in_terminal`];

describe('a bridge that runs', () => {
  it('joins a server that is added, tells its gateway, and leaves it once it is removed', async () => {
    const bridge = await following();
    await bridge.offers([]);
    writeServer(bridge.home, 'notes', entry());
    await bridge.offers(bothTools('notes'));
    expect(bridge.joined.announced().map(({ name }) => name)).toEqual(['notes']);
    expect(bridge.greetings()).toBeGreaterThan(0);
    bridge.write({ servers: {} });
    await bridge.offers([]);
    expect(bridge.joined.announced()).toEqual([]);
    expect(bridge.said).toEqual(['starting the server notes', 'stopped the server notes']);
  });

  it('starts a server anew whose settings change, and leaves the others alone', async () => {
    const bridge = await following({ servers: { one: entry(), two: entry() } });
    await bridge.offers([...bothTools('one'), ...bothTools('two')]);
    bridge.write({ servers: { one: entry(), two: { ...entry(), allow: ['say'] } } });
    await bridge.heard('starting the server two');
    await bridge.offers([...bothTools('one'), 'two__say']);
    expect(bridge.said).toEqual(['stopped the server two', 'starting the server two']);
  });

  it.each([
    ['is no JSON', '{', 'it is not JSON'],
    ['has a server without a command', { servers: { notes: {} } }, '`servers` in bridge.json cannot be used'],
    ['denies a tool that there is not', { deny: ['rm'], servers: {} }, 'no machine has a tool'],
  ])('goes on with its servers while the file %s, and says so', async (_, wrong, why) => {
    const bridge = await following({ servers: { notes: entry() } });
    await bridge.offers(bothTools('notes'));
    bridge.write(wrong);
    await bridge.heard(why);
    await bridge.offers(bothTools('notes'));
    expect(bridge.ups()).toEqual(['notes up']);
  });

  it('keeps the rules that it was started with, whatever else the file says', async () => {
    const bridge = await following({ deny: ['create_file'] });
    bridge.write({ deny: [], servers: { notes: entry() } });
    await bridge.heard('apart from servers they count from the next start');
    await bridge.offers(bothTools('notes'));
  });
});
