import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Examination, examine } from '../../local-bridge/cli/doctor/examine.ts';
import { verdict } from '../../local-bridge/cli/doctor/report.ts';
import { runBowline } from '../support/command.ts';
import { startUp, type Up } from '../support/up.ts';

let home: string;
let up: Up;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'bowline-doctor-'));
  up = await startUp({ home });
});
afterAll(async () => {
  await up.stop();
  rmSync(home, { recursive: true, force: true });
});

const doctor = (args: string[], env: Record<string, string> = {}) =>
  runBowline(['doctor', ...args], { env: { BOWLINE_HOME: home, BOWLINE_OWNER_KEY: '', ...env } });
const asOwner = () => ({ BOWLINE_OWNER_KEY: up.ready.owner_key });
/** The same without a process of its own. */
async function look({ token = '', ...more }: Partial<Examination> & { readonly token?: string }) {
  vi.stubEnv('BOWLINE_HOME', home);
  vi.stubEnv('BOWLINE_TOKEN', token);
  try {
    return await examine({ url: up.ready.rest, heard: () => undefined, ...more });
  } finally {
    vi.unstubAllEnvs();
  }
}
const findingsIn = (stdout: string) => JSON.parse(stdout).findings as Record<string, string>[];

describe('bowline doctor, at a gateway that runs', () => {
  it('crosses every hop as the owner, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await doctor([up.ready.rest, '--json'], asOwner());
    expect(stderr).toBe('');
    expect(findingsIn(stdout).filter(({ state }) => state === 'failed')).toEqual([]);
    expect(code).toBe(0);
    const checks = findingsIn(stdout).map(({ section, check }) => `${section} › ${check}`);
    for (const check of [
      'Claude › tool hints',
      'ChatGPT › tool hints',
      'Gateway › storage',
      'Gateway › memory',
    ]) {
      expect(checks).toContain(check);
    }
    expect(checks.some((check) => /^Machines › .* tools$/.test(check))).toBe(true);
    const tokens = await runBowline(['token', 'list', '--json'], {
      env: { BOWLINE_HOME: home, BOWLINE_URL: up.ready.rest, ...asOwner() },
    });
    expect(JSON.parse(tokens.stdout).tokens.map(({ name }: { name: string }) => name)).toEqual([
      'bowline up',
    ]);
  });

  it('sees less with a token, and says what it could not look at', async () => {
    const findings = await look({ token: up.ready.token });
    expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'storage and memory',
        state: 'skipped',
        found: 'only the owner sees them',
      }),
    );
    expect(
      findings.find(({ section, check }) => section === 'Machines' && check.endsWith('tools'))?.state,
    ).toBe('ok');
    expect(verdict(findings)).toMatch(/^Every hop that was checked works\./);
  });

  it('finds a name that the gateway does not take for its own', async () => {
    const { code, stdout } = await doctor([up.ready.rest.replace('localhost', '127.0.0.1')]);
    expect(code).toBe(1);
    expect(stdout.trim().split('\n').at(-1)).toMatch(
      /^The first failing hop is Address › own address\. Use http/,
    );
  });

  it('finds a token that was never any', async () => {
    expect(verdict(await look({ token: 'bwl_pat_none' }))).toMatch(
      /^The first failing hop is Claude › initialize\..*bowline login/,
    );
  });

  it('registers with every callback of both vendors when asked', async () => {
    const findings = await look({ registers: true });
    expect(findings.flatMap(({ check, found }) => (check === 'registration' ? [found] : []))).toEqual([
      "registered, with Claude's callbacks",
      "registered, with ChatGPT's callbacks",
    ]);
  });

  it('finds a bridge that is connected and answers nothing', async () => {
    const pid = bridgeUnder(up.ready.pid);
    process.kill(pid, 'SIGSTOP');
    try {
      const findings = await look({ ownerKey: up.ready.owner_key });
      expect(verdict(findings)).toMatch(/^The first failing hop is Machines › .* ping\..*Start it again/);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('is told how it is used', async () => {
    const { code, stdout } = await doctor(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Examples:');
    expect((await doctor(['nonsense'])).code).toBe(2);
  });
});

/** The bridge's process, by who started it and as what. */
function bridgeUnder(parent: number): number {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  for (const line of all) {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number);
    if (pid && ppid === parent && /bin\.mjs connect/.test(line)) return pid;
  }
  throw new Error(`No bridge runs under ${parent}.`);
}
