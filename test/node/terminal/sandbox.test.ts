import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Confinement, sessionOnly } from '../../../local-bridge/tools/terminal/confine.ts';
import { findProgram } from '../../../local-bridge/tools/terminal/environment.ts';
import { listProcesses, membersOf } from '../../../local-bridge/tools/terminal/process-tree.ts';
import {
  filesFor,
  type OpenSandbox,
  openSystemSandbox,
  policyFor,
} from '../../../local-bridge/tools/terminal/sandbox.ts';
import { secretPlaces } from '../../../local-bridge/tools/terminal/secret-places.ts';
import { failureIn } from '../../support/tools.ts';
import { envelopeIn, hasSandbox, openRig, printedIn, until } from './rig.ts';

/** A sandbox that changes a command in some way, and by itself confines nothing. */
const standIn =
  (change: (command: string) => string, more: Partial<Confinement> = {}): OpenSandbox =>
  async () => ({
    ...sessionOnly,
    kind: 'sandbox',
    name: 'stand-in',
    launch: async (command, shell) => ({ file: shell, args: ['-c', change(command)] }),
    ...more,
  });

/** Holds back what the probes try, as a sandbox would that works. */
const holds = (command: string) =>
  command.includes('canary-') ? command.split('\n').slice(-1).join('') : command;

describe('a machine whose sandbox cannot be had', () => {
  it('runs commands all the same, and the answer says so', async () => {
    const { run, terminal } = await openRig();
    expect(envelopeIn(await run('echo hi')).metadata.sandboxed).toBe(false);
    expect(terminal.status()).toMatchObject({
      on: true,
      sandboxed: false,
      unsandboxedBecause: 'There is none in this test.',
    });
    expect(terminal.status().canaries).toBeUndefined();
  });

  it('runs nothing where the owner requires one', async () => {
    const { run, terminal, root } = await openRig({ settings: { sandbox: 'required' } });
    expect(failureIn(await run('touch ran'))).toMatchObject({
      code: 'terminal_off',
      message: 'The settings require a sandbox. There is none in this test.',
    });
    expect(existsSync(join(root, 'ran'))).toBe(false);
    expect(terminal.status().on).toBe(false);
  });

  it('does not even look for one where the owner wants none', async () => {
    let asked = 0;
    const openSandbox: OpenSandbox = async () => {
      asked += 1;
      return { unavailable: 'x' };
    };
    const { run, terminal } = await openRig({ settings: { sandbox: 'off' }, openSandbox });
    expect(envelopeIn(await run('echo hi')).metadata.sandboxed).toBe(false);
    expect(asked).toBe(0);
    expect(terminal.status().unsandboxedBecause).toBeUndefined();
  });

  it.skipIf(findProgram('socat') !== undefined || process.platform === 'darwin')(
    'is told by the runtime what is missing',
    async () => {
      const found = await openSystemSandbox(
        { home: '/tmp', roots: [], temporary: '/tmp', adopt: () => 'x' },
        [],
      );
      expect(found).toMatchObject({ unavailable: expect.stringMatching(/bwrap|socat|no sandbox/) });
    },
  );
});

