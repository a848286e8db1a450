import { describe, expect, it } from 'vitest';
import type { Result } from '../../../src/core/call.ts';
import { openRig, type Rig } from './rig.ts';
import { sendBy } from './ways.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;

/** The only row that a new gate's ledger has after one call. */
async function onlyRow(rig: Rig) {
  const rows = await rig.ledger();
  expect(rows).toHaveLength(1);
  const [row] = rows;
  if (!row) throw new Error('expected a row');
  expect(row.id).toMatch(/^call_\d+$/);
  return row;
}

describe('the ledger has one row for a call', () => {
  it('that went well', async () => {
    const rig = openRig();
    await sendBy('rest', rig, { tool: 'desk_keep', args: { path: 'a', machine: 'mini' }, client: 'Claude' });
    expect(await onlyRow(rig)).toEqual({
      seq: 1,
      id: expect.stringMatching(/^call_/),
      at: expect.any(Number),
      principal: 'ada',
      client: 'Claude',
      via: 'rest',
      tool: 'desk_keep',
      machine: 'mini',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      args: '{"content":"","machine":"mini","path":"a","repeat":false}',
      decision: 'allowed',
      because: 'needs no approval',
      outcome: 'ok',
      code: null,
      bytes: '{"text":"run 1"}'.length,
      durationMs: expect.any(Number),
    });
  });

  it('that failed', async () => {
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.fail('full') } });
    await sendBy('mute', rig, { tool: 'desk_look' });
    expect(await onlyRow(rig)).toMatchObject({
      decision: 'allowed',
      outcome: 'failed',
      code: 'full',
      bytes: 0,
    });
  });

  it.each(['desk_look', 'desk_keep'])('of %s that broke in the middle', async (tool) => {
    const rig = openRig({
      desk: {
        runs: [],
        act: () => {
          throw new Error('no');
        },
      },
    });
    await sendBy('rest', rig, { tool });
    expect(await onlyRow(rig)).toMatchObject({ outcome: 'failed', code: 'internal_error' });
  });

  it('that answered with what its contract does not allow', async () => {
    const rig = openRig({ desk: { runs: [], act: () => ({ kind: 'ok', output: { txt: SECRET } }) } });
    await sendBy('rest', rig, { tool: 'desk_look' });
    expect(await onlyRow(rig)).toMatchObject({ outcome: 'failed', code: 'malformed_output' });
  });

  it.each([
    ['does not fit', '{"path":5}', '{"path":"[number]"}'],
    ['is no object', '[1,2]', '{"…":"[list of 2]"}'],
    ['is nothing', 'null', '{"…":"[null]"}'],
  ])('whose input %s', async (_, args, shown) => {
    for (const way of ['rest', 'cli'] as const) {
      const rig = openRig();
      await sendBy(way, rig, { args });
      expect(await onlyRow(rig)).toMatchObject({
        args: shown,
        decision: 'refused',
        because: 'invalid_input',
        outcome: 'failed',
        code: 'invalid_input',
      });
    }
  });

  it('whose caller was not granted the tool', async () => {
    const rig = openRig();
    await sendBy('mute', rig, { caller: { scopes: new Set(['read']) } });
    expect(await onlyRow(rig)).toMatchObject({ decision: 'refused', because: 'insufficient_scope' });
    expect(rig.announced.all).toEqual([]);
  });

  it('that was one too many', async () => {
    const rig = openRig();
    await rig.gate().changeSetting('rates', { desk_look: 0 });
    await sendBy('old', rig, { tool: 'desk_look' });
    expect(await onlyRow(rig)).toMatchObject({ decision: 'refused', code: 'rate_limited' });
  });

  it('that a rule forbade', async () => {
    const rig = openRig();
    const draft = { tool: 'desk_keep', machine: null, effect: 'deny', match: { kind: 'any' } } as const;
    const rest = {
      expiresAt: Date.now() + 1e9,
      maxUses: null,
      note: '',
      examples: { must: [], mustNot: [] },
    };
    await rig.gate().addRule({ ...draft, ...rest }, true);
    await sendBy('rest', rig, { tool: 'desk_keep' });
    expect(await onlyRow(rig)).toMatchObject({ decision: 'refused', because: 'denied_by_rule' });
  });

  it('that the person at the client was asked about', async () => {
    const rig = openRig();
    await sendBy('url', rig);
    expect(await onlyRow(rig)).toMatchObject({ decision: 'refused', outcome: 'asked', code: null });
  });

  it('that the owner refused while it was held', async () => {
    const rig = openRig();
    const answer = sendBy('rest', rig);
    await rig.decide((await rig.announced.nth(1)).code, 'deny');
    await answer;
    expect(await onlyRow(rig)).toMatchObject({ decision: 'refused', code: 'approval_denied' });
  });

  it('that the owner approved while it was held, with the code of the approval', async () => {
    const rig = openRig();
    const answer = sendBy('rest', rig);
    const { code } = await rig.announced.nth(1);
    await rig.decide(code);
    await answer;
    const row = { decision: 'approved', because: `approval ${code}`, outcome: 'ok' };
    expect(await onlyRow(rig)).toMatchObject(row);
  });

  it('that nobody had time to decide', async () => {
    const rig = openRig();
    await sendBy('cli', rig, { caller: { waitsMs: 0 } });
    expect(await onlyRow(rig)).toMatchObject({ decision: 'refused', code: 'approval_required' });
  });

  it('whose caller left before it ran', async () => {
    const rig = openRig();
    await sendBy('cli', rig, { caller: { signal: AbortSignal.abort() } });
    expect(await onlyRow(rig)).toMatchObject({ decision: 'refused', code: 'cancelled' });
  });

  it('that asked the person at the client something itself', async () => {
    const act = (): Result => ({ kind: 'needs_input', requests: {} });
    const rig = openRig({ desk: { runs: [], act } });
    await sendBy('cli', rig, { tool: 'desk_look' }).catch(() => undefined);
    expect(await onlyRow(rig)).toMatchObject({ decision: 'allowed', outcome: 'asked' });
  });
});

