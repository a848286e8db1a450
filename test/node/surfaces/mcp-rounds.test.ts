import { inputRequired } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readsOnly, tool } from '../../../contracts/contract.ts';
import { admitWithoutGate, NO_LEDGER } from '../../../src/core/admit.ts';
import { type ToolSet, toolSet } from '../../../src/core/tools.ts';
import { endpoint, stateKey } from '../../support/mcp-endpoint.ts';

describe('the state of a question', () => {
  const send = endpoint({ tools: asking('ask_one', 'ask_two'), stateKey });
  const inputResponses = { ok: { action: 'accept', content: {} } };
  const stateOf = async (name: string) => (await send('tools/call', { name })).result?.requestState;

  it('comes back to the tool that gave it out', async () => {
    const requestState = await stateOf('ask_one');
    const { result } = await send('tools/call', { name: 'ask_one', inputResponses, requestState });
    expect(result?.structuredContent).toEqual({ text: 'remembered ask_one' });
  });

  it.each([
    ['at another tool', 'ask_two', 'ada', ''],
    ['from somebody else', 'ask_one', 'eve', ''],
    ['changed', 'ask_one', 'ada', 'x'],
  ])('is refused %s', async (_, name, as, change) => {
    const requestState = `${await stateOf('ask_one')}${change}`;
    const { error } = await send('tools/call', { name, inputResponses, requestState }, { as });
    expect(error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
  });

  it('is neither given out nor taken without a key', async () => {
    const reported: unknown[] = [];
    const keyless = endpoint({ tools: asking('ask_one'), report: (error) => void reported.push(error) });
    expect((await keyless('tools/call', { name: 'ask_one' })).error?.code).toBe(-32603);
    const requestState = await stateOf('ask_one');
    const { error } = await keyless('tools/call', { name: 'ask_one', inputResponses, requestState });
    expect(error?.code).toBe(-32602);
    expect(reported.map(String).join()).toContain('no key to sign it with');
  });

  it('is not for clients of 2025, who are told to come back', async () => {
    const { result } = await send('tools/call', { name: 'ask_one' }, { era: 2025 });
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'dev.bowline/error': { code: 'approval_required' } },
    });
  });
});

/** Tools that ask once and then say what they remember. */
function asking(...names: string[]): ToolSet {
  const contracts = names.map((name) =>
    tool({
      name,
      title: name,
      description: 'Asks, and remembers.',
      runsOn: 'gateway',
      risk: 'read_only',
      approval: 'never',
      limits: { perMinute: 10, timeoutMs: 1_000 },
      hints: readsOnly,
      input: z.strictObject({}),
      output: z.strictObject({ text: z.string().describe('What it says.') }),
      errors: {},
      examples: [{ about: 'asks', input: {}, output: { text: '' } }],
    }),
  );
  const tools = contracts.map((contract) =>
    toolSet(
      { contract },
      {
        contract(_, call) {
          const { state } = call.caller.answers ?? {};
          if (state) return call.ok({ text: `remembered ${state}` });
          const requestedSchema = z.object({ yes: z.boolean().optional() });
          return call.ask(
            { ok: inputRequired.elicit({ message: 'Really?', requestedSchema }) },
            contract.name,
          );
        },
      },
      { ...NO_LEDGER, newCallId: () => 'call', admit: admitWithoutGate, report: () => undefined },
      {},
    ),
  );
  return new Map(tools.flatMap((set) => [...set]));
}
