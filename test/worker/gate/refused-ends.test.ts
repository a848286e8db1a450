import { describe, expect, it } from 'vitest';
import type { Desk } from '../../support/gate-tools.ts';
import { openRig, type Rig } from './rig.ts';
import { failureIn, sendBy } from './ways.ts';

// The database takes no end for a while, as on a full disk, while calls run that it has let in.

const REFUSE = `CREATE TRIGGER full BEFORE INSERT ON call_end
  BEGIN SELECT RAISE(ABORT, 'database or disk is full: SQLITE_FULL'); END`;
const fill = (rig: Rig, where = '') =>
  rig.inGate((sql) => void sql.exec(REFUSE.replace('BEGIN SELECT', `${where} BEGIN SELECT`)));
const keep = (rig: Rig, path = 'a', more: object = {}) =>
  sendBy('rest', rig, { tool: 'desk_keep', args: { path, ...more } });

/** Makes room, and has another call recorded: however slow this computer is, kept ends go with that one at the latest. */
async function makeRoom(rig: Rig): Promise<void> {
  await rig.inGate((sql) => void sql.exec('DROP TRIGGER full'));
  await keep(rig, 'later');
  await rig.settled();
}

/** A rig whose disk fills up while its first call runs. */
function fillingRig() {
  const act: Desk['act'] = async (path) => {
    if (path === 'a') await fill(rig);
    return undefined;
  };
  const rig: Rig = openRig({ desk: { runs: [], act } });
  return rig;
}

describe('the end of a change that a full disk did not take', () => {
  it('is told to its caller, and is in the ledger once there is room', async () => {
    const rig = fillingRig();
    expect(await keep(rig)).toMatchObject({ kind: 'ok', text: 'run 1' });
    expect((await rig.gate().ledger({})).entries).toMatchObject([{ outcome: null }]);
    expect(rig.reported).toMatchObject([{ error: { message: expect.stringContaining('SQLITE_FULL') } }]);
    await makeRoom(rig);
    expect(await rig.gate().call(1)).toMatchObject({
      ...{ outcome: 'ok', decision: 'allowed', code: null, result: '{"text":"run 1"}' },
    });
    expect(await rig.ledger()).toHaveLength(2);
  });

  it('answers a repeat of the call, which does not run again', async () => {
    const rig = fillingRig();
    const key = { idempotency_key: 'one' };
    await keep(rig, 'a', key);
    await makeRoom(rig);
    expect(await keep(rig, 'a', key)).toMatchObject({ text: 'run 1' });
    expect(rig.desk.runs.map(({ path }) => path)).toEqual(['a', 'later']);
    const [replay, , first] = await rig.ledger();
    expect(replay).toMatchObject({ decision: 'replayed', because: first?.id });
  });

  it('says that the call failed, if it did', async () => {
    const act: Desk['act'] = async (path, call) => {
      if (path === 'later') return undefined;
      await fill(rig);
      return call.fail('full');
    };
    const rig: Rig = openRig({ desk: { runs: [], act } });
    expect(failureIn(await keep(rig)).code).toBe('full');
    await makeRoom(rig);
    expect(await rig.ledger()).toMatchObject([{ outcome: 'ok' }, { outcome: 'failed', code: 'full' }]);
  });

  it('makes no other call fail that the gate can record', async () => {
    const rig = openRig();
    await fill(rig, 'WHEN NEW.seq = 1');
    for (const path of ['a', 'b', 'c']) expect(await keep(rig, path)).toMatchObject({ kind: 'ok' });
    expect(rig.reported).toHaveLength(1);
    await makeRoom(rig);
    const ledger = await rig.ledger();
    expect(ledger.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  it('is one end, also if its first sending did arrive', async () => {
    let isLost = false;
    const act: Desk['act'] = () => {
      isLost = true;
      return undefined;
    };
    const rig: Rig = openRig({
      desk: { runs: [], act },
      around: async (send) => {
        const answer = await send();
        if (!isLost) return answer;
        isLost = false;
        throw new Error('The answer was lost.');
      },
    });
    expect(await keep(rig)).toMatchObject({ kind: 'ok' });
    const [first, ...more] = await rig.ledger();
    expect(first).toMatchObject({ outcome: 'ok' });
    expect(more).toEqual([]);
    expect(await rig.inGate((sql) => sql.exec('SELECT seq FROM call_end').toArray())).toEqual([{ seq: 1 }]);
  });
});

describe('a call that the gate let in while its answer was lost', () => {
  /** A rig in which the answer to the message of that number is lost. */
  const losing = (at: number) => {
    let messages = 0;
    return openRig({
      around: async (send) => {
        const answer = await send();
        if (messages++ === at) throw new Error('The answer was lost.');
        return answer;
      },
    });
  };

  it.each(['desk_keep', 'desk_look'])('has one line, which says that it failed: %s', async (tool) => {
    const rig = losing(0);
    expect(failureIn(await sendBy('rest', rig, { tool })).code).toBe('internal_error');
    expect(rig.desk.runs).toEqual([]);
    expect(await rig.ledger()).toMatchObject([{ decision: 'allowed', code: 'internal_error' }]);
    // Nothing but its end is there once more.
    expect(await rig.ledger()).toHaveLength(1);
    expect(await rig.inGate((sql) => sql.exec('SELECT seq FROM call_end').toArray())).toEqual([{ seq: 1 }]);
  });

  it('has one line also if its end comes twice', async () => {
    let messages = 0;
    const rig = openRig({
      around: async (send) => {
        const answer = await send();
        // First what the gate said of the call, and then that it has heard of its end.
        if (messages++ < 2) throw new Error('The answer was lost.');
        return answer;
      },
    });
    await keep(rig, 'a');
    await rig.settled();
    expect(await keep(rig, 'b')).toMatchObject({ kind: 'ok' });
    const ledger = await rig.ledger();
    expect(ledger.map(({ code }) => code)).toEqual([null, 'internal_error']);
    expect(messages).toBeGreaterThan(3);
  });

  it('has a line of its own if the gate never got it', async () => {
    let messages = 0;
    const rig = openRig({
      around: async (send) => {
        if (messages++ === 0) throw new Error('The message was lost.');
        return send();
      },
    });
    await keep(rig);
    expect(await rig.ledger()).toMatchObject([{ decision: 'refused', code: 'internal_error' }]);
  });
});
