import { expect, it } from 'vitest';
import { type Group, tool } from '../../../contracts/contract.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { ask } from '../../../src/joined/ask.ts';
import { joinedOffer } from '../../support/joined-server.ts';
import { everyone, reading } from '../../support/tools.ts';

const door = { ...NO_LEDGER, newCallId: () => 'call', admit: () => ADMITTED, report: () => undefined };
const tools = toolSet(
  { 'note.read': tool({ ...reading, name: 'note.read', group: 'memory' }) },
  { 'note.read': (_, call) => call.ok({ text: 'kept' }) },
  door,
  {},
);

/** The names that the planner gets to choose from. */
async function offered(off: readonly Group[]): Promise<boolean> {
  let list = '';
  await ask('What is kept?', false, everyone, {
    tools,
    joined: joinedOffer(new Map(), off),
    chat: async ({ messages }) => {
      list = JSON.stringify(messages);
      return { kind: 'said', text: '{"tool":null,"why":"nothing fits"}' };
    },
  });
  return list.includes('note_read');
}

it('offers a question no tool of a group that is switched off', async () => {
  expect(await offered(['web'])).toBe(true);
  expect(await offered(['web', 'memory'])).toBe(false);
});
