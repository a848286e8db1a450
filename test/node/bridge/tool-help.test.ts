import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { toolHelp } from '../../../local-bridge/cli/tool-help.ts';
import { takeLock } from '../../../local-bridge/lib/lock.ts';
import { inputSchema } from '../../../src/core/schema.ts';
import { runBowline } from '../../support/command.ts';

const home = mkdtempSync(join(tmpdir(), 'bowline-tool-help-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { BOWLINE_HOME: home, BOWLINE_URL: '', BOWLINE_TOKEN: '' };

describe('the help of a tool', () => {
  it.each(Object.values(catalogue))('$wireName names each field, and shows a call', (contract) => {
    const help = toolHelp(contract);
    for (const field of Object.keys(inputSchema(contract).properties ?? {})) {
      expect(help).toContain(`--${field.replaceAll('_', '-')}`);
    }
    expect(help).toContain(`bowline call ${contract.wireName}`);
  });

  it('names the choices of a field that has only a few', () => {
    expect(toolHelp(catalogue.git_read)).toMatch(/--what <text> .*one of status, diff, log, blame, show/);
  });

  it('is printed by `bowline call TOOL --help`, and by `bowline TOOL --help`', async () => {
    const [long, short] = await Promise.all([
      runBowline(['call', 'read_file', '--help'], { env }),
      runBowline(['read_file', '--help'], { env }),
    ]);
    expect(long).toMatchObject({ code: 0, stderr: '' });
    expect(long.stdout).toContain('--start-line <number>');
    expect(short).toEqual(long);
    const whole = await runBowline(['call', '--help'], { env });
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: bowline call') });
  });
});

it('a tool is called by its name alone', async () => {
  const { code, stdout } = await runBowline(['hello', '--name', 'Ada', '--local'], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('Hello, Ada!')]);
  expect(await runBowline(['helo'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown command'),
  });
});

it('where a gateway runs on this computer, whoever is not signed in is told its address', async () => {
  const state = join(home, 'gateway');
  const taken = takeLock(join(state, 'up.lock'), { url: 'http://localhost:8788' });
  if ('held' in taken) throw new Error('It is taken.');
  try {
    for (const command of ['status', 'machines']) {
      expect((await runBowline([command], { env })).stderr).toContain('bowline login http://localhost:8788`');
    }
  } finally {
    taken.lock.release();
  }
  expect((await runBowline(['machines'], { env })).stderr).toContain('bowline login <url>');
});

it('status says what is there when nothing is', async () => {
  const { code, stdout, stderr } = await runBowline(['status'], { env });
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringContaining('No bridge of its own runs'),
    stderr: expect.stringContaining('No gateway is set.'),
  });
  expect(JSON.parse((await runBowline(['status', '--json'], { env })).stdout)).toEqual({
    gateway: null,
    bridge: null,
  });
  expect(await runBowline(['logs'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no log at'),
  });
});
