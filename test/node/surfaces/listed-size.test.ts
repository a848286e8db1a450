import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { inputSchema, listedOutput, outputSchema } from '../../../src/core/schema.ts';
import { mcpTool, openAiFunction, registryEntry } from '../../../src/surfaces/describe.ts';
import { instructionsHere } from '../../../src/surfaces/instructions.ts';
import { validatorOf } from '../../support/json-schema.ts';

const tools = Object.values(catalogue).map(mcpTool);

/** The bound for name, description and input of a tool, on average. An owner who wants less switches groups off. */
const MAX_TOKENS = 109;
/** The bound for all tools together, however many there are. */
const MAX_TOKENS_IN_ALL = 4_000;
/** The bound for all that travels, in bytes. */
const MAX_BYTES = 30_000;
/** Counted with the o200k vocabulary: 13,921 characters of this list were 3,381 tokens. */
const CHARS_A_TOKEN = 4.11;

// Every model reads the list before every conversation, and its owner pays for that.
describe('the list of tools', () => {
  it('stays short: what a model reads, and what travels', () => {
    const read = tools.map(({ name, description, inputSchema: input }) => ({ name, description, input }));
    const tokens = JSON.stringify(read).length / CHARS_A_TOKEN;
    expect(tokens).toBeLessThan(Math.min(tools.length * MAX_TOKENS, MAX_TOKENS_IN_ALL));
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(MAX_BYTES);
  });

  it.each(Object.values(catalogue))('of $wireName names every field that a call may have', (contract) => {
    const listed = mcpTool(contract).inputSchema as { properties?: object; required?: string[] };
    const whole = inputSchema(contract) as { properties?: object; required?: string[] };
    expect(Object.keys(listed.properties ?? {})).toEqual(Object.keys(whole.properties ?? {}));
    expect(listed.required).toEqual(whole.required);
    expect(openAiFunction(contract).function.parameters).toEqual(listed);
    const limits = /"(minLength|maxLength|pattern|format|listed|additionalProperties)":(?!\{)/;
    expect(JSON.stringify(listed)).not.toMatch(limits);
  });

  it('leaves the fields that most tools share to the instructions, and bans no other field', () => {
    const { machine, root, repeat, idempotency_key, reason } = (mcpTool(catalogue.create_file).inputSchema
      .properties ?? {}) as Record<string, { description?: string }>;
    expect([machine, idempotency_key, repeat]).toEqual([
      { type: 'string' },
      { type: 'string' },
      { type: 'boolean' },
    ]);
    expect([root?.description, reason?.description]).toEqual(['An open folder.', 'Why, for the owner.']);
    const told = instructionsHere([]);
    for (const field of ['machine', 'root', 'repeat', 'idempotency_key'])
      expect(told).toContain(`\`${field}\``);
    // Calls are checked against the whole, and a person reads the whole.
    const whole = JSON.stringify(inputSchema(catalogue.create_file));
    for (const part of ['"additionalProperties":false', 'default: the only one online'])
      expect(whole).toContain(part);
  });

  it('has the names and types of an answer’s fields, and nothing else of them', () => {
    for (const { outputSchema: output } of tools) {
      for (const field of Object.values(output?.properties ?? {})) {
        expect(field).toHaveProperty('type');
        expect(Object.keys(field).filter((key) => key !== 'type' && key !== 'items')).toEqual([]);
      }
    }
  });

  it.each(Object.values(catalogue))(
    'takes every answer that $wireName may give',
    ({ examples, ...contract }) => {
      const fits = validatorOf(listedOutput({ ...contract, examples }));
      for (const { output } of examples) expect(fits(output)).toBe(true);
    },
  );

  it('names the contract where it has another name, and an approval where there is one', () => {
    const [search, load, read] = [catalogue['search.web'], catalogue['mlx.load'], catalogue.read_file];
    expect([search, load, read].map((contract) => mcpTool(contract)._meta)).toEqual([
      { 'dev.bowline/contract': 'search.web', 'dev.bowline/risk': 'read_only' },
      {
        'dev.bowline/contract': 'mlx.load',
        'dev.bowline/risk': 'dangerous',
        'dev.bowline/approval': 'ask',
      },
      { 'dev.bowline/risk': 'read_only' },
    ]);
  });

  it('keeps what only people read for the registry', () => {
    const entry = registryEntry(catalogue.create_file);
    expect(entry.description).toContain('The owner approves each call.');
    expect(mcpTool(catalogue.create_file).description).not.toContain('The owner approves each call.');
    expect([entry.inputSchema, entry.outputSchema]).toEqual([
      inputSchema(catalogue.create_file),
      outputSchema(catalogue.create_file),
    ]);
  });
});
