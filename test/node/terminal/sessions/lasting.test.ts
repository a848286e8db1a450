import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { envelopeIn } from '../rig.ts';
import { openSessionRig } from './rig.ts';

/** The shells of this computer that show the prompt by which the bridge knows that they wait. */
const shells = ['/bin/bash', '/bin/dash', '/bin/zsh'].filter((path) => existsSync(path));

describe('a session', () => {
  it.each(shells)('keeps its shell, folder and variables from one line to the next: %s', async (shell) => {
    const rig = await openSessionRig({ env: { SHELL: shell } });
    mkdirSync(join(rig.root, 'sub'));
    await rig.start();
    await rig.prompt();
    expect(envelopeIn(await rig.read()).output).toBe("Session 'work' is running.\n$ ");
    expect(await rig.send('export COLOUR=blue')).toMatchObject({ kind: 'ok' });
    await rig.prompt();
    expect(await rig.send('cd sub')).toMatchObject({ kind: 'ok' });
    await rig.prompt();
    const sent = envelopeIn(await rig.send({ text: 'echo "$COLOUR in $(basename "$PWD")"', cwd: 'sub' }));
    expect(envelopeIn(await rig.readUntil('blue in sub\n$ ')).metadata.found).toBe(true);
    expect(sent.metadata).toMatchObject({ session: 'work', running: true, exit_code: null, missed_bytes: 0 });
  });

  it('says how its command ended, and lets what it printed be read afterwards', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: 'echo hello; exit 3' });
    const read = envelopeIn(await rig.readUntil('hello\n'));
    expect(read.output).toContain('hello\n');
    expect(read.metadata.found).toBe(true);
    const after = envelopeIn(await rig.read({ wait_seconds: 35, until: 'never' }));
    expect(after).toMatchObject({
      output: "Session 'work' has ended with exit code 3.\nhello\n",
      metadata: { running: false, exit_code: 3, next_offset: 6, found: false },
    });
  });
});
