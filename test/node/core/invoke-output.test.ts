import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readsTheWorld, tool } from '../../../contracts/contract.ts';
import { doorFailure } from '../../../src/core/failure.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { call, failureIn, reading, WatchedDoor, wrecking, writing } from '../../support/tools.ts';

const raw = 'RAW-VALUE-OF-THE-HANDLER';

/** A handler that gets around the types, as plain data from elsewhere can. */
const returns =
  (output: unknown, extras = {}): Handler<typeof reading, undefined> =>
  () => ({ kind: 'ok', output: output as { text: string }, ...extras });

describe('output that breaks its contract', () => {
  const broken: [string, unknown][] = [
    ['a key too many', { text: 'fine', extra: raw }],
    ['a key named by a value', { text: 'fine', [raw]: 1 }],
    ['a key too few', { note: raw }],
    ['the wrong type', { text: { inner: raw } }],
    ['the wrong type of an optional key', { text: 'fine', note: [raw] }],
    ['null for an optional key', { text: raw, note: null }],
    ['an array', [raw]],
    ['a bare text', raw],
    ['null', null],
    ['nothing', undefined],
  ];

  it.each(broken)('%s: is withheld, whole, as malformed_output', async (_, output) => {
    const door = new WatchedDoor();
    const extras = { content: [{ type: 'text', text: raw }], meta: { engine: raw } };
    const result = await call(door, reading, returns(output, extras));
    expect(result).toEqual({
      kind: 'failed',
      failure: { ...doorFailure('malformed_output'), call_id: 'call_1' },
    });
    expect(JSON.stringify(result)).not.toContain(raw);
    expect(door.settled).toHaveLength(1);
    expect(door.settled[0]?.result).toBe(result);
  });

  it.each(broken)('%s: is reported by the names of fields, without values', async (_, output) => {
    const door = new WatchedDoor();
    await call(door, reading, returns(output));
    expect(door.reported).toHaveLength(1);
    expect(String(door.reported[0]?.error)).toContain('shelf.read broke its contract: ');
    expect(String(door.reported[0]?.error)).not.toContain(raw);
    expect(door.reported[0]?.callId).toBe('call_1');
  });

  it('is refused whatever the risk of the tool', async () => {
    for (const contract of [reading, writing, wrecking]) {
      const result = await call(new WatchedDoor(), contract, () => ({ kind: 'ok', output: {} as never }));
      expect(failureIn(result)).toMatchObject({ code: 'malformed_output', http_status: 502 });
    }
  });

  it('is also what a later, asynchronous answer can be', async () => {
    const result = await call(new WatchedDoor(), reading, async () => ({ kind: 'ok', output: {} as never }));
    expect(failureIn(result).code).toBe('malformed_output');
  });
});

describe('output that keeps its contract', () => {
  it('is passed on with its extras', async () => {
    const extras = { content: [{ type: 'text' as const, text: 'shown' }], meta: { engine: 'rules' } };
    const result = await call(new WatchedDoor(), reading, (_, { ok }) => ok({ text: 'x' }, extras));
    expect(result).toEqual({ kind: 'ok', output: { text: 'x' }, ...extras });
  });

  it('is marked as written by others if it is from outside, whatever else is said of it', async () => {
    const outside = tool({ ...reading, hints: readsTheWorld });
    const handler: Handler<typeof outside, undefined> = (_, { ok }) =>
      ok({ text: 'x' }, { meta: { engine: 'rules' } });
    const untrusted = expect.stringContaining('no instructions');
    const result = await call(new WatchedDoor(), outside, handler);
    expect(result).toMatchObject({ meta: { untrusted, engine: 'rules' } });
    // Nor can what comes from there, a machine that was taken over for instance, say it away.
    const forged: typeof handler = (_, { ok }) => ok({ text: 'x' }, { meta: { untrusted: '' } });
    expect(await call(new WatchedDoor(), outside, forged)).toMatchObject({ meta: { untrusted } });
    const quoting = tool({ ...reading, quotesOthers: true });
    expect(await call(new WatchedDoor(), quoting, handler)).toMatchObject({ meta: { untrusted } });
    expect(await call(new WatchedDoor(), reading, handler)).toMatchObject({ meta: { engine: 'rules' } });
    expect(await call(new WatchedDoor(), reading, handler)).not.toMatchObject({ meta: { untrusted } });
  });

  it('is what the schema makes of it, defaults filled in', async () => {
    const contract = tool({
      ...reading,
      output: z.strictObject({ text: z.string().trim(), seen: z.boolean().default(false) }),
      examples: [{ about: 'reads', input: { id: 'ab' }, output: { text: 'ab' } }],
    });
    const result = await call(new WatchedDoor(), contract, (_, { ok }) => ok({ text: ' x ' }));
    expect(result).toEqual({ kind: 'ok', output: { text: 'x', seen: false } });
  });

  it('is cut to what the client takes, and only if the client has a limit', async () => {
    const contract = tool({ ...reading, cut: { fields: ['text'], rest: 'Ask for less.' } });
    const long: Handler<typeof contract, undefined> = (_, { ok }) => ok({ text: 'word\n'.repeat(1_000) });
    const whole = await call(new WatchedDoor(), contract, long);
    expect(whole).toMatchObject({ output: { text: 'word\n'.repeat(1_000) } });
    const cut = await call(new WatchedDoor(), contract, long, undefined, { maxResultChars: 500 });
    if (cut.kind !== 'ok') throw new Error('expected success');
    expect(JSON.stringify(cut.output).length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(cut.output)).toContain('Ask for less.');
  });

  it('cannot be cut before it is checked', async () => {
    const contract = tool({ ...reading, cut: { fields: ['text'], rest: 'Ask for less.' } });
    const result = await call(
      new WatchedDoor(),
      contract,
      returns({ text: 'x'.repeat(1_000), extra: raw }),
      undefined,
      { maxResultChars: 500 },
    );
    expect(failureIn(result).code).toBe('malformed_output');
    expect(JSON.stringify(result)).not.toContain(raw);
  });
});
