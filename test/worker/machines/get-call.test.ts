import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LINK } from '../../../contracts/link.ts';
import { SOON_MS } from '../../support/soon.ts';
import { everyone } from '../../support/tools.ts';
import { connect } from './device.ts';

import { ageBy, answerNext, keptIn, openMachines, printed, readOn } from './get-call-rig.ts';

afterEach(() => void vi.useRealTimers());

describe('get_call', () => {
  it('says that a call runs, and what came of it once it has', async () => {
    const { socket, run, ask } = await openMachines();
    const answer = run();
    const { n, id } = await socket.next('call');
    expect(keptIn(await ask(id))).toMatchObject({
      ...{ call_id: id, tool: 'run_in_terminal', state: 'running' },
      ...{ finished_at: null, result: null, next_offset: null, error: null },
    });
    socket.answer(n, { kind: 'ok', output: printed('hello') });
    expect(await answer).toMatchObject({ kind: 'ok', output: printed('hello') });
    const kept = keptIn(await ask(id));
    expect(kept).toMatchObject({ state: 'done', result: printed('hello'), next_offset: null, error: null });
    expect(Date.parse(kept.finished_at ?? '')).toBeGreaterThanOrEqual(Date.parse(kept.started_at));
  });

  it('has what came of a call that outlived its answer', async () => {
    const { near, socket, run, ask } = await openMachines();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // What waits is the object's own, and has to be woken in it.
    const pass = (ms: number) => runInDurableObject(near.stub(), () => void vi.advanceTimersByTime(ms));
    let isAnswered = false;
    const answer = run().finally(() => {
      isAnswered = true;
    });
    const { n, id } = await socket.next('call');
    await pass(LINK.holdMs - 1);
    expect(keptIn(await ask(id))).toMatchObject({ state: 'running' });
    expect(isAnswered).toBe(false);
    await pass(1);
    expect(await answer).toMatchObject({
      kind: 'failed',
      failure: { code: 'still_running', http_status: 202, call_id: id },
    });
    socket.answer(n, { kind: 'ok', output: printed('late') });
    await socket.next('ack');
    expect(keptIn(await ask(id))).toMatchObject({ state: 'done', result: printed('late') });
  });

  it('answers a caller who follows the call sooner, and names the call to them at once', async () => {
    const { near, socket, run, ask } = await openMachines();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const pass = (ms: number) => runInDurableObject(near.stub(), () => void vi.advanceTimersByTime(ms));
    const begun: string[] = [];
    let isAnswered = false;
    const answer = run('true', 'near', { begun: (callId) => void begun.push(callId) }).finally(() => {
      isAnswered = true;
    });
    const { n, id } = await socket.next('call');
    expect(begun).toEqual([id]);
    await pass(24_999);
    expect(keptIn(await ask(id))).toMatchObject({ state: 'running' });
    expect(isAnswered).toBe(false);
    await pass(1);
    expect(await answer).toMatchObject({ kind: 'failed', failure: { code: 'still_running', call_id: id } });
    socket.answer(n, { kind: 'ok', output: printed('late') });
    await socket.next('ack');
    expect(keptIn(await ask(id))).toMatchObject({ state: 'done', result: printed('late') });
  });

  it('shows a call that its own caller cancelled, and nobody else can', async () => {
    const { near, socket, run, ask, machines } = await openMachines();
    const answer = run();
    const { n, id } = await socket.next('call');
    const cancelled = () =>
      runInDurableObject(near.stub(), (_, { storage }) =>
        storage.sql.exec('SELECT cancelled FROM call WHERE id = ?', id).one(),
      );
    await machines.cancel(id, 'somebody else');
    await machines.cancel('no such call', everyone.principal);
    expect(await cancelled()).toEqual({ cancelled: 0 });
    await machines.cancel(id, everyone.principal);
    expect(await socket.next('cancel')).toMatchObject({ n, id });
    socket.say({ type: 'cancelled', n, why: 'asked' });
    expect(await answer).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    expect(keptIn(await ask(id))).toMatchObject({ state: 'failed', error: { code: 'cancelled' } });
  });

  it('tells how a call failed, with nothing in it that the contract does not know', async () => {
    const { socket, run, ask } = await openMachines();
    const failure = { code: 'command_not_found', message: 'No such program.', suggestion: 'Spell it.' };
    const answer = run();
    const id = await answerNext(socket, { kind: 'failed', failure: { ...failure, raw: 'as it came' } });
    expect(await answer).toMatchObject({ kind: 'failed' });
    expect(keptIn(await ask(id))).toMatchObject({
      ...{ state: 'failed', result: null },
      error: { ...failure, http_status: 404 },
    });
  });

  it('withholds what breaks the tool’s contract, and codes that nobody knows', async () => {
    const { socket, run, ask } = await openMachines();
    for (const outcome of [
      { kind: 'ok', output: { ...printed('x'), secrets: 'more' } },
      { kind: 'failed', failure: { code: 'all_is_well', message: 'm', suggestion: 's' } },
      'not an outcome',
    ]) {
      const answer = run();
      const id = await answerNext(socket, outcome);
      await answer;
      const kept = keptIn(await ask(id));
      expect(kept).toMatchObject({ state: 'failed', error: { code: 'malformed_output' }, result: null });
      expect(JSON.stringify(kept)).not.toMatch(/secrets|all_is_well/);
    }
  });

  it('says that nobody knows, and that a call never began', async () => {
    const { socket, run, ask } = await openMachines();
    const lost = run();
    const first = await socket.next('call');
    socket.say({ type: 'unknown', n: first.n });
    expect(await lost).toMatchObject({ failure: { code: 'outcome_unknown', call_id: first.id } });
    expect(keptIn(await ask(first.id))).toMatchObject({
      ...{ state: 'unknown', finished_at: null, result: null },
      error: { code: 'outcome_unknown' },
    });
    const refused = run();
    const second = await socket.next('call');
    socket.say({ type: 'cancelled', n: second.n, why: 'busy' });
    await refused;
    expect(keptIn(await ask(second.id))).toMatchObject({ state: 'failed', error: { code: 'cancelled' } });
  });

  it('gives a long text whole, a page at a time, and no character in halves', async () => {
    const { socket, run, ask } = await openMachines();
    // Every page would end inside one of these.
    const text = `a${'😀'.repeat(130_000)}`;
    const answer = run();
    const id = await answerNext(socket, { kind: 'ok', output: printed(text) });
    await answer;
    const pages = await readOn((offset) => ask(id, offset));
    expect(pages.length).toBe(3);
    expect(pages.every((page) => page.isWellFormed())).toBe(true);
    expect(pages.join('') === text).toBe(true);
    const past = keptIn(await ask(id, text.length + 5));
    expect(past).toMatchObject({ state: 'done', result: { output: '' }, next_offset: null });
  });

  it('makes pages that a client takes, whatever they are full of and however little it takes', async () => {
    const { socket, run, ask } = await openMachines();
    const text = '\u001b[0m"\n'.repeat(60_000);
    const answer = run();
    const id = await answerNext(socket, { kind: 'ok', output: printed(text) });
    await answer;
    for (const [maxResultChars, least] of [
      [150_000, 5],
      [40_000, 20],
    ] as const) {
      const pages = await readOn((offset) => ask(id, offset, { maxResultChars }));
      expect(pages.length).toBeGreaterThan(least);
      expect(pages.length).toBeLessThan(least * 4);
      expect(pages.join('') === text).toBe(true);
    }
  });

  it('knows no call of another principal’s, and none that was never made', async () => {
    const { socket, run, ask } = await openMachines();
    const answer = run();
    const id = await answerNext(socket, { kind: 'ok', output: printed('mine') });
    await answer;
    for (const asked of [ask(id, 0, { principal: 'eve' }), ask('call_never')]) {
      expect(await asked).toMatchObject({
        kind: 'failed',
        failure: { code: 'call_not_found', http_status: 404 },
      });
    }
    expect(keptIn(await ask(id))).toMatchObject({ state: 'done' });
  });

  it('keeps an outcome for 24 hours and no longer', async () => {
    const { near, socket, run, ask } = await openMachines();
    const answer = run();
    const id = await answerNext(socket, { kind: 'ok', output: printed('old') });
    await answer;
    await ageBy(near, LINK.keptMs - 60_000);
    expect(keptIn(await ask(id))).toMatchObject({ state: 'done' });
    await ageBy(near, 61_000);
    expect(await ask(id)).toMatchObject({ failure: { code: 'call_not_found' } });
    // Gone for good once the object has looked through what it keeps.
    await runInDurableObject(near.stub(), (object) => object.alarm?.());
    const left = await runInDurableObject(near.stub(), (_, { storage }) =>
      storage.sql.exec('SELECT (SELECT count(*) FROM call) + (SELECT count(*) FROM piece) AS n').one(),
    );
    expect(left).toEqual({ n: 0 });
  });

  it('finds a call on whichever machine ran it, connected or not', async () => {
    const { near, far, socket, run, ask } = await openMachines();
    const other = await connect(far);
    const onFar = run('true', 'far');
    const farId = await answerNext(other, { kind: 'ok', output: printed('far') });
    await onFar;
    other.close();
    await other.end();
    const onNear = run();
    const nearId = await answerNext(socket, { kind: 'ok', output: printed('near') });
    await onNear;
    expect((await near.stub().status()).online).toBe(true);
    expect(keptIn(await ask(farId))).toMatchObject({ state: 'done', result: { output: 'far' } });
    expect(keptIn(await ask(nearId))).toMatchObject({ state: 'done', result: { output: 'near' } });
  });

  it('finds it while another machine’s object fails, and denies nothing that it could not ask about', async () => {
    const { far, socket, run, ask, broken, door } = await openMachines();
    const answer = run();
    const id = await answerNext(socket, { kind: 'ok', output: printed('here') });
    await answer;
    broken.add(far.id);
    expect(keptIn(await ask(id))).toMatchObject({ state: 'done' });
    expect(await ask('call_elsewhere')).toMatchObject({ failure: { code: 'internal_error' } });
    expect(door.reported).toHaveLength(1);
  });
});

