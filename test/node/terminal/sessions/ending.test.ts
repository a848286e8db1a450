import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import {
  type Confinement,
  isUnavailable,
  sessionOnly,
} from '../../../../local-bridge/tools/terminal/confine.ts';
import { openNamespace } from '../../../../local-bridge/tools/terminal/namespace.ts';
import { openSystemSandbox } from '../../../../local-bridge/tools/terminal/sandbox.ts';
import { failureIn } from '../../../support/tools.ts';
import { envelopeIn, hasSandbox, processesSaying, tempFolder, until } from '../rig.ts';
import { openSessionRig } from './rig.ts';

/** An argument by which the processes of one test are found in the process table. */
const newWord = () => `7${randomBytes(4).readUInt32BE()}`;

/** Leaves the group, the session, the parent, the mark and all signals behind. */
const breakOut = (word: string) =>
  `(setsid nohup sleep ${word} >/dev/null 2>&1 &); (setsid sh -c '(sleep ${word} &)' >/dev/null 2>&1 &); env -i sleep ${word} & trap '' TERM HUP INT; sleep ${word}`;

const namespace = openNamespace('/tmp');
const confinements: [string, (() => Confinement) | undefined][] = [
  ['a session of its own', () => sessionOnly],
  ...(isUnavailable(namespace) ? [] : [['namespaces of its own', undefined] satisfies [string, undefined]]),
];

describe.each(confinements)('a lasting terminal in %s', (_, fallback) => {
  const open = () => openSessionRig(fallback ? { fallback: fallback() } : {});

  it('leaves nothing behind when it is stopped', async () => {
    const rig = await open();
    const word = newWord();
    await rig.start({ command: `echo up; ${breakOut(word)}` });
    await until('it runs', () => processesSaying(word).length > 1);
    const stopped = envelopeIn(await rig.call('terminal_stop', { session: 'work' }));
    expect(stopped).toMatchObject({
      output: "Session 'work' was stopped.\n",
      metadata: { running: false, exit_code: null },
    });
    expect(processesSaying(word)).toEqual([]);
    expect(failureIn(await rig.send({ keys: ['enter'] })).code).toBe('session_ended');
  });

  it('leaves nothing behind when its shell exits', async () => {
    const rig = await open();
    const word = newWord();
    await rig.start();
    await rig.prompt();
    await rig.send(`(setsid nohup sleep ${word} >/dev/null 2>&1 &)`);
    await until('it runs', () => processesSaying(word).length > 0);
    await rig.prompt();
    await rig.send('exit 7');
    const end = envelopeIn(await rig.read({ until: 'nothing says this', wait_seconds: 35 }));
    expect(end.metadata).toMatchObject({ running: false, exit_code: 7 });
    expect(processesSaying(word)).toEqual([]);
  });

  it('leaves nothing behind when the terminal closes', async () => {
    const rig = await open();
    const word = newWord();
    await rig.start({ command: breakOut(word) });
    await until('it runs', () => processesSaying(word).length > 1);
    await rig.terminal.close();
    expect(processesSaying(word)).toEqual([]);
  });

  it('is stopped however fast it forks', async () => {
    const rig = await open();
    const word = newWord();
    // Each of the two hundred starts its next one before it ends.
    const bomb = `i=0; while [ $i -lt 200 ]; do sh -c 'while :; do sleep 0.${word} & wait; done' & i=$((i+1)); done; wait`;
    await rig.start({ command: bomb });
    await until('it runs', () => processesSaying(word).length > 20);
    await rig.call('terminal_stop', { session: 'work' });
    expect(processesSaying(word)).toEqual([]);
  });

  it('has the variables of a command and no others of the bridge', async () => {
    const rig = await openSessionRig({
      ...(fallback ? { fallback: fallback() } : {}),
      env: { BOWLINE_TOKEN: 'never', AWS_SECRET_ACCESS_KEY: 'never', EDITOR: 'never' },
    });
    await rig.start({ command: 'env; echo end' });
    const { output } = envelopeIn(await rig.readUntil('end\n'));
    expect(output).not.toContain('never');
    expect(output).toContain('HISTFILE=\n');
    const listed = output.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    const known =
      'PATH HOME LANG SHELL TMPDIR TERM PS1 PS2 HISTFILE INPUTRC PAGER GIT_PAGER TERMINAL_RUN TERMINAL_SHELL PWD OLDPWD SHLVL _ LINES COLUMNS';
    expect(listed.filter((name) => !known.split(' ').includes(name))).toEqual([]);
  });

  it('reads no settings of its user and of the folder', async () => {
    const rig = await open();
    for (const folder of [rig.base, rig.root])
      for (const name of ['.bashrc', '.profile', '.bash_profile'])
        writeFileSync(join(folder, name), 'alias ls=evil\n');
    await rig.start();
    await rig.prompt();
    expect(envelopeIn(await rig.send('alias')).output).not.toContain('evil');
    await rig.prompt();
    await rig.send('exit');
    await rig.read({ until: 'nothing says this', wait_seconds: 35 });
    expect(existsSync(join(rig.base, '.bash_history'))).toBe(false);
  });
});

