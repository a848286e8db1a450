import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import {
  type Confinement,
  isUnavailable,
  sessionOnly,
} from '../../../local-bridge/tools/terminal/confine.ts';
import { openNamespace } from '../../../local-bridge/tools/terminal/namespace.ts';
import { follow } from '../../../local-bridge/tools/terminal/reaper.ts';
import { openWarden } from '../../../local-bridge/tools/terminal/warden-client.ts';
import { SOON_MS } from '../../support/soon.ts';
import { failureIn } from '../../support/tools.ts';
import { envelopeIn, openRig, printedIn, processesSaying, tempFolder, until } from './rig.ts';

/** An argument by which the processes of one test are found in the process table. */
const newWord = () => `7${randomBytes(4).readUInt32BE()}`;

const canNamespace = !isUnavailable(openNamespace('/tmp'));

const confinements: [string, ((home: string) => Confinement) | undefined][] = [
  ['a session of its own', () => sessionOnly],
  ...(canNamespace
    ? ([
        [
          'namespaces of its own',
          (home: string) => {
            const found = openNamespace(home);
            if (isUnavailable(found)) throw new Error(found.unavailable);
            return found;
          },
        ],
      ] satisfies [string, (home: string) => Confinement][])
    : []),
];

/** Ways in which programs leave the group, the session or the parent they were started in. */
const escapes = (word: string): [string, string][] => [
  ['a job in the background', `sleep ${word} &`],
  ['nohup', `nohup sleep ${word} >/dev/null 2>&1 &`],
  ['a session of its own', `setsid sleep ${word} >/dev/null 2>&1 &`],
  ['forking twice', `(setsid sh -c '(sleep ${word} & )' >/dev/null 2>&1 &)`],
  ['deafness to SIGTERM and SIGHUP', `(trap '' TERM HUP INT; setsid sleep ${word} >/dev/null 2>&1 &)`],
  ['an empty environment', `env -i sleep ${word} >/dev/null 2>&1 &`],
];

describe.each(confinements)('a command in %s', (_, confinementFor) => {
  const openHere = async () => {
    const home = tempFolder();
    return openRig(confinementFor ? { fallback: confinementFor(home) } : {});
  };

  it.each(escapes('WORD').map(([how]) => how))('leaves nothing behind by %s', async (how) => {
    const { run } = await openHere();
    const word = newWord();
    const command = escapes(word).find(([name]) => name === how)?.[1] ?? '';
    const { success } = envelopeIn(await run(`${command}\necho started`));
    expect(success).toBe(true);
    expect(processesSaying(word)).toEqual([]);
  });

  it('leaves nothing behind after its time, whatever it tried', async () => {
    const { run } = await openHere();
    const word = newWord();
    const all = escapes(word).map(([, command]) => command);
    const answer = envelopeIn(
      await run({ command: [...all, `sleep ${word}`].join('\n'), timeout_seconds: 1 }),
    );
    expect(answer.metadata).toMatchObject({ timed_out: true });
    expect(answer.metadata.warning).toBeUndefined();
    expect(processesSaying(word)).toEqual([]);
  });

  it('gives a command the time to end well, and no more', async () => {
    const { run } = await openHere();
    const polite = envelopeIn(
      await run({ command: `trap 'echo tidied; exit 0' TERM; sleep 60 & wait`, timeout_seconds: 1 }),
    );
    expect(polite.output).toContain('tidied\n');
    expect(polite.execution_time_ms).toBeLessThan(SOON_MS);
    const deaf = envelopeIn(
      await run({ command: `trap '' TERM; while :; do sleep 0.1; done`, timeout_seconds: 1 }),
    );
    expect(deaf.metadata).toMatchObject({ exit_code: null, timed_out: true });
    expect(deaf.execution_time_ms).toBeGreaterThanOrEqual(3_000);
    expect(deaf.execution_time_ms).toBeLessThan(SOON_MS);
  });

  it('does not go on with the next command when it is stopped', async () => {
    const { run } = await openHere();
    const { output } = envelopeIn(await run({ command: 'sleep 60; echo never', timeout_seconds: 1 }));
    expect(output).toBe('Error: Command timed out after 1 second\n');
  });

  it('ends with its caller', async () => {
    const { run, terminal, root } = await openHere();
    const word = newWord();
    const caller = new AbortController();
    const running = run(`setsid sleep ${word} & echo on >going; sleep ${word}`, { signal: caller.signal });
    await until('it runs', () => existsSync(join(root, 'going')));
    caller.abort();
    expect(failureIn(await running).code).toBe('cancelled');
    await until('it is gone', () => processesSaying(word).length === 0);
    expect(terminal.status().on).toBe(true);
  });

  it('ends with the terminal', async () => {
    const { run, terminal, root } = await openHere();
    const word = newWord();
    const running = run(`setsid sleep ${word} & echo on >going; sleep ${word}`);
    await until('it runs', () => existsSync(join(root, 'going')));
    await terminal.close();
    expect(envelopeIn(await running).output).toMatch(/^Error: Command was stopped before it finished/);
    expect(processesSaying(word)).toEqual([]);
    expect(failureIn(await run('true')).code).toBe('terminal_off');
  });

  it('is ended although it multiplies', async () => {
    const { run } = await openHere();
    const word = newWord();
    // Bounded: each generation has two children, seven generations, and then they wait.
    const bomb = `f() { [ "$1" -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; exec sleep ${word}; }; f 6 & sleep ${word}`;
    const answer = envelopeIn(await run({ command: bomb, timeout_seconds: 2 }));
    expect(answer.metadata.warning).toBeUndefined();
    expect(processesSaying(word)).toEqual([]);
  });
});

