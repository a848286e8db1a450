import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { LEAN } from '../../../local-bridge/lib/project.ts';
import { runtimeConfig } from '../../../local-bridge/local/up/runtime/config.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([['offers that'], ['offers no such thing']])(
  'frees what requests left behind after each 500, where the runtime %s, and leaves it to nobody else',
  async (what) => {
    const gc = what === 'offers that' ? vi.fn() : undefined;
    vi.stubGlobal('gc', gc);
    vi.resetModules();
    const { freeNowAndThen } = await import('../../../src/http/collect.ts');
    expect('gc' in globalThis).toBe(false);
    for (let request = 0; request < 499; request++) freeNowAndThen();
    if (gc) expect(gc).not.toHaveBeenCalled();
    freeNowAndThen();
    if (gc) expect(gc).toHaveBeenCalledTimes(1);
  },
);

it('offers that to the local gateway, and keeps both of its heaps small', () => {
  const stateFolder = mkdtempSync(join(tmpdir(), 'bowline-small-heaps-'));
  onTestFinished(() => rmSync(stateFolder, { recursive: true }));
  const template = { vars: {}, gateway: { bindings: [] }, disks: [], stores: [], extensions: [] };
  const config = runtimeConfig(template, { port: 1, stateFolder, vars: {} }, join(stateFolder, 'c.capnp'));
  expect(config).toContain('v8Flags = ["--expose-gc", "--max-semi-space-size=2"]');
  // Node refuses options that it does not know.
  const takes = (flags: readonly string[]) => spawnSync(process.execPath, [...flags, '--eval', '']).status;
  expect([takes(LEAN), takes(['--no-such-option-of-v8'])]).toEqual([0, 9]);
});
