import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyContract } from '../../contracts/contract.ts';
import { catalogue } from '../../contracts/index.ts';
import { badInputs } from '../support/bad-inputs.ts';
import { type Way, ways } from './ways.ts';

/** Tools whose handlers exist; the others are promised in the catalogue but not yet offered. */
const atTheGateway = ['hello', 'read_repo_file', 'write_memory_entry'];
const onThisComputer = ['hello'];
/** Their examples are of a repo that was mirrored, and nothing mirrors one yet. */
const needsMirror = ['read_repo_file'];

describe.each(ways)('$name', ({ name, open }) => {
  const offered = name === 'MCP over stdio' ? onThisComputer : atTheGateway;
  const contracts: AnyContract[] = Object.values(catalogue).filter((c) => offered.includes(c.wireName));
  let way: Way;
  beforeAll(async () => {
    way = await open();
  });
  afterAll(() => way?.close());

  it('lists what has a handler and nothing else', async () => {
    expect(await way.list()).toEqual(offered);
  });

  it('knows no tool that is only promised', async () => {
    const outcome = await way.call('run_in_terminal', { command: 'id' });
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'unknown_tool', http_status: 404 } });
  });

  describe.each(contracts)('$wireName', (contract) => {
    const examples = needsMirror.includes(contract.wireName) ? [] : contract.examples;
    it.each(examples)('example: $about', async (example) => {
      const outcome = await way.call(contract.wireName, example.input);
      expect(outcome).toMatchObject({ ok: true });
      const output = outcome.ok ? outcome.output : undefined;
      expect(contract.output.safeParse(output).error).toBeUndefined();
      expect(without(output, example.varies)).toEqual(without(example.output, example.varies));
    });

    it.each(badInputs(contract))('refuses: $about', async ({ field, input }) => {
      const outcome = await way.call(contract.wireName, input);
      expect(outcome).toEqual({
        ok: false,
        failure: {
          code: contract.inputErrors?.[field] ?? 'invalid_input',
          http_status: 400,
          message: expect.stringContaining(`\`${field}\``),
          suggestion: expect.stringMatching(/\.$/),
        },
      });
    });
  });
});

function without(value: unknown, varies: readonly string[] = []): unknown {
  const copy = structuredClone(value);
  for (const path of varies) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const owner = keys.reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], copy);
    if (typeof owner === 'object' && owner !== null) delete (owner as Record<string, unknown>)[last];
  }
  return copy;
}
