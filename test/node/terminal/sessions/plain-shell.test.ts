import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leavesShellPlain } from '../../../../local-bridge/tools/terminal/sessions/plain-line.ts';
import { everyone } from '../../../support/tools.ts';
import { envelopeIn, tempFolder } from '../rig.ts';
import { openSessionRig } from './rig.ts';

const shell = async (env: NodeJS.ProcessEnv = {}) => {
  const rig = await openSessionRig({ env });
  await rig.start();
  await rig.prompt();
  const isPlain = async () => {
    const looked = await rig.look('terminal_send', { session: 'work', text: 'git status' });
    if ('kind' in looked) throw new Error(JSON.stringify(looked));
    const changed = looked.facts.some(({ text }) => text.includes('no rule allows a line here'));
    expect(changed).toBe(!looked.plainShell);
    return looked.plainShell;
  };
  return { ...rig, isPlain };
};

describe('a shell', () => {
  it('is plain after lines that only run programs, and after keys that type nothing', async () => {
    const rig = await shell();
    for (const line of ['ls', 'cd .', 'grep x "no file" | head -2', 'cat /dev/null 2>&1']) {
      await rig.send(line);
      await rig.prompt();
      expect(await rig.isPlain()).toBe(true);
    }
    for (const key of ['enter', 'ctrl-c']) {
      await rig.send({ keys: [key] });
      await rig.prompt();
    }
    expect(await rig.isPlain()).toBe(true);
  });

  it.each([
    "alias git='echo evil'",
    'git() { echo evil; }',
    'export PATH=/evil',
    'PATH=/evil',
    "trap 'echo evil' DEBUG",
    "PROMPT_COMMAND='echo evil'",
    'bind \'"g": "evil"\'',
    'printf -v PATH /evil',
    'hash -p /bin/echo git',
    'command alias git=evil',
    'stty kill s',
    'ls; ls',
    'ls\nls',
  ])('is plain no more after %j, whoever allowed that', async (line) => {
    const rig = await shell();
    await rig.send(line);
    await rig.prompt().catch(() => undefined);
    expect(await rig.isPlain()).toBe(false);
  });

  it('is plain no more after text for the program in front, which may go to the shell in its place', async () => {
    const rig = await shell();
    await rig.send({ text: 'ls\n', program: true });
    await rig.prompt();
    expect(await rig.isPlain()).toBe(false);
  });

  it('that changed after the look is not typed to', async () => {
    const rig = await shell();
    const args = { session: 'work', text: 'git status' };
    const looked = await rig.look('terminal_send', args);
    if ('kind' in looked) throw new Error('It was refused.');
    await rig.send("alias git='echo evil'");
    await rig.prompt();
    expect(await rig.seen('terminal_send', args, looked.state ?? '')).toMatchObject({
      kind: 'failed',
      failure: { code: 'changed_since_approval' },
    });
  });
});

describe('a line leaves', () => {
  const at = { shell: '/bin/bash', path: '/usr/bin:/bin' };

  it.each([
    '. ./env',
    'source env',
    'eval ls',
    'exec sh',
    'unset PATH',
    'set -e',
    'read x',
    'shopt -s extglob',
  ])('no shell plain: %s', (line) => expect(leavesShellPlain(line, at)).toBe(false));

  it.each([
    ['a shell whose own commands are not known', '/bin/tcsh', 'ls'],
    ['a name that is no program and may be of the shell', '/bin/zsh', 'zmodload zsh/files'],
    ['a name of the shell that is a program on some systems', '/bin/zsh', 'test x'],
  ])('it unknown for %s', (_, name, line) => {
    expect(leavesShellPlain(line, { ...at, shell: name })).toBe(false);
  });
});

describe('a second line', () => {
  it('that comes at once does not go to the program that the first one starts', async () => {
    const rig = await shell();
    const session = rig.sessions.find(everyone.principal, 'work');
    session?.type('true\n', 'shell');
    // The bridge has read nothing since, so the prompt that it knows is that of the first line.
    for (let look = 0; look < 50; look += 1) {
      expect(session?.atPrompt()).toBeUndefined();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
    await rig.prompt();
  });
});

describe("the user's own settings", () => {
  it('of keys do not change what a line says', async () => {
    const home = tempFolder();
    writeFileSync(join(home, '.inputrc'), '"w": "evil "\n');
    const rig = await shell({ HOME: home });
    expect(envelopeIn(await rig.send('echo word')).output).toContain('\nword\n');
  });

  it('name no pager that a line would start', async () => {
    const rig = await shell();
    writeFileSync(join(rig.root, 'show'), 'echo "[$GIT_PAGER][$PAGER]"');
    expect(envelopeIn(await rig.send('sh show')).output).toContain('[cat][cat]');
  });
});
