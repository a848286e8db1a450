import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_SESSIONS } from '../../../../contracts/terminal-session-fields.ts';
import { loadPty } from '../../../../local-bridge/tools/terminal/sessions/pty.ts';
import { openSessions } from '../../../../local-bridge/tools/terminal/sessions/sessions.ts';
import { sessionState } from '../../../../src/core/session-state.ts';
import { everyone, failureIn } from '../../../support/tools.ts';
import { envelopeIn, openRig, tempFolder, until } from '../rig.ts';
import { openSessionRig } from './rig.ts';

const stranger = { principal: 'app:stranger' };

describe("another caller's session", () => {
  it('is not there for anybody else, not even in the list', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: 'cat' });
    for (const answer of [
      await rig.send({ text: 'x\n', program: true }, stranger),
      await rig.send({ keys: ['ctrl-c'] }, stranger),
      await rig.read({}, stranger),
      await rig.read({ screen: true }, stranger),
      await rig.call('terminal_stop', { session: 'work' }, stranger),
      await rig.call('terminal_stop', { session: 'work', interrupt: true }, stranger),
    ])
      expect(failureIn(answer)).toMatchObject({ code: 'session_not_found', http_status: 404 });
    expect(envelopeIn(await rig.call('terminal_list', {}, stranger)).output).toBe('0 sessions.\n');
    const own = envelopeIn(await rig.call('terminal_list', {}));
    expect(own.output).toBe('1 session:\nwork: `cat`, is running\n');
    expect(own.metadata.sessions).toMatchObject([
      { session: 'work', runs: 'cat', folder: rig.root, running: true },
    ]);
  });

  it('does not take the name away', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: 'cat' });
    expect(await rig.start({ command: 'cat' }, stranger)).toMatchObject({ kind: 'ok' });
    expect(failureIn(await rig.start({ command: 'cat' }))).toMatchObject({ code: 'session_exists' });
    await rig.call('terminal_stop', { session: 'work' }, stranger);
    expect(envelopeIn(await rig.read()).metadata.running).toBe(true);
  });
});

describe('the sessions of a machine', () => {
  it(`are ${MAX_SESSIONS} at most, whoever they belong to, also if all start at once`, async () => {
    const rig = await openSessionRig();
    const start = (index: number) =>
      rig.start({ session: `s${index}`, command: 'cat' }, { principal: `app:${index % 2}` });
    const all = await Promise.all(Array.from({ length: MAX_SESSIONS + 1 }, (_, index) => start(index)));
    expect(all.filter(({ kind }) => kind === 'ok')).toHaveLength(MAX_SESSIONS);
    expect(all.filter(({ kind }) => kind === 'failed').map((one) => failureIn(one).code)).toEqual([
      'too_many_sessions',
    ]);
    const looked = await rig.look('terminal_start', { session: 'more' });
    expect(looked).toMatchObject({ kind: 'failed', failure: { code: 'too_many_sessions' } });
    await rig.call('terminal_stop', { session: 's0' }, { principal: 'app:0' });
    expect(await start(MAX_SESSIONS + 1)).toMatchObject({ kind: 'ok' });
  });

  it('end when nobody used them for a while', async () => {
    const rig = await openSessionRig({ idleMs: 200 });
    await rig.start({ command: 'cat' });
    const [session] = rig.sessions.list(everyone.principal);
    await until('it ends', () => session?.running === false);
  });

  it('keep what the last ended ones printed, and no more', async () => {
    const rig = await openSessionRig();
    for (let index = 0; index <= 9; index += 1) {
      await rig.start({ session: `s${index}`, command: `echo ${index}` });
      await rig.call('terminal_stop', { session: `s${index}` });
    }
    await rig.start({ command: 'cat' });
    const names = envelopeIn(await rig.call('terminal_list', {})).metadata.sessions as { session: string }[];
    expect(names.map(({ session }) => session)).toEqual([
      ...Array.from({ length: 8 }, (_, i) => `s${i + 2}`),
      'work',
    ]);
    expect(failureIn(await rig.read({ session: 's1' })).code).toBe('session_not_found');
  });

  it('leave no output on the disk, nor what a killed bridge left', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: 'echo secret plan' });
    const folder = join(rig.home, 'terminals');
    expect(readdirSync(folder)).toHaveLength(1);
    await rig.sessions.close();
    expect(readdirSync(folder)).toEqual([]);
    const home = tempFolder();
    const old = join(home, 'terminals', '4194305-abc');
    const odd = join(home, 'terminals', 'odd');
    const own = join(home, 'terminals', `${process.pid}-abc`);
    for (const path of [old, odd, own]) mkdirSync(path, { recursive: true });
    writeFileSync(join(old, '0'), 'left');
    const { terminal, clock } = { ...rig, clock: rig.ports.clock };
    await openSessions({ home }, { terminal, clock }).close();
    expect([old, odd, own].map((path) => existsSync(path))).toEqual([false, false, true]);
  });
});

