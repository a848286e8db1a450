import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyContract } from '../../contracts/contract.ts';
import { catalogue } from '../../contracts/index.ts';
import { localContracts } from '../../local-bridge/cli/ports.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { type BadInput, badInputs } from '../support/bad-inputs.ts';
import { before, examplesWith, freshFolder } from './stand-ins.ts';
import { modelPort, root, settings, type Way, ways } from './ways.ts';

const atTheGateway = Object.values(catalogue).map(({ wireName }) => wireName);
/** The way whose every call is a process of its own, which takes a hundred times as long. */
const COMMAND_LINE = 'command line';
const onThisComputer = localContracts.map(({ wireName }) => wireName);

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

  it('knows no other tool', async () => {
    const outcome = await way.call('no_such_tool', {});
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'unknown_tool', http_status: 404 } });
  });

  const all = contracts.map((contract) => {
    return { contract, examples: examplesOver(name, contract), refused: refusedOver(name, contract) };
  });
  const tried = all.filter(({ examples, refused }) => examples.length + refused.length > 0);

  describe.each(tried)('$contract.wireName', ({ contract, examples, refused }) => {
    it.each(examples)('example: $about', async (example) => {
      freshFolder(root);
      for (const [tool, input] of before(contract.wireName, example.input)) {
        const made = await way.call(tool, input);
        expect(made.ok || made.failure).toBe(true);
      }
      const outcome = await way.call(contract.wireName, asNew(contract, example.input));
      expect(outcome.ok || outcome.failure).toBe(true);
      const output = outcome.ok ? outcome.output : undefined;
      expect(contract.output.safeParse(output).error).toBeUndefined();
      expect(without(output, example.varies)).toEqual(without(example.output, example.varies));
    });

    it.each(refused)('refuses: $about', async ({ field, input }) => {
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

/** The examples to try over one way. Over the command line it is one of each tool, except at length. */
function examplesOver(way: string, contract: AnyContract): AnyContract['examples'][number][] {
  const examples = examplesWith(contract, { origin: settings.DEV_FETCH_ORIGINS, modelPort });
  return way === COMMAND_LINE && !AT_LENGTH ? examples.slice(0, 1) : examples;
}

/**
 * The bad inputs to try over one way. A command is a process of its own each time and sends on what it is given, as REST
 * does. So over the command line some tools get one of them. At length each does, and together they get every kind.
 */
function refusedOver(way: string, contract: AnyContract): readonly BadInput[] {
  const bad = badInputs(contract);
  if (way !== COMMAND_LINE) return bad;
  const turn = atTheGateway.indexOf(contract.wireName) / (AT_LENGTH ? 1 : 4);
  const one = Number.isInteger(turn) ? bad[turn % bad.length] : undefined;
  return one ? [one] : [];
}

/** The input, run again although another way in has just asked for the same. */
function asNew({ risk }: AnyContract, input: unknown): unknown {
  return risk === 'read_only' ? input : { ...(input as object), repeat: true };
}

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