describe('canaries', () => {
  it('turn off a terminal whose sandbox lets everything through', async () => {
    const { run, terminal, root } = await openRig({ openSandbox: standIn((command) => command) });
    expect(failureIn(await run('touch ran')).code).toBe('terminal_off');
    expect(existsSync(join(root, 'ran'))).toBe(false);
    expect(terminal.status()).toMatchObject({
      on: false,
      canaries: {
        found: [
          'a command could write outside of the open folders',
          "a command could read Bowline's own folder",
          'a command could reach a server on this machine',
        ],
      },
    });
  });

  it.each([
    [0, 'a command could write outside of the open folders'],
    [1, "a command could read Bowline's own folder"],
    [2, 'a command could reach a server on this machine'],
  ])('find the one thing that is let through (%i)', async (attempt, finding) => {
    const only = (command: string) => {
      const lines = command.split('\n');
      return [lines[attempt], lines.at(-1)].join('\n');
    };
    const { terminal } = await openRig({ openSandbox: standIn(only) });
    expect(terminal.status()).toMatchObject({ on: false, canaries: { found: [finding] } });
  });

  it('do not take a probe that never ran for one that was held back', async () => {
    const { terminal } = await openRig({ openSandbox: standIn(() => 'exit 5') });
    expect(terminal.status()).toMatchObject({
      on: false,
      canaries: { found: ['the probe itself did not run (exit code 5)'] },
    });
  });

  it('give a probe that was cut off another try, and a leak none', async () => {
    let probes = 0;
    const onceCut = (command: string) => {
      probes += 1;
      return probes === 1 ? 'exit 5' : holds(command);
    };
    expect((await openRig({ openSandbox: standIn(onceCut) })).terminal.status()).toMatchObject({
      on: true,
      canaries: { found: [] },
    });
    expect(probes).toBe(2);
    probes = 0;
    const onceLeaky = (command: string) => {
      probes += 1;
      return probes === 1 ? command : holds(command);
    };
    expect((await openRig({ openSandbox: standIn(onceLeaky) })).terminal.status().on).toBe(false);
    expect(probes).toBe(1);
  });

  it('turn it off when the sandbox cannot be started any more', async () => {
    const launch = async () => {
      throw new Error('no more namespaces');
    };
    const { terminal } = await openRig({ openSandbox: standIn(holds, { launch }) });
    expect(terminal.status().reason).toContain('the probe failed: Error: no more namespaces');
  });

  it('are tried again, and a terminal that failed stays off', async () => {
    let leaky = false;
    const { run, terminal } = await openRig({
      openSandbox: standIn((command) => (leaky ? command : holds(command))),
    });
    expect(envelopeIn(await run('echo hi')).metadata.sandboxed).toBe(true);
    leaky = true;
    await terminal.check();
    expect(failureIn(await run('echo hi')).message).toMatch(/^The sandbox does not hold: /);
    leaky = false;
    await terminal.check();
    expect(terminal.status().on).toBe(false);
  });

  it('leave nothing lying about', async () => {
    const { home, base } = await openRig({ openSandbox: standIn((command) => command) });
    expect([...readdirSync(home), ...readdirSync(base)].filter((name) => name.startsWith('canary-'))).toEqual(
      [],
    );
  });
});

describe('what a sandboxed command may touch', () => {
  const policy = policyFor({ home: '/state', roots: ['/work/[a]', '/other'], temporary: '/tmp/t' }, [
    '*.example.com',
  ]);
  const paths = (entries: readonly (string | { path: string })[]) =>
    entries.map((entry) => (typeof entry === 'string' ? `pattern ${entry}` : entry.path));

  it('is to write in the open folders, by their names and not as patterns', () => {
    expect(paths(policy.filesystem.allowWrite)).toEqual(['/work/[a]', '/other', '/tmp/t']);
    expect(paths(policy.filesystem.denyWrite)).toEqual(['/state']);
  });

  it('is to change nothing there that other programs run or obey by themselves', () => {
    const place = { home: '/state', roots: ['/work/[a]'], temporary: '/tmp/t' };
    const { denyWrite } = filesFor(place, ['/work/[a]/.git/hooks', '/work/[a]/sub/.mcp.json']);
    expect(paths(denyWrite)).toEqual(['/state', '/work/[a]/.git/hooks', '/work/[a]/sub/.mcp.json']);
  });

  it("is to read no keys, nor Bowline's state", () => {
    const denied = paths(policy.filesystem.denyRead);
    for (const place of [
      '/state',
      ...['.ssh', '.aws', '.gnupg', '.netrc', '.npmrc', '.config/gcloud', 'Library/Keychains'].map((name) =>
        join(homedir(), name),
      ),
    ]) {
      expect(denied).toContain(place);
    }
    expect(secretPlaces('/h', '/s').every((place) => place.startsWith('/h/') || place === '/s')).toBe(true);
  });

  it('is to reach the named hosts alone', () => {
    expect(policy.network).toMatchObject({
      allowedDomains: ['*.example.com'],
      strictAllowlist: true,
      allowLocalBinding: false,
    });
  });
});

