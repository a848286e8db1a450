import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readyForWranglerDev } from '../../../scripts/wrangler-dev.ts';

let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'bowline-ready-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(clone, { recursive: true, force: true });
});

const OFF = { X_LOCAL_EXPLORER: 'false', X_LOCAL_OBSERVABILITY: 'false' };

/** Gets a clone ready, and tells how the process would have ended. */
function ready(environment: NodeJS.ProcessEnv): { ended: unknown; said: string } {
  const said: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation((text) => said.push(text));
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('ended');
  });
  try {
    readyForWranglerDev(clone, environment);
  } catch (error) {
    if (!(error instanceof Error && error.message === 'ended')) throw error;
  }
  return { ended: exit.mock.calls[0]?.[0], said: said.join('\n') };
}

it.each([
  ['both', {}, 'X_LOCAL_EXPLORER and X_LOCAL_OBSERVABILITY must be false'],
  ['one', { ...OFF, X_LOCAL_EXPLORER: 'true' }, 'computer: X_LOCAL_EXPLORER must be false'],
  ['the other', { ...OFF, X_LOCAL_OBSERVABILITY: '' }, 'computer: X_LOCAL_OBSERVABILITY must be false'],
])(
  'does not get `wrangler dev` ready where %s of its services would show the data',
  (_, environment, why) => {
    const { ended, said } = ready(environment);
    expect(ended).toBe(1);
    expect(said).toContain(why);
    expect(existsSync(join(clone, '.dev.vars'))).toBe(false);
  },
);

it.each([OFF, { X_LOCAL_EXPLORER: 'FALSE', X_LOCAL_OBSERVABILITY: 'False' }])(
  'gets it ready with %j',
  (off) => {
    expect(ready(off)).toEqual({ ended: undefined, said: '' });
    expect(existsSync(join(clone, '.dev.vars'))).toBe(true);
  },
);