describe('when the bridge is gone', () => {
  it.each(confinements.map(([name]) => name))('a command in %s goes with it', async (name) => {
    const folder = tempFolder();
    const word = newWord();
    const bridge = spawn(
      process.execPath,
      ['--no-warnings', '--input-type=module-typescript', '-e', program],
      {
        env: { ...process.env, FOLDER: folder, WORD: word, KIND: name },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const lines = createInterface({ input: bridge.stdout });
    const [ready] = await once(lines, 'line');
    expect(ready).toBe('running');
    await until('all of it runs', () => processesSaying(word).length >= 3);
    bridge.kill('SIGKILL');
    await once(bridge, 'exit');
    await until('nothing is left', () => processesSaying(word).length === 0);
  });
});

/** A bridge in small: it starts commands that run on, and says so. */
const program = `
import { openTerminal } from '${join(import.meta.dirname, '../../../local-bridge/tools/terminal/terminal.ts')}';
import { sessionOnly } from '${join(import.meta.dirname, '../../../local-bridge/tools/terminal/confine.ts')}';
import { withoutSandbox } from '${join(import.meta.dirname, '../../../local-bridge/tools/terminal/namespace.ts')}';
const { FOLDER, WORD, KIND } = process.env;
const terminal = await openTerminal({ home: FOLDER + '/home', roots: [FOLDER] }, { shell: '/bin/sh' }, {
  clock: { now: () => new Date() },
  env: process.env,
  openSandbox: async () => ({ unavailable: 'not here' }),
  openFallback: (home) => KIND.startsWith('namespaces') ? withoutSandbox(home, sessionOnly) : sessionOnly,
});
const command = "(setsid nohup sleep $W >/dev/null 2>&1 &); sh -c '(sleep $W &)'; trap '' TERM; echo up; sleep $W".replaceAll('$W', WORD);
void terminal.run({
  command,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  inFolder: (work) => work(FOLDER),
  onOutput: () => console.log('running'),
});
`;

describe('a command without namespaces', () => {
  it('leads a session of its own, so that it has no terminal', async () => {
    const { run } = await openRig({ fallback: sessionOnly });
    const [session, shell] = printedIn(await run("cut -d' ' -f6 /proc/$$/stat; echo $$")).split('\n');
    expect(session).toBe(shell);
  });

  it('is no longer watched for when it could not be started', async () => {
    const { terminal, ports } = await openRig({ fallback: sessionOnly });
    const order = {
      command: 'true',
      timeoutMs: 1_000,
      signal: AbortSignal.abort(),
      onOutput: () => undefined,
    };
    const inFolder = () => {
      throw new Error('The folder is gone.');
    };
    await expect(terminal.run({ ...order, inFolder })).rejects.toThrow('The folder is gone.');
    expect(ports.terminal.status().on).toBe(true);
  });
});

describe('the helper beside the bridge', () => {
  it('is replaced when somebody kills it, and forgets no run', async () => {
    const warden = openWarden(tempFolder());
    const word = newWord();
    const mark = randomBytes(16).toString('hex');
    warden.register(mark, true);
    const child = spawn('sleep', [word], { detached: true, env: { TERMINAL_RUN: mark }, stdio: 'ignore' });
    if (child.pid !== undefined) warden.started(mark, child.pid);
    const helper = warden.pid;
    if (helper === undefined) throw new Error('The helper has not started.');
    process.kill(helper, 'SIGKILL');
    const ended = await warden.end(mark);
    expect(ended).toEqual([]);
    expect(processesSaying(word)).toEqual([]);
    await warden.close();
  });

  it('says who would not go', async () => {
    const never = new Set([process.pid]);
    const follower = follow(() => ({ mark: 'nobody has this' }), never);
    expect(await follower.end()).toEqual([]);
  });
});