describe('files that other programs run by themselves', () => {
  it('are moved aside when the session ends, and it says so once', async () => {
    const rig = await openSessionRig();
    const answers = [
      await rig.start({
        command: 'echo evil > .envrc; echo done',
      }),
      await rig.read({ until: 'nothing says this', wait_seconds: 35 }),
      await rig.call('terminal_stop', { session: 'work' }),
    ];
    const warnings = answers.map((one) => envelopeIn(one).metadata.warning ?? '').join('');
    expect(warnings.match(/\.envrc/g)).toHaveLength(1);
    expect(existsSync(join(rig.root, '.envrc'))).toBe(false);
    expect(envelopeIn(await rig.call('terminal_stop', { session: 'work' })).output).not.toContain(
      'pre-commit',
    );
  });
});

describe('the folder of Bowline', () => {
  it.skipIf(isUnavailable(namespace))('is closed to a session, with its output', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: `ls ${join(rig.home, 'terminals')} && echo open || echo closed` });
    expect(envelopeIn(await rig.readUntil('\n')).output).toContain('closed\n');
  });
});

describe.skipIf(!hasSandbox)('a lasting terminal in the sandbox of the system', () => {
  it('keeps its folder, takes Ctrl-C, and cannot write elsewhere', async () => {
    const rig = await openSessionRig({ openSandbox: openSystemSandbox });
    const started = envelopeIn(await rig.start());
    expect(started.metadata.sandboxed).toBe(true);
    await rig.prompt();
    await rig.send('cat');
    await rig.call('terminal_stop', { session: 'work', interrupt: true });
    await rig.prompt();
    const sent = envelopeIn(await rig.send(`echo x > ${join(tempFolder(), 'x')} || echo refused`));
    expect(sent.output).toContain('refused\n');
  });
});

describe('a bridge that is killed', () => {
  it.each(confinements.map(([name]) => name))('takes its lasting terminals with it: %s', async (kind) => {
    const word = newWord();
    const folder = tempFolder();
    const bridge = spawn(process.execPath, ['--input-type=module', '--no-warnings', '--eval', program], {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SHELL: '/bin/sh',
        FOLDER: folder,
        COMMAND: breakOut(word),
        KIND: kind,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(createInterface({ input: bridge.stdout }), 'line');
    await until('it runs', () => processesSaying(word).length > 2);
    bridge.kill('SIGKILL');
    await once(bridge, 'exit');
    await until('nothing is left', () => processesSaying(word).length === 0);
  });
});

/** A bridge in small: it starts a lasting terminal, and says so. */
const at = (path: string) => join(import.meta.dirname, '../../../../local-bridge/tools/terminal', path);
const program = `
import { openTerminal } from '${at('terminal.ts')}';
import { sessionOnly } from '${at('confine.ts')}';
import { withoutSandbox } from '${at('namespace.ts')}';
import { openSessions } from '${at('sessions/sessions.ts')}';
const { FOLDER, COMMAND, KIND } = process.env;
const clock = { now: () => new Date() };
const home = FOLDER + '/home';
const terminal = await openTerminal({ home, roots: [FOLDER] }, { shell: '/bin/sh' }, {
  clock,
  env: process.env,
  openSandbox: async () => ({ unavailable: 'not here' }),
  openFallback: (place) => KIND.startsWith('namespaces') ? withoutSandbox(place, sessionOnly) : sessionOnly,
});
const sessions = openSessions({ home }, { terminal, clock });
const inFolder = (work) => work(FOLDER);
await sessions.start({ name: 'work', principal: 'test', command: COMMAND, folder: FOLDER, inFolder });
console.log('running');
setInterval(() => undefined, 60_000);
`;
