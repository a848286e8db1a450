import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sessionOnly } from '../../local-bridge/tools/terminal/confine.ts';
import { withoutSandbox } from '../../local-bridge/tools/terminal/namespace.ts';
import { type OpenSandbox, openSystemSandbox } from '../../local-bridge/tools/terminal/sandbox.ts';
import { openTerminal, type TerminalParts } from '../../local-bridge/tools/terminal/terminal.ts';
import { systemClock } from '../../src/core/clock.ts';
import { type Heard, knock } from '../support/knock.ts';
import { listeningPorts, processesUnder } from '../support/listening.ts';
import { PROJECT, startUp, type Up } from '../support/up.ts';

let base: string;
let up: Up;
let port: number;
/** Ports of the product's other processes. */
let helpers: number[];

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-runtime-')));
  for (const name of ['home', 'root']) mkdirSync(join(base, name));
  up = await startUp({ home: join(base, 'home'), args: ['--root', join(base, 'root')] });
  port = Number(new URL(up.ready.rest).port);
  const open = listeningPorts(processesUnder(up.child.pid));
  helpers = open.map((one) => one.port).filter((one) => one !== port);
});
afterAll(async () => {
  await up?.stop();
  rmSync(base, { recursive: true, force: true });
});

describe('the runtime that the gateway runs under', () => {
  it('listens on the gateway’s port and on no other port', () => {
    const open = listeningPorts(processesUnder(up.child.pid));
    expect(new Set(open.filter(({ program }) => program === 'workerd').map((one) => one.port))).toEqual(
      new Set([port]),
    );
    // The bridge has a proxy for sandboxed commands; the next test but two asks it.
    expect(new Set(open.map((one) => one.port)).size).toBeLessThanOrEqual(3);
  });

  it.each(['127.0.0.1', '::1'])(
    'leaves %s, an address of localhost, to no other program',
    async (address) => {
      const stranger = createServer().listen(port, address);
      onTestFinished(() => void stranger.close());
      const outcome = await once(stranger, 'listening').then(
        () => 'listens',
        (error: NodeJS.ErrnoException) => error.code,
      );
      // A computer without IPv6 has no `::1`.
      expect(outcome).toBe(hasAddress(address) ? 'EADDRINUSE' : 'EADDRNOTAVAIL');
    },
  );

  it('lets nothing but the Worker answer there', async () => {
    const heard = await knock([port]);
    expect(heard.length).toBeGreaterThan(50);
    expect(heard.filter((one) => !isOfTheWorker(one))).toEqual([]);
  });

  it('has helpers on other ports that lead nobody to the gateway', async () => {
    const heard = await knock(helpers);
    expect(heard.filter(({ status }) => Number(status) < 400 && Number(status) !== 0)).toEqual([]);
    for (const helper of helpers) {
      expect(await throughProxy(helper, `http://localhost:${port}/healthz`)).not.toBe(200);
      expect(await throughProxy(helper, `http://127.0.0.1:${port}/healthz`)).not.toBe(200);
    }
  });

  it('keeps no record of addresses, and no file that others may read', async () => {
    await fetch(`${up.ready.rest}/callback?code=PLANTED-CODE&access_token=PLANTED-TOKEN`);
    const state = join(base, 'home', 'gateway');
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const paths = files.map((file) => join(file.parentPath, file.name));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
    expect(paths.filter((path) => readFileSync(path).includes('PLANTED-'))).toEqual([]);
  });
});

describe('a command in the terminal', () => {
  const none: OpenSandbox = async () => ({ unavailable: 'There is none in this test.' });
  const kinds: [string, Pick<TerminalParts, 'openSandbox' | 'openFallback'>, boolean][] = [
    ['bubblewrap', { openSandbox: openSystemSandbox, openFallback: () => sessionOnly }, true],
    [
      'Linux namespaces',
      { openSandbox: none, openFallback: (home) => withoutSandbox(home, sessionOnly) },
      false,
    ],
    ['process session', { openSandbox: none, openFallback: () => sessionOnly }, false],
  ];

  it.each(kinds.filter(([name]) => isHere(name)))(
    'in %s is a stranger to every port',
    async (kind, parts, isCutOff) => {
      const [home, root] = [join(base, 'home'), join(base, 'root')];
      const terminal = await openTerminal(
        { home, roots: [root] },
        { shell: '/bin/sh' },
        { clock: systemClock, env: process.env, ...parts },
      );
      onTestFinished(() => terminal.close());
      expect(terminal.status()).toMatchObject({ on: true, confinement: kind });
      const heard = await knockInside(terminal, [port, ...helpers]);
      // With a sandbox there is no way out; without one they hear what every stranger hears.
      if (isCutOff) expect(new Set(heard.map(({ status }) => status))).toEqual(new Set(['ECONNREFUSED']));
      else expect(heard.filter((one) => one.port === port && !isOfTheWorker(one))).toEqual([]);
      expect(heard.filter(({ status }) => Number(status) < 400)).toEqual([]);
    },
  );

  async function knockInside(
    terminal: Awaited<ReturnType<typeof openTerminal>>,
    ports: readonly number[],
  ): Promise<Heard[]> {
    const words = [process.execPath, join(PROJECT, 'test', 'support', 'knock.ts'), ...ports.map(String)];
    const outcome = await terminal.run({
      command: words.map((word) => `'${word}'`).join(' '),
      timeoutMs: 60_000,
      signal: AbortSignal.timeout(60_000),
      inFolder: (work) => work(join(base, 'root')),
      onOutput: () => undefined,
    });
    if ('off' in outcome) throw new Error(outcome.off);
    return JSON.parse(String(outcome.out.head));
  }
});

/** Whether an answer is the Worker's own "there is no such page", or its doorstep's no. */
function isOfTheWorker({ asked, status, body }: Heard): boolean {
  if (asked.startsWith('CONNECT')) return status === 500;
  if (asked.includes('evil.example')) return status === 403 && body.includes('forbidden_origin');
  return status === 404 && body === '404 Not Found';
}

function hasAddress(wanted: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === wanted));
}

/** The status of an address that is asked for by way of a proxy. */
function throughProxy(proxy: number, address: string): Promise<number | string> {
  return new Promise((done) => {
    const { host } = new URL(address);
    request(
      { host: '127.0.0.1', port: proxy, path: address, headers: { host }, agent: false },
      (response) => {
        response.resume();
        done(response.statusCode ?? 0);
      },
    )
      .once('error', (error) => done(error.message))
      .end();
  });
}

function isHere(kind: string): boolean {
  const probe = {
    bubblewrap: ['bwrap', '--ro-bind', '/', '/', 'true'],
    'Linux namespaces': ['unshare', '--user', '--map-root-user', '--mount', 'true'],
  }[kind];
  if (!probe) return true;
  try {
    const [file = '', ...args] = probe;
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
