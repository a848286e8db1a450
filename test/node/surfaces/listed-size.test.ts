import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { inputSchema } from '../../../src/core/schema.ts';
import { mcpTool, openAiFunction } from '../../../src/surfaces/describe.ts';

const tools = Object.values(catalogue).map(mcpTool);

/** The bound for name, description and input of a tool, on average. An owner who wants less switches groups off. */
const MAX_TOKENS = 180;
/** The bound for all that travels of a tool, on average. */
const MAX_CHARS = 1_700;
/** Counted with the o200k vocabulary: 18,938 characters of this list were 4,400 tokens. */
const CHARS_A_TOKEN = 4.3;

// Every model reads the list before every conversation, and its owner pays for that.
describe('the list of tools', () => {
  it('stays short: what a model reads, and what travels', () => {
    const read = tools.map(({ name, description, inputSchema: input }) => ({ name, description, input }));
    expect(JSON.stringify(read).length).toBeLessThan(tools.length * MAX_TOKENS * CHARS_A_TOKEN);
    expect(JSON.stringify(tools).length).toBeLessThan(tools.length * MAX_CHARS);
  });

  it.each(Object.values(catalogue))('of $wireName names every field that a call may have', (contract) => {
    const listed = mcpTool(contract).inputSchema as { properties?: object; required?: string[] };
    const whole = inputSchema(contract) as { properties?: object; required?: string[] };
    expect(Object.keys(listed.properties ?? {})).toEqual(Object.keys(whole.properties ?? {}));
    expect(listed.required).toEqual(whole.required);
    expect(openAiFunction(contract).function.parameters).toEqual(listed);
    for (const field of Object.values(listed.properties ?? {})) {
      for (const limit of ['minLength', 'maxLength', 'pattern']) expect(field).not.toHaveProperty(limit);
    }
  });

  it('explains the fields that most tools share in a few words, and bans no other field', () => {
    const { machine, root, repeat } = (mcpTool(catalogue.create_file).inputSchema.properties ?? {}) as Record<
      string,
      { description?: string }
    >;
    expect([machine, root, repeat].map((field) => field?.description)).toEqual([
      'A machine.',
      'An open folder.',
      'Run it again.',
    ]);
    expect(JSON.stringify(tools.map(({ inputSchema: input }) => input))).not.toContain(
      'additionalProperties',
    );
    // Calls are checked against the whole, and a person reads the whole.
    expect(JSON.stringify(inputSchema(catalogue.create_file))).toContain('"additionalProperties":false');
    expect(JSON.stringify(inputSchema(catalogue.create_file))).toContain('default: the only one online');
  });

  it('leaves descriptions out of outputs alone', () => {
    for (const { inputSchema: input, outputSchema: output } of tools) {
      expect(JSON.stringify(output)).not.toContain('"description":"');
      for (const field of Object.values(input.properties ?? {})) {
        expect(field).toHaveProperty('description');
      }
    }
  });
});
