import { afterEach, describe, expect, it, vi } from 'vitest';
import { later } from '../auth/owner.ts';
import { openRig, type Rig } from './rig.ts';
import { failureIn, sendBy } from './ways.ts';

afterEach(() => {
  vi.useRealTimers();
});

const INVALID = { kind: 'refused', code: -32602, message: 'Invalid or expired requestState' };

/** A call that was asked for: the state its client was left with, and the code of its approval. */
async function asked(rig: Rig, sent: { args?: object; as?: string } = {}) {
  const before = rig.announced.all.length;
  const answer = await sendBy('url', rig, sent);
  if (answer.kind !== 'asked') throw new Error(`expected a question, got ${JSON.stringify(answer)}`);
  const { code, id } = await rig.announced.nth(before + 1);
  return { state: answer.state, code, id };
}

/** What a state says, and one that says something else under the same signature. */
function opened(state: string) {
  const [version = '', body = '', mac = ''] = state.split('.');
  const said = JSON.parse(Buffer.from(body, 'base64url').toString());
  const saying = (other: object) =>
    [version, Buffer.from(JSON.stringify(other)).toString('base64url'), mac].join('.');
  return { said, saying };
}

describe('a state that was not given out', () => {
  const forgeries: [what: string, forge: (state: string) => unknown][] = [
    ['empty', () => ''],
    ['words', () => 'approved'],
    ['the id of the approval', (state) => opened(state).said.p.state],
    ['a letter less', (state) => state.slice(0, -1)],
    ['without its signature', (state) => state.slice(0, state.lastIndexOf('.'))],
    ['with an empty signature', (state) => state.slice(0, state.lastIndexOf('.') + 1)],
    ['with a letter of its body changed', (state) => state.replace(/^(v1\..{20})./, '$1_')],
    ['of another version', (state) => state.replace('v1.', 'v2.')],
    ['in a longer life', (state) => opened(state).saying({ ...opened(state).said, exp: 9e9 })],
    [
      'for somebody else',
      (state) =>
        opened(state).saying({ ...opened(state).said, p: { ...opened(state).said.p, principal: 'bob' } }),
    ],
    ['two of them', (state) => `${state}.${state}`],
    ['a million letters', () => 'v1.'.padEnd(1_000_000, 'A')],
  ];

  it.each(forgeries)('opens nothing: %s', async (_, forge) => {
    const rig = openRig();
    const { state, code } = await asked(rig);
    await rig.decide(code);
    expect(await sendBy('url', rig, { state: forge(state) })).toMatchObject(INVALID);
    expect(rig.desk.runs).toEqual([]);
    expect(await rig.gate().approval(code)).toMatchObject({ state: 'approved' });
  });

  it.each([[null], [5], [true], [['v1']], [{ state: 'x' }]])('is refused if it is %j', async (state) => {
    const rig = openRig();
    const { code } = await asked(rig);
    await rig.decide(code);
    expect(await sendBy('url', rig, { state })).toMatchObject({ kind: 'refused' });
    expect(rig.desk.runs).toEqual([]);
  });

  it('opens nothing if it is signed with another key', async () => {
    const desk = { runs: [] };
    const rig = openRig({ desk });
    const forger = openRig({ name: rig.name, desk, signedWith: 'another key of more than thirty-two bytes' });
    const { code } = await asked(rig);
    const { state } = await asked(forger, { args: { path: 'b' } });
    await rig.decide(code);
    expect(await sendBy('url', rig, { state, args: { path: 'b' } })).toMatchObject(INVALID);
    expect(desk.runs).toEqual([]);
  });
});

describe('a state', () => {
  it('is good in another isolate of the same gateway', async () => {
    const rig = openRig();
    const { state, code } = await asked(rig);
    await rig.decide(code);
    const other = openRig({ name: rig.name, desk: rig.desk });
    expect(await sendBy('url', other, { state })).toMatchObject({ kind: 'ok', text: 'run 1' });
  });

  it('is worth nothing to anybody else, who cannot say no with it either', async () => {
    const rig = openRig();
    const { state, code } = await asked(rig);
    const responses = { approval: { action: 'decline' } };
    expect(await sendBy('url', rig, { state, responses, as: 'mallory' })).toMatchObject(INVALID);
    expect(await rig.gate().approval(code)).toMatchObject({ state: 'pending' });
    await rig.decide(code);
    expect(await sendBy('url', rig, { state, as: 'mallory' })).toMatchObject(INVALID);
    expect(rig.desk.runs).toEqual([]);
  });

  it('is not taken for the approval of another call of the same caller', async () => {
    const rig = openRig();
    const one = await asked(rig);
    const other = await asked(rig, { args: { path: 'b' } });
    await rig.decide(one.code);
    const retry = sendBy('url', rig, { state: other.state, args: { path: 'a' } });
    expect(failureIn(await retry)).toMatchObject({ code: 'approval_mismatch' });
    expect(rig.desk.runs).toEqual([]);
  });

  it('is over long after its approval', async () => {
    const rig = openRig();
    const { state } = await asked(rig);
    later(24 * 60 * 60_000);
    expect((await sendBy('url', rig, { state })).kind).not.toBe('ok');
    expect(rig.desk.runs).toEqual([]);
  });
});

describe('an answer to the question, in whatever shape, lets nothing run', () => {
  const yes = { action: 'accept', content: { approved: true } };
  const answers: [what: string, responses: unknown][] = [
    ['none', {}],
    ['null', { approval: null }],
    ['a word', { approval: 'accept' }],
    ['a list', { approval: [yes] }],
    ['an action that there is not', { approval: { action: 'approve' } }],
    ['an action that is no word', { approval: { action: { accept: true } } }],
    ['no action', { approval: { content: { approved: true } } }],
    ['a yes under another name', { approved: yes, 'approval ': yes, Approval: yes }],
    ['a no under another name', { other: { action: 'decline' } }],
    ['a no in capitals', { approval: { action: 'DECLINE' } }],
    ['a prototype', JSON.parse('{"__proto__":{"approval":{"action":"decline"}}}')],
    ['a constructor', { constructor: { prototype: yes }, toString: 'x', approval: yes }],
    ['not an object', 'accept'],
    ['a list of answers', [yes]],
    ['a thousand answers', Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`q${i}`, yes]))],
  ];

  it.each(answers)('%s', async (_, responses) => {
    const rig = openRig();
    const { state, code } = await asked(rig);
    const answer = sendBy('url', rig, { state, responses });
    await Promise.race([answer, rig.holds.nth(1)]);
    expect(await rig.gate().approval(code)).toMatchObject({ state: 'pending', decidedAt: null });
    expect(rig.desk.runs).toEqual([]);
    await rig.decide(code, 'deny');
    expect((await answer).kind).not.toBe('ok');
    expect(rig.desk.runs).toEqual([]);
  });

  it.each(answers)('nor without a state: %s', async (_, responses) => {
    const rig = openRig();
    const answer = sendBy('url', rig, { responses });
    await Promise.race([answer, rig.holds.nth(1)]);
    expect(rig.desk.runs).toEqual([]);
    for (const { code } of await rig.gate().approvals('pending')) await rig.decide(code, 'deny');
    expect((await answer).kind).not.toBe('ok');
  });
});
