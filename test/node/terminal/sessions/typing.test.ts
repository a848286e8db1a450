import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES } from '../../../../contracts/terminal-session-fields.ts';
import { failureIn } from '../../../support/tools.ts';
import { envelopeIn } from '../rig.ts';
import { openSessionRig } from './rig.ts';

type Rig = Awaited<ReturnType<typeof openSessionRig>>;

/** Starts a shell, and waits until it can take a command. */
async function shell(): Promise<Rig> {
  const rig = await openSessionRig();
  await rig.start();
  await rig.prompt();
  return rig;
}

const refused = { kind: 'failed', failure: { code: 'not_at_prompt' } };

describe('a command line', () => {
  it('is refused while a program stands in front of the shell', async () => {
    const rig = await shell();
    await rig.send('cat');
    expect(await rig.send('rm -rf x')).toMatchObject(refused);
    await rig.call('terminal_stop', { session: 'work', interrupt: true });
    await rig.prompt();
    expect(await rig.send('echo back')).toMatchObject({ kind: 'ok' });
  });

  it('is refused while the line holds something typed before', async () => {
    const rig = await shell();
    await rig.send({ text: 'rm -rf ', program: true });
    expect(await rig.send('ls')).toMatchObject(refused);
    await rig.send({ keys: ['ctrl-c'] });
    await rig.prompt();
    expect(await rig.send('ls')).toMatchObject({ kind: 'ok' });
  });

  it.each([['up'], ['down'], ['tab'], ['escape'], ['left']])('is refused after the key %s', async (key) => {
    const rig = await shell();
    await rig.send({ keys: [key] });
    expect(await rig.send('ls')).toMatchObject(refused);
  });

  it('is refused while the shell waits for the rest of another, or for an answer', async () => {
    const rig = await shell();
    await rig.send("echo 'open");
    expect(await rig.send('ls')).toMatchObject(refused);
    await rig.send({ keys: ['ctrl-c'] });
    await rig.prompt();
    await rig.send('read -r answer');
    expect(await rig.send('ls')).toMatchObject(refused);
  });

  it('is refused in another folder than the one that it was judged for', async () => {
    const rig = await shell();
    mkdirSync(join(rig.root, 'sub'));
    await rig.send('cd sub');
    await rig.prompt();
    expect(failureIn(await rig.send('ls')).message).toContain('is not in');
    expect(await rig.send({ text: 'ls', cwd: 'sub' })).toMatchObject({ kind: 'ok' });
    await rig.prompt();
    await rig.send({ text: 'cd ../..', cwd: 'sub' });
    expect(failureIn(await rig.send({ text: 'ls', cwd: 'sub' })).code).toBe('not_at_prompt');
    expect(failureIn(await rig.send({ text: 'ls', cwd: '../..' })).code).toBe('path_outside_root');
  });

  it('is refused by a session of a command, even if that looks like a shell', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: "printf '$ '; cat" });
    expect(await rig.send('ls')).toMatchObject(refused);
    expect(envelopeIn(await rig.send({ text: 'to cat\n', program: true })).output).toContain(
      'to cat\nto cat\n',
    );
  });

  it('is refused if a program only prints a prompt', async () => {
    const rig = await shell();
    await rig.send('sh -c \'printf "$ "; cat\'');
    expect(await rig.send('ls')).toMatchObject(refused);
  });
});

