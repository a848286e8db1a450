import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HOSTILE } from '../../support/hostile-repo.ts';
import { pushRig } from '../../support/mirror-push.ts';

const rig = pushRig();

describe('a clone whose settings name a program', () => {
  it.each(HOSTILE)('is pushed without running it: %s', async (_, plant) => {
    const { repo } = rig;
    const above = mkdtempSync(join(tmpdir(), 'bowline-hostile-'));
    onTestFinished(() => rmSync(above, { recursive: true, force: true }));
    const program = join(above, 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${above}/ran\ncat 2>/dev/null\n`);
    chmodSync(program, 0o755);
    rig.gateway.settings = { open: ['**'], allowedSecrets: [] };
    repo.commit({ 'a.txt': 'one\n' });
    repo.commit({ 'b.txt': 'two\n' });
    plant({ repo, above, program });
    rmSync(join(above, 'ran'), { force: true });
    const pushed = await rig.push({ full: true }).catch((error: unknown) => error);
    expect(existsSync(join(above, 'ran'))).toBe(false);
    // Git itself refuses some of these clones, and the push says so.
    if (pushed instanceof Error) expect(pushed.message).toMatch(/^git /);
  });
});
