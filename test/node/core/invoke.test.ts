import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type AnyContract, tool } from '../../../contracts/contract.ts';
import { doorFailure } from '../../../src/core/failure.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { invoke } from '../../../src/core/invoke.ts';
import { call, everyone, failureIn, reading, WatchedDoor, wrecking, writing } from '../../support/tools.ts';

const read: Handler<typeof reading, undefined> = ({ id }, { ok }) => ok({ text: id });

describe('a call', () => {
  it('is parsed, then admitted, then run, then parsed again, then settled', async () => {
    const door = new WatchedDoor();
    const step = (name: string) => () => {
      door.log.push(name);
      return true;
    };
    const contract = tool({
      ...reading,
      input: z.strictObject({ id: z.string().refine(step('parse input')).describe('Which.') }),
      output: z.strictObject({ text: z.string().refine(step('parse output')).describe('What.') }),
    });
    const scopes = new Set(everyone.scopes);
    const has = vi.spyOn(scopes, 'has').mockImplementation(step('scope'));
    const result = await call(
      door,
      contract,
      ({ id }, { ok }) => {
        door.log.push('run');
        return ok({ text: id });
      },
      { id: 'ab' },
      { scopes },
    );
    expect(result).toEqual({ kind: 'ok', output: { text: 'ab' } });
    expect(door.log).toEqual(['parse input', 'scope', 'admit', 'run', 'parse output', 'settle']);
    expect(has).toHaveBeenCalledExactlyOnceWith('read');
  });

  it('reaches the gate and the handler with defaults filled in', async () => {
    const door = new WatchedDoor();
    const handler = vi.fn(read);
    await call(door, reading, handler);
    expect(handler.mock.calls[0]?.[0]).toEqual({ id: 'ab', copies: 1 });
    expect(door.admitted).toMatchObject([
      { callId: 'call_1', contract: reading, input: { id: 'ab', copies: 1 }, caller: everyone },
    ]);
    expect(door.settled[0]?.call).toBe(door.admitted[0]);
  });

  it('tells the handler its own id, who calls, and the ports of its side', async () => {
    const handler = vi.fn(read);
    await call(new WatchedDoor(), reading, handler, { id: 'ab' }, { principal: 'ada' });
    expect(handler.mock.calls[0]?.[1]).toMatchObject({ id: 'call_1', caller: { principal: 'ada' } });
    expect(handler.mock.calls[0]).toHaveLength(3);
  });

  it('without arguments is a call with an empty object, which null is not', async () => {
    const contract = tool({ ...reading, input: z.strictObject({}) });
    const handler = vi.fn<Handler<typeof contract, undefined>>((_, { ok }) => ok({ text: '' }));
    const send = (args: unknown) => invoke(contract, handler, args, everyone, new WatchedDoor(), undefined);
    expect(await send(undefined)).toMatchObject({ kind: 'ok' });
    expect(handler.mock.calls[0]?.[0]).toEqual({});
    for (const args of [null, [], 'text', 0]) {
      expect(failureIn(await send(args)).message).toBe('The argument object must be an object.');
    }
    expect(handler).toHaveBeenCalledOnce();
  });
});

