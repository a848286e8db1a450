import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../local-bridge/lib/processes.ts';
import { LEAN } from '../../../local-bridge/lib/project.ts';
import { runtimeConfig } from '../../../local-bridge/local/up/runtime/config.ts';
import { workerdProgram } from '../../../local-bridge/local/up/wrangler.ts';
import { checkHostAndOrigin } from '../../../src/http/doorstep.ts';
import { SOON_MS } from '../../support/soon.ts';

afterEach(() => vi.unstubAllGlobals());

const AT = 1_800_000_000_000;
const SHORT = new Request('http://gateway');
const LONG = new Request('http://gateway', { headers: { 'content-length': String(4 * 1_048_576) } });

async function counting(gc: (() => void) | undefined) {
  vi.stubGlobal('gc', gc);
  vi.resetModules();
  const { freeNowAndThen } = await import('../../../src/http/collect.ts');
  expect('gc' in globalThis).toBe(false);
  // Nothing was ever freed before the first ones.
  for (let n = 0; n < 20; n++) freeNowAndThen(SHORT, AT);
  return (times: number, request: Request, at: number) => {
    for (let n = 0; n < times; n++) freeNowAndThen(request, at);
  };
}

it('frees what requests left behind where the runtime offers that, and leaves it to nobody else', async () => {
  const gc = vi.fn();
  const come = await counting(gc);
  expect(gc).toHaveBeenCalledTimes(1);
  come(499, SHORT, AT + 4_999);
  expect(gc).toHaveBeenCalledTimes(1);
  come(1, SHORT, AT + 4_999);
  expect(gc).toHaveBeenCalledTimes(2);
  // Two long bodies leave as much behind.
  come(1, LONG, AT + 4_999);
  expect(gc).toHaveBeenCalledTimes(2);
  come(1, LONG, AT + 4_999);
  expect(gc).toHaveBeenCalledTimes(3);
});

it.each([
  ['5 s', 5_000],
  ['the clock was set back', -60_000],
])('frees it after %s, unless there were few requests', async (_, later) => {
  const gc = vi.fn();
  const come = await counting(gc);
  come(19, SHORT, AT + later);
  expect(gc).toHaveBeenCalledTimes(1);
  come(1, SHORT, AT + later);
  expect(gc).toHaveBeenCalledTimes(2);
});

it('counts no request that the doorstep refuses', async () => {
  const gc = vi.fn();
  await counting(gc);
  const { freeingMemory } = await import('../../../src/http/collect.ts');
  const app = new Hono();
  const doorstep = { hosts: new Set(['gateway']), origins: new Set(['http://gateway']) };
  app.use(checkHostAndOrigin(doorstep), freeingMemory);
  app.post('/', (c) => c.text('in'));
  const long = { 'content-length': String(64 * 1_048_576) };
  const answer = await app.request('http://gateway/', {
    method: 'POST',
    headers: { ...long, origin: 'http://elsewhere' },
  });
  expect([answer.status, gc.mock.calls.length]).toEqual([403, 1]);
  await app.request('http://gateway/', { method: 'POST', headers: long });
  expect(gc).toHaveBeenCalledTimes(2);
});

it('counts nothing where the runtime offers no such thing', async () => {
  const come = await counting(undefined);
  expect(() => come(500, SHORT, AT)).not.toThrow();
});

it('offers that to the local gateway, and keeps both of its heaps small', () => {
  const stateFolder = mkdtempSync(join(tmpdir(), 'bowline-small-heaps-'));
  onTestFinished(() => rmSync(stateFolder, { recursive: true }));
  const template = { vars: {}, gateway: { bindings: [] }, disks: [], stores: [], extensions: [] };
  const config = runtimeConfig(template, { port: 1, stateFolder, vars: {} }, join(stateFolder, 'c.capnp'));
  expect(config).toContain('v8Flags = ["--expose-gc", "--max-semi-space-size=2", "--memory-pool-timeout=0"]');
  // Node refuses options that it does not know.
  const takes = (flags: readonly string[]) => spawnSync(process.execPath, [...flags, '--eval', '']).status;
  expect([takes(LEAN), takes(['--no-such-option-of-v8'])]).toEqual([0, 9]);
});

/** Leaves a lot behind, or collects. */
const WORKER = `
  const collect = gc;
  addEventListener('fetch', (event) => {
    const { pathname } = new URL(event.request.url);
    if (pathname === '/leave') Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: String(i) }));
    if (pathname === '/collect') collect();
    event.respondWith(new Response('done'));
  });
`;

it.runIf(process.platform === 'linux')(
  'gives the system what a collection freed at the next one, where V8 alone would keep it',
  async () => {
    const stateFolder = mkdtempSync(join(tmpdir(), 'bowline-freed-'));
    const port = await freePort(0);
    const gateway = { serviceWorkerScript: WORKER, compatibilityDate: '2026-01-01', bindings: [] };
    const template = { vars: {}, gateway, disks: [], stores: [], extensions: [] };
    const file = join(stateFolder, 'c.capnp');
    writeFileSync(file, runtimeConfig(template, { port, stateFolder, vars: {} }, file));
    const runtime = spawn(workerdProgram(), ['serve', '--experimental', file], { stdio: 'ignore' });
    const ended = once(runtime, 'exit');
    onTestFinished(async () => {
      runtime.kill('SIGKILL');
      await ended;
      rmSync(stateFolder, { recursive: true });
    });
    const ask = async (path: string) => (await fetch(`http://localhost:${port}${path}`)).text();
    const megabytes = () => {
      const [, kilobytes] =
        /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${runtime.pid}/status`, 'utf8')) ?? [];
      return Number(kilobytes) / 1_024;
    };
    await vi.waitUntil(() => ask('/').catch(() => undefined), { timeout: SOON_MS });
    const before = megabytes();
    await ask('/leave');
    expect(megabytes()).toBeGreaterThan(before + 60);
    await ask('/collect');
    await ask('/collect');
    expect(megabytes()).toBeLessThan(before + 40);
  },
);
