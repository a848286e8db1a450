import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isUnavailable, sessionOnly } from '../../../local-bridge/tools/terminal/confine.ts';
import { openNamespace, withoutSandbox } from '../../../local-bridge/tools/terminal/namespace.ts';
import { openSystemSandbox } from '../../../local-bridge/tools/terminal/sandbox.ts';
import { openTerminal, type TerminalParts } from '../../../local-bridge/tools/terminal/terminal.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { hasSandbox } from './rig.ts';

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-links-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'real', 'state'), { recursive: true });
  writeFileSync(join(root, 'real', 'state', 'owner-key'), 'PLANTED-KEY');
  writeFileSync(join(root, 'real', 'ready.json'), 'PLANTED-TOKEN');
  symlinkSync('real', join(root, 'way'));
  symlinkSync('real/state', join(root, 'state'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const ways: [string, boolean, Pick<TerminalParts, 'openSandbox' | 'openFallback'>][] = [
  ['bubblewrap', hasSandbox, { openSandbox: openSystemSandbox, openFallback: () => sessionOnly }],
  [
    'Linux namespaces',
    hasNamespace(),
    {
      openSandbox: async () => ({ unavailable: 'There is none in this test.' }),
      openFallback: (home, alsoClosed) => withoutSandbox(home, sessionOnly, alsoClosed),
    },
  ],
];

describe.each(ways.filter(([, isHere]) => isHere))(
  'in %s, what is closed by way of a link',
  (_, __, parts) => {
    it.each([
      ['a folder on the way', ['way/state', 'way/ready.json']],
      ['the folder itself', ['state', 'real/ready.json']],
    ])('stays closed when a command replaces the link: %s', async (_, closed) => {
      const [home = '', ...alsoClosed] = closed.map((path) => join(root, path));
      const terminal = await openTerminal(
        { home, alsoClosed, roots: [root] },
        { shell: '/bin/sh' },
        { clock: systemClock, env: process.env, ...parts },
      );
      onTestFinished(() => terminal.close());
      const run = async (command: string) => {
        const outcome = await terminal.run({
          command,
          timeoutMs: 30_000,
          signal: AbortSignal.timeout(30_000),
          inFolder: (work) => work(root),
          onOutput: () => undefined,
        });
        return 'off' in outcome ? outcome.off : String(outcome.out.head);
      };
      expect(await run('rm way state && mkdir way state && echo done')).toContain('done');
      const said = await run('cat real/state/owner-key real/ready.json; echo over');
      expect(said).toContain('over');
      expect(said).not.toContain('PLANTED');
    });
  },
);

function hasNamespace(): boolean {
  const home = mkdtempSync(join(tmpdir(), 'bowline-probe-'));
  const found = openNamespace(home);
  rmSync(home, { recursive: true });
  return !isUnavailable(found);
}