describe('a text', () => {
  it.each([
    ['an escape', 'ls\u001b[201~'],
    ['a carriage return', 'ls\rrm x'],
    ['a tab, which completes', 'l\t'],
    ['a line separator', 'ls\u2028rm x'],
    ['a paragraph separator', 'ls\u2029rm x'],
    ['a next line', 'ls\u0085rm x'],
    ['an end of transmission', '\u0004'],
    ['a turned reading direction', 'ls \u202exr'],
    ['half a character', 'ls \ud800'],
    ['a line that a terminal would cut', 'x'.repeat(MAX_LINE_BYTES + 1)],
    ['such a line in wide letters', '\u00e9'.repeat(MAX_LINE_BYTES / 2 + 1)],
  ])('may not hold %s', async (_, text) => {
    const rig = await openSessionRig();
    expect(failureIn(await rig.send(text)).code).toBe('invalid_input');
  });

  it.each([MAX_LINE_BYTES - 1, MAX_LINE_BYTES])(
    'may have a line of %i bytes, which arrives whole',
    async (bytes) => {
      const rig = await openSessionRig();
      await rig.start({ command: `stty -echo; echo ready; read -r line; echo "\${#line} letters"` });
      await rig.readUntil('ready\n');
      await rig.send({ text: `${'x'.repeat(bytes)}\n`, program: true });
      expect(envelopeIn(await rig.readUntil('letters')).output).toContain(`${bytes} letters\n`);
    },
  );

  it('is nothing without keys, and not both', async () => {
    const rig = await openSessionRig();
    expect(failureIn(await rig.send({})).code).toBe('invalid_input');
    expect(failureIn(await rig.send({ text: 'x', keys: ['enter'] })).code).toBe('invalid_input');
  });
});

describe('what a program prints', () => {
  it('is never typed, whatever it asks a terminal for', async () => {
    const rig = await openSessionRig();
    const asks = String.raw`\033[6n\033[c\033[>c\033[5n\033P$q"p\033\\\033]11;?\007\033[21t\033[18t`;
    await rig.start({
      command: `stty raw -echo; printf '${asks}'; IFS= read -r -t 3 -n 1 got; echo "got \${#got}"`,
    });
    await rig.read({ screen: true });
    expect(envelopeIn(await rig.readUntil('got ')).output).toContain('got 0');
  });
});

describe('an approval', () => {
  it('no longer holds once the program in front is another one', async () => {
    const rig = await shell();
    const args = { session: 'work', text: 'y\n', program: true };
    await rig.send('cat');
    const looked = await rig.look('terminal_send', args);
    if ('kind' in looked) throw new Error('It was refused.');
    await rig.call('terminal_stop', { session: 'work', interrupt: true });
    await rig.prompt();
    expect(failureIn(await rig.seen('terminal_send', args, looked.state ?? '')).code).toBe(
      'changed_since_approval',
    );
  });

  it('no longer holds for a new session of the same name', async () => {
    const rig = await shell();
    const args = { session: 'work', text: 'ls' };
    const looked = await rig.look('terminal_send', args);
    if ('kind' in looked) throw new Error('It was refused.');
    await rig.call('terminal_stop', { session: 'work' });
    await rig.start();
    await rig.prompt();
    expect(failureIn(await rig.seen('terminal_send', args, looked.state ?? '')).code).toBe(
      'changed_since_approval',
    );
    const again = await rig.look('terminal_send', args);
    if ('kind' in again) throw new Error('It was refused.');
    expect(await rig.seen('terminal_send', args, again.state ?? '')).toMatchObject({ kind: 'ok' });
  });
});

describe('the preview of what is typed', () => {
  it('names the session, the program and the text, with every Enter', async () => {
    const rig = await shell();
    await rig.send({ text: 'rm -rf ', program: true });
    await wait(50);
    const looked = await rig.look('terminal_send', { session: 'work', text: 'x\ny', program: true });
    if ('kind' in looked) throw new Error('It was refused.');
    const texts = looked.facts.map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        'It types: x⏎y',
        'On the line stands already: rm -rf ',
        'These are 2 lines. A later one may go to a program that an earlier one starts.',
        `The session 'work' runs \`/bin/bash\`, and was started in ${rig.root}.`,
        'The program in front is `/bin/bash`.',
      ]),
    );
    const keys = await rig.look('terminal_send', { session: 'work', keys: ['enter', 'ctrl-d'] });
    expect(keys).toMatchObject({
      facts: expect.arrayContaining([{ text: 'It presses: Enter, Ctrl-D', unusual: false }]),
    });
  });
});