describe('arguments that do not fit', () => {
  it('never reach the gate or the handler, and are settled as they were sent', async () => {
    const door = new WatchedDoor();
    const handler = vi.fn(read);
    const result = await call(door, reading, handler, { id: 'ab', copies: 9 });
    expect(failureIn(result)).toMatchObject({ code: 'invalid_input', http_status: 400 });
    expect(handler).not.toHaveBeenCalled();
    expect(door.log).toEqual(['settle']);
    expect(door.settled[0]?.call.input).toEqual({ id: 'ab', copies: 9 });
    expect(door.settled[0]?.result).toBe(result);
  });

  it('are named by the contract where it has a name for the field', async () => {
    const failure = failureIn(await call(new WatchedDoor(), reading, read, { id: 'a' }));
    expect(failure).toEqual({
      code: 'bad_id',
      http_status: 422,
      message: '`id` must have at least 2 characters.',
      suggestion: 'Use two to eight letters.',
    });
  });

  it('that make the schema itself fail are an internal error, settled like any other', async () => {
    const door = new WatchedDoor();
    const contract = tool({
      ...reading,
      input: z.strictObject({
        id: z
          .string()
          .refine((id) => new URL(id))
          .describe('Which.'),
      }),
    });
    const result = await call(door, contract, ({ id }, { ok }) => ok({ text: id }), { id: 'no url' });
    expect(failureIn(result)).toMatchObject({ code: 'internal_error', call_id: 'call_1' });
    expect(JSON.stringify(result)).not.toContain('URL');
    expect(door.log).toEqual(['report', 'settle']);
    expect(door.settled[0]?.call.input).toEqual({ id: 'no url' });
  });

  it('that are of the wrong type are not called missing', async () => {
    const failure = failureIn(await call(new WatchedDoor(), reading, read, { id: 'ab', copies: '3' }));
    expect(failure.message).toBe('`copies` must be a number.');
    const missing = failureIn(await call(new WatchedDoor(), reading, read, {}));
    expect(missing.message).toBe('`id` is required.');
  });
});

describe('scopes', () => {
  const tools: [AnyContract, 'read' | 'write' | 'machine'][] = [
    [reading, 'read'],
    [writing, 'write'],
    [wrecking, 'machine'],
    [tool({ ...reading, runsOn: 'machine' }), 'machine'],
    [tool({ ...wrecking, runsOn: 'gateway' }), 'write'],
  ];
  const run: Handler<AnyContract, undefined> = () => ({ kind: 'ok', output: { text: 'ran' } });

  it.each(tools)('%o needs exactly one', async (contract, scope) => {
    const alone = await call(new WatchedDoor(), contract, run, { id: 'ab' }, { scopes: new Set([scope]) });
    expect(alone).toMatchObject({ kind: 'ok', output: { text: 'ran' } });
    const others = new Set(everyone.scopes);
    others.delete(scope);
    const handler = vi.fn(run);
    const door = new WatchedDoor();
    const refused = failureIn(await call(door, contract, handler, { id: 'ab' }, { scopes: others }));
    expect(refused).toMatchObject({ code: 'insufficient_scope', http_status: 403 });
    expect(refused.message).toContain(`\`${scope}\`, which ${contract.wireName} needs`);
    expect(handler).not.toHaveBeenCalled();
    expect(door.log).toEqual(['settle']);
  });
});

describe('the gate', () => {
  it('ends a call with its own word, and the handler does not run', async () => {
    const door = new WatchedDoor();
    const refusal = { kind: 'failed', failure: doorFailure('rate_limited', { retryAfter: 7 }) } as const;
    door.admission = async () => refusal;
    const handler = vi.fn(read);
    const result = await call(door, reading, handler);
    expect(result).toBe(refusal);
    expect(handler).not.toHaveBeenCalled();
    expect(door.log).toEqual(['admit', 'settle']);
  });

  it('may answer with an earlier outcome or with a question', async () => {
    for (const earlier of [
      { kind: 'ok', output: { text: 'from before' } },
      { kind: 'needs_input', requests: {}, state: 's' },
    ] as const) {
      const door = new WatchedDoor();
      door.admission = () => earlier;
      expect(await call(door, writing, ({ id }, { ok }) => ok({ text: id }))).toEqual(earlier);
      expect(door.settled).toHaveLength(1);
    }
  });

  it('is waited for before the handler starts', async () => {
    const door = new WatchedDoor();
    const { promise, resolve } = Promise.withResolvers<'admitted'>();
    door.admission = () => promise;
    const handler = vi.fn(read);
    const result = call(door, reading, handler);
    await Promise.resolve();
    expect(handler).not.toHaveBeenCalled();
    resolve('admitted');
    expect(await result).toMatchObject({ kind: 'ok' });
  });
});
