import { describe, expect, it } from 'vitest';
import { callNamed } from './device.ts';
import { openMachines, printed } from './get-call-rig.ts';

describe('a call that the machine did not run', () => {
  it.each([
    ['draining', { code: 'machine_offline', message: 'near is shutting down, and did not run the call.' }],
    [
      'busy',
      { code: 'rate_limited', message: 'near already has as many calls as it takes.', retry_after: 5 },
    ],
    [
      'disk',
      {
        code: 'disk_full',
        message: 'near cannot write to its disk, and so did not run the call.',
        suggestion: expect.stringContaining('disk of near is full'),
      },
    ],
    ['asked', { code: 'cancelled', message: 'The call was cancelled before it began.' }],
  ])('says so, and what to do: %s', async (why, failure) => {
    const { socket, run } = await openMachines();
    const result = run();
    const { n } = await socket.next('call');
    socket.say({ type: 'cancelled', n, why });
    expect(await result).toMatchObject({ kind: 'failed', failure });
    socket.close();
  });

  it('of which nobody can say how far it came is no success', async () => {
    const { socket, run } = await openMachines();
    const result = run();
    const { n } = await socket.next('call');
    socket.say({ type: 'accepted', n });
    socket.say({ type: 'unknown', n });
    expect(await result).toMatchObject({ kind: 'failed', failure: { code: 'outcome_unknown' } });
    socket.close();
  });

  it('that its caller gave up is called off on the machine', async () => {
    const { socket, run } = await openMachines();
    const give = new AbortController();
    const result = run('true', 'near', { signal: give.signal });
    const { n, id } = await socket.next('call');
    give.abort();
    expect(await socket.next('cancel')).toMatchObject({ n, id });
    expect(await result).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    socket.close();
  });

  it('because the word that cancels it came first never goes to the machine', async () => {
    const { socket, near } = await openMachines();
    await near.stub().cancel('call_late');
    const sent = socket.next('call');
    const late = near.stub().call(callNamed('call_late'));
    expect(await Promise.race([late, sent])).toEqual({ kind: 'not_run', why: 'asked' });
    const next = near.stub().call(callNamed('call_next'));
    const { n, id } = await sent;
    expect(id).toBe('call_next');
    socket.answer(n, { kind: 'ok', output: printed('done') });
    expect(await next).toMatchObject({ kind: 'result' });
    // A call that is known gives its own outcome.
    await near.stub().cancel('call_next');
    expect(await near.stub().call(callNamed('call_next'))).toMatchObject({ kind: 'result', isOk: true });
    socket.close();
  });

  it('because its answer is none is withheld', async () => {
    const { socket, run } = await openMachines();
    for (const said of [{ kind: 'maybe' }, { kind: 'failed', failure: { code: 'x' } }, 'no object', null]) {
      const result = run();
      const { n } = await socket.next('call');
      socket.answer(n, said);
      expect(await result).toMatchObject({ kind: 'failed', failure: { code: 'malformed_output' } });
    }
    const good = run();
    const { n } = await socket.next('call');
    socket.answer(n, { kind: 'ok', output: printed('done') });
    expect(await good).toMatchObject({ kind: 'ok', output: { output: 'done' } });
    socket.close();
  });
});
