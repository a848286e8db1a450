import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeConfig } from '../../local-bridge/cli/deploy/config.ts';
import { wranglerCommand } from '../../local-bridge/cli/deploy/wrangler-command.ts';

const home = mkdtempSync(join(tmpdir(), 'bowline-dry-run-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What Cloudflare takes of a Worker on its free plan, compressed. */
const FREE_PLAN_KIB = 3 * 1024;

it('wrangler itself would upload the Worker of `bowline deploy`, with its bindings and within the free plan', async () => {
  const out = join(home, 'out');
  const args = ['deploy', '--dry-run', '--config', writeConfig(home, 'test-bowline'), '--outdir', out];
  const { code, stdout, stderr } = await wranglerCommand(process.env)({ args });
  expect([code, stderr]).toEqual([0, '']);
  expect(readdirSync(out)).toContain('worker.js');
  const gzipped = Number(/Total Upload: .* \/ gzip: ([\d.]+) KiB/.exec(stdout)?.[1]);
  expect(gzipped).toBeGreaterThan(100);
  expect(gzipped).toBeLessThan(FREE_PLAN_KIB);
  const bound = Array.from(
    stdout.matchAll(/^env\.(\w+) \((.*)\) +(\S.*\S)\s*$/gm),
    ([, name, what, kind]) => {
      return [name, what, kind];
    },
  );
  const objects = [
    ['OWNER', 'OwnerObject'],
    ['GATE', 'GateObject'],
    ['MEMORY', 'MemoryLog'],
    ['MACHINE', 'MachineObject'],
    ['MIRROR', 'RepoMirror'],
    ['EVENTS', 'EventsObject'],
  ];
  for (const [name, what] of objects) expect(bound).toContainEqual([name, what, 'Durable Object']);
  expect(bound).toContainEqual(['BLOBS', 'test-bowline-blobs', 'R2 Bucket']);
  expect(stdout).toMatch(/^env\.OAUTH_KV +KV Namespace/m);
  expect(bound).toContainEqual(['CLIENT_ADDRESS_HEADER', '"cf-connecting-ip"', 'Environment Variable']);
  expect(bound).toContainEqual(['FETCHES_STAY_PUBLIC', '"yes"', 'Environment Variable']);
});