describe('a machine without lasting terminals', () => {
  it('says so plainly where the package has no build, and runs commands all the same', async () => {
    const found = await loadPty(() => Promise.reject(new Error('no binary')));
    expect(found).toEqual({
      unavailable: expect.stringMatching(/^The package `@lydell\/node-pty` has no build for /),
    });
    const rig = await openSessionRig({ loadPty: async () => ({ unavailable: 'There is no build.' }) });
    expect(failureIn(await rig.start())).toMatchObject({
      code: 'no_lasting_terminal',
      message: 'There is no build.',
    });
    expect(await rig.look('terminal_start', { session: 'work' })).toMatchObject({
      failure: { code: 'no_lasting_terminal' },
    });
    expect(envelopeIn(await rig.call('terminal_list', {})).output).toBe('0 sessions.\n');
    expect(envelopeIn(await rig.run('echo on')).output).toContain('on');
  });

  it('is one whose program ends with the call, or whose terminal is off', async () => {
    const once = await openSessionRig({ staysOpen: false });
    expect(failureIn(await once.start()).code).toBe('no_lasting_terminal');
    const off = await openSessionRig({ settings: { enabled: false } });
    expect(failureIn(await off.start()).code).toBe('terminal_off');
    expect(failureIn(await off.send('ls')).code).toBe('terminal_off');
  });

  it('loads the package with the first session, not before', async () => {
    let loaded = 0;
    const rig = await openRig({
      loadPty: async () => {
        loaded += 1;
        return { unavailable: 'It only counts.' };
      },
    });
    await rig.run('true');
    expect(loaded).toBe(0);
  });
});

describe('a lent session', () => {
  const stateOf = (rig: Awaited<ReturnType<typeof openSessionRig>>, name: string) => {
    const session = rig.sessions.find(everyone.principal, name);
    return sessionState(session?.startedBy ?? 'none');
  };

  it('is typed to whatever stands there by now, and no other one is', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: 'cat' });
    await rig.start({ session: 'other', command: 'cat' });
    const [work, other] = [stateOf(rig, 'work'), stateOf(rig, 'other')];
    expect(work).not.toBe(other);
    const looked = await rig.look('terminal_send', { session: 'work', text: 'x', program: true });
    await rig.send({ text: 'typed before ', program: true });
    const text = { session: 'work', text: 'x\n', program: true };
    if (!('state' in looked)) throw new Error('There is no preview.');
    expect(failureIn(await rig.seen('terminal_send', text, looked.state ?? '')).code).toBe(
      'changed_since_approval',
    );
    expect(failureIn(await rig.seen('terminal_send', text, other)).code).toBe('changed_since_approval');
    expect(await rig.seen('terminal_send', text, work)).toMatchObject({ kind: 'ok' });
  });

  it('is none that was started later under its name', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: 'cat' });
    const before = stateOf(rig, 'work');
    await rig.call('terminal_stop', { session: 'work' });
    await rig.start({ command: 'cat' });
    const text = { session: 'work', text: 'x\n', program: true };
    expect(failureIn(await rig.seen('terminal_send', text, before)).code).toBe('changed_since_approval');
    expect(await rig.seen('terminal_send', text, stateOf(rig, 'work'))).toMatchObject({ kind: 'ok' });
  });

  it('is named, with the call that started it, where its owner is asked', async () => {
    const rig = await openSessionRig();
    expect(await rig.look('terminal_start', { session: 'work' })).toMatchObject({
      lasting: { session: 'work', startedBy: null },
    });
    await rig.start({ command: 'cat' });
    const { startedBy } = rig.sessions.find(everyone.principal, 'work') ?? {};
    expect(await rig.look('terminal_send', { session: 'work', keys: ['enter'] })).toMatchObject({
      lasting: { session: 'work', startedBy },
    });
  });
});
