import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/core/call.ts';
import type { AskedCard } from '../../../src/gate/card-state.ts';
import { cardOffer } from '../../../src/surfaces/card-calls.ts';
import { callerNamed, deskSet, placeAsTold } from '../../support/gate-tools.ts';

/** The cards' side over the desk, and what it asks machines and the gate. */
function offer() {
  const placed: string[] = [];
  const asked: AskedCard[] = [];
  const ports = {
    gate: () => {
      throw new Error('Cards call no tool.');
    },
    origin: 'http://localhost',
    place: placeAsTold,
    newCallId: () => 'call_1',
    later: () => undefined,
    announce: async () => undefined,
    report: () => undefined,
  };
  const tools = deskSet(ports, { runs: [] });
  const { follow } = cardOffer({
    gate: () => ({
      card: async (card) => {
        asked.push(card);
        return null;
      },
    }),
    find: async (name) => tools.get(name),
    place: (contract, ...rest) => {
      placed.push(contract.wireName);
      return placeAsTold(contract, ...rest);
    },
    origin: 'http://localhost',
    page: async () => '',
  });
  const ask = (caller: Caller) => follow({ tool: 'desk_burn', arguments: { path: 'a' } }, caller);
  return { ask, placed, asked };
}

describe('a card that asks by a tool', () => {
  it('has no machine found for a caller who may not call it', async () => {
    const { ask, placed, asked } = offer();
    const none = { kind: 'ok', output: { state: 'none' } };
    expect(await ask(callerNamed('ada', { scopes: new Set(['read', 'write']) }))).toEqual(none);
    expect([placed, asked]).toEqual([[], []]);
    expect(await ask(callerNamed('ada'))).toEqual(none);
    expect([placed, asked.length]).toEqual([['desk_burn'], 1]);
  });
});
