import { describe, expect, it, vi } from 'vitest';
import type { Handler } from '../../../src/core/handler.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { everyone, reading, WatchedDoor, wrecking, writing } from '../../support/tools.ts';

const ok: Handler<typeof reading, { shelf: string }> = ({ id }, call, { shelf }) =>
  call.ok({ text: `${shelf}/${id}` });
const never = () => {
  throw new Error('not to be called');
};

describe('a tool set', () => {
  it('holds its tools by wire name, in the order in which they were named', () => {
    const contracts = { writing, reading, wrecking };
    const handlers = { reading: ok, wrecking: never, writing: never };
    const tools = toolSet(contracts, handlers, new WatchedDoor(), { shelf: 'a' });
    expect([...tools].map(([name, { contract }]) => [name, contract])).toEqual([
      ['shelf_write', writing],
      ['shelf_read', reading],
      ['shelf_burn', wrecking],
    ]);
  });

  it('sends every call through the door, to the handler of its contract, with the ports of its side', async () => {
    const door = new WatchedDoor();
    const tools = toolSet({ reading, writing }, { reading: ok, writing: never }, door, { shelf: 'a' });
    const result = await tools.get('shelf_read')?.call({ id: 'ab' }, everyone);
    expect(result).toEqual({ kind: 'ok', output: { text: 'a/ab' } });
    expect(door.log).toEqual(['admit', 'settle']);
    expect(door.admitted[0]).toMatchObject({ contract: reading, caller: everyone });
    await tools.get('shelf_write')?.call({ id: 'ab' }, everyone);
    expect(door.reported.map(({ error }) => error)).toEqual([new Error('not to be called')]);
  });

  it('refuses two tools of one wire name, as dots and underscores make them', () => {
    const twin = { ...reading, wireName: 'shelf_write' };
    expect(() =>
      toolSet({ twin, writing }, { twin: vi.fn(), writing: vi.fn() }, new WatchedDoor(), {}),
    ).toThrow('Two tools are called shelf_write');
  });
});