describe('what the ledger does not keep', () => {
  it('is secrets, in arguments and in results', async () => {
    const rig = openRig({ desk: { runs: [], act: () => ({ kind: 'ok', output: { text: SECRET } }) } });
    await sendBy('rest', rig, { tool: 'desk_look', args: { path: SECRET, password: 'hunter2' } });
    const args = { path: `x ${SECRET} y`, content: `token=${'s'.repeat(30)}` };
    await sendBy('rest', rig, { tool: 'desk_keep', args });
    await sendBy('rest', rig, { tool: 'desk_keep', args: { path: SECRET, wrong: { api_key: SECRET } } });
    const rows = (await rig.ledger()).map((row) => JSON.parse(row.args));
    expect(rows[2]).toEqual({ path: '[redacted:github-token]', password: '[redacted:secret]' });
    expect(rows[1]).toMatchObject({
      path: 'x [redacted:github-token] y',
      content: 'token=[redacted:secret]',
    });
    const kept = await rig.inGate((sql) =>
      sql.exec('SELECT * FROM call JOIN call_end USING (seq)').toArray(),
    );
    expect(JSON.stringify(kept)).not.toContain(SECRET.slice(4));
    expect(JSON.stringify(kept)).toContain('{\\"text\\":\\"[redacted:github-token]\\"}');
  });

  it('is more than the beginning of long texts', async () => {
    const rig = openRig();
    await sendBy('rest', rig, { tool: 'desk_keep', args: { path: 'a', content: `x${'😀'.repeat(1_500)}` } });
    const { content } = JSON.parse((await onlyRow(rig)).args);
    expect(content).toBe(`x${'😀'.repeat(999)}\ufffd… [3001 characters]`);
  });

  it.each([
    ['a list of texts', { path: Array(2_000).fill('x'.repeat(1_900)) }],
    [
      'an object of texts',
      Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, 'y'.repeat(1_900)])),
    ],
    // More values than these are refused before anything is parsed.
    ['a list of numbers', { path: Array(99_000).fill(123_456_789_012_345) }],
    ['a long name', { ['z'.repeat(3_000_000)]: 1 }],
  ])('is the whole of arguments as long as a body may be: %s', async (_, args) => {
    const rig = openRig();
    await sendBy('rest', rig, { tool: 'desk_look', args });
    const row = await onlyRow(rig);
    expect(row).toMatchObject({ code: 'invalid_input' });
    expect(row.args.length).toBeLessThan(3_000);
  });

  it('is any value of input that does not fit its schema', async () => {
    const rig = openRig();
    const args = {
      path: 7,
      wrong: { api: 'private' },
      list: [1, 2],
      content: 'private text',
      machine: 'private',
    };
    await sendBy('rest', rig, { tool: 'desk_keep', args });
    const row = await onlyRow(rig);
    expect(JSON.parse(row.args)).toEqual({
      path: '[number]',
      wrong: '[object of 1 fields]',
      list: '[list of 2]',
      content: '[text of 12 characters]',
      machine: '[text of 7 characters]',
    });
    expect(JSON.stringify(row)).not.toContain('private');
  });

  it('is the name of a field that is a secret', async () => {
    const rig = openRig();
    await sendBy('rest', rig, { tool: 'desk_keep', args: { [SECRET]: 1 } });
    expect(JSON.parse((await onlyRow(rig)).args)).toEqual({ '[redacted:github-token]': '[number]' });
  });
});

it('knows the last call on a machine, since a time', async () => {
  const rig = openRig();
  const send = (path: string, machine: string) =>
    sendBy('rest', rig, { tool: 'desk_keep', args: { path, machine } });
  for (const [path, machine] of [
    ['a', 'mini'],
    ['b', 'mini'],
    ['c', 'maxi'],
  ] as const)
    await send(path, machine);
  const [, second] = await rig.ledger();
  if (!second) throw new Error('expected three rows');
  expect(second).toMatchObject({ machine: 'mini', args: expect.stringContaining('"b"') });
  const last = (name: string, since: number) => rig.gate().lastCallOn({ id: `m_${name}`, name, since });
  expect(await last('mini', 0)).toEqual(second);
  expect(await last('mini', second.at)).toEqual(second);
  expect(await last('mini', second.at + 1)).toBeNull();
  expect(await last('mini2', 0)).toBeNull();
});