describe.skipIf(!hasSandbox)("the system's own sandbox (needs bwrap and socat, or macOS)", () => {
  const open = (settings = {}) =>
    openRig({
      openSandbox: openSystemSandbox,
      settings: { environment: ['LD_LIBRARY_PATH'], ...settings },
      env: { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH },
    });

  it('passes its canaries, and runs commands', async () => {
    const { run, terminal, root } = await open();
    expect(terminal.status()).toMatchObject({ on: true, sandboxed: true, canaries: { found: [] } });
    const answer = envelopeIn(await run('echo hi; pwd; echo x >made; exit 4'));
    expect(answer.metadata).toMatchObject({ sandboxed: true, exit_code: 4 });
    expect(answer.output).toContain(`hi\n${root}\n`);
    expect(readFileSync(join(root, 'made'), 'utf8')).toBe('x\n');
  });

  it('lets a command write in the open folders and nowhere else', async () => {
    const { run, base, home, other } = await open();
    const tries = [
      `${base}/out`,
      `${home}/out`,
      `/tmp/bowline-out-${process.pid}`,
      `${homedir()}/bowline-out`,
    ];
    await run([...tries, `${other}/out`].map((path) => `echo x >${path}`).join('\n'));
    expect(tries.filter(existsSync)).toEqual([]);
    expect(existsSync(`${other}/out`)).toBe(true);
    expect(printedIn(await run('echo ok >$TMPDIR/t && cat $TMPDIR/t'))).toBe('ok\n');
  });

  it("does not let it read Bowline's state", async () => {
    const { run, home } = await open();
    writeFileSync(join(home, 'owner'), 'the owner key');
    expect(
      printedIn(await run(`cat ${home}/owner ${home}/../home/owner /proc/*/root${home}/owner; ls ${home}`)),
    ).not.toContain('the owner key');
  });

  it('does not let it reach a server on this machine, nor a host that is not named', async () => {
    const server = createServer((socket) => socket.end('reached'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { run } = await open();
    const script = `require('net').connect(${port},'127.0.0.1').on('data',d=>console.log(''+d)).on('error',()=>console.log('refused'))`;
    expect(printedIn(await run(`env -u NODE_V8_COVERAGE '${process.execPath}' -e "${script}"`))).toBe(
      'refused\n',
    );
  });

  it('leaves nothing behind when the bridge is killed, its own helpers included', async () => {
    const { base } = await open();
    const program = `
      import { openTerminal } from '${join(import.meta.dirname, '../../../local-bridge/tools/terminal/terminal.ts')}';
      const terminal = await openTerminal(
        { home: '${base}/home', roots: ['${base}/root'] },
        { sandbox: 'required', environment: ['LD_LIBRARY_PATH'] },
      );
      void terminal.run({
        command: 'setsid nohup sleep 78 & echo up; sleep 78',
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        inFolder: (work) => work('${base}/root'),
        onOutput: () => console.log('running'),
      });`;
    const args = ['--no-warnings', '--input-type=module-typescript', '-e', program];
    const bridge = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(createInterface({ input: bridge.stdout }), 'line');
    onTestFinished(() => void bridge.kill('SIGKILL'));
    const family = () => membersOf({ mark: 'none', pid: bridge.pid ?? 0 }, listProcesses('none'));
    await until('all of it runs', () => family().filter(({ name }) => name === 'sleep').length === 2);
    const children = family();
    bridge.kill('SIGKILL');
    await once(bridge, 'exit');
    const started = new Map(children.map(({ pid, started }) => [pid, started]));
    const left = () => listProcesses('none').filter(({ pid, started: since }) => started.get(pid) === since);
    await until('nothing is left', () => left().length === 0);
  });

  it('lets nothing live on, and gives a command its time to end', async () => {
    const { run } = await open();
    const polite = await run({
      command: `trap 'echo tidied; exit 0' TERM; setsid sleep 77 & wait`,
      timeout_seconds: 1,
    });
    expect(envelopeIn(polite).output).toContain('tidied');
    expect(envelopeIn(polite).metadata.warning).toBeUndefined();
  });
});