describe('a machine whose object fails', () => {
  it('does not keep a call from another', async () => {
    const { far, socket, run, broken } = await openMachines();
    broken.add(far.id);
    for (const machine of ['near', undefined]) {
      const answer = run('true', machine);
      await answerNext(socket, { kind: 'ok', output: printed('still') });
      expect(await answer).toMatchObject({ kind: 'ok' });
    }
  });

  it('is offline since it left, to whoever calls it while it is not there', async () => {
    const { far, run } = await openMachines();
    expect(await run('true', 'far')).toMatchObject({
      failure: { code: 'machine_offline', message: 'far has never been connected.' },
    });
    const other = await connect(far);
    other.close();
    await other.end();
    const since = await runInDurableObject(far.stub(), (_, { storage }) => {
      const at = Date.now() - 60_000;
      storage.sql.exec('UPDATE machine SET offline_since = ?', at);
      return at;
    });
    expect(await run('true', 'far')).toMatchObject({
      failure: {
        code: 'machine_offline',
        message: `far has not been connected since ${new Date(since).toISOString()}.`,
      },
    });
  });
});

describe('a call that its caller follows while it runs', () => {
  const { principal } = everyone;

  it('shows what it said last to its own caller, by its id and by its digest, until it ends', async () => {
    const { near, socket, run, machines } = await openMachines();
    const answer = run();
    const { n, id, digest } = await socket.next('call');
    const byDigest = { machine: near.id, digest };
    expect(await machines.running({ id }, principal)).toMatchObject({ id, state: 'open', said: null });
    socket.say({ type: 'progress', n, progress: 4, message: 'one\n' });
    socket.say({ type: 'progress', n, progress: 8 });
    socket.say({ type: 'progress', n, progress: 8, message: 'two\n' });
    for (const by of [{ id }, byDigest]) {
      await expect
        .poll(async () => (await machines.running(by, principal))?.said, { timeout: SOON_MS })
        .toBe('one\ntwo\n');
      expect(await machines.running(by, 'somebody else')).toBeUndefined();
    }
    socket.answer(n, { kind: 'ok', output: printed('one\ntwo\n') });
    await answer;
    expect(await machines.running({ id }, principal)).toMatchObject({ id, state: 'done', said: null });
    expect(await machines.running(byDigest, principal)).toBeUndefined();
    expect(await machines.running({ id: 'no such call' }, principal)).toBeUndefined();
  });

  it('goes on showing it after its answer had to leave', async () => {
    const { near, socket, run, machines } = await openMachines();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answer = run();
    const { n, id } = await socket.next('call');
    await runInDurableObject(near.stub(), () => void vi.advanceTimersByTime(LINK.holdMs));
    expect(await answer).toMatchObject({ failure: { code: 'still_running' } });
    vi.useRealTimers();
    socket.say({ type: 'progress', n, progress: 5, message: 'late\n' });
    await expect
      .poll(async () => (await machines.running({ id }, principal))?.said, { timeout: SOON_MS })
      .toBe('late\n');
    socket.say({ type: 'unknown', n });
    await socket.next('ack');
    expect(await machines.running({ id }, principal)).toMatchObject({ state: 'unknown', said: null });
  });
});
