import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AnyContract, readsOnly, tool } from '../../../contracts/contract.ts';
import { readFiles } from '../../../contracts/read-files.ts';
import { invalidInput } from '../../../src/core/invalid-input.ts';

const fieldNames = (count: number) => Array.from({ length: count }, (_, i) => `field${i}`);
const withFields = (count: number) =>
  z.strictObject(Object.fromEntries(fieldNames(count).map((name) => [name, z.int().optional()]))).optional();
const eightNames = fieldNames(8)
  .map((name) => `\`${name}\``)
  .join(', ');

const contract = tool({
  name: 'test.input',
  title: 'For tests',
  description: 'Exists only in tests.',
  runsOn: 'gateway',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 10, timeoutMs: 1_000 },
  hints: readsOnly,
  input: z.strictObject({
    path: z.string().min(1).max(8),
    start_line: z.int().min(1).max(100).optional(),
    max_results: z.number().gt(0).lt(10).optional(),
    flag: z.boolean().optional(),
    encoding: z.enum(['utf-8', 'base64']).optional(),
    since: z.iso.datetime().optional(),
    slug: z
      .string()
      .regex(/^[a-z]+$/)
      .optional(),
    tags: z.array(z.string().max(3)).min(1).max(2).optional(),
    nested: z.strictObject({ deep: z.array(z.strictObject({ key: z.string() })) }).optional(),
    either: z.union([z.string(), z.int()]).optional(),
    port: z.int().min(8_100).max(8_139).optional(),
    counts: z.record(z.string(), z.number()).optional(),
    wide: withFields(9),
    eight: withFields(8),
    empty: withFields(0),
    each: z.record(z.string(), z.strictObject({ name: z.string().optional() })).optional(),
    odd: z
      .int()
      .refine((value) => value % 2 === 1, 'be odd')
      .optional(),
  }),
  output: z.strictObject({}),
  errors: { invalid_port: { status: 400, message: 'No such port.', suggestion: 'Use 8100 to 8139.' } },
  inputErrors: { port: 'invalid_port' },
  examples: [{ about: 'nothing', input: { path: 'a' }, output: {} }],
});

/** What a caller is told about arguments that the schema refuses. */
function complaint(input: unknown) {
  const { error } = contract.input.safeParse(input, { reportInput: true });
  if (!error) throw new Error('the schema took it');
  return invalidInput(contract, error);
}

describe('a message names the field and what it must be', () => {
  it.each([
    ['missing', {}, '`path` is required.'],
    ['of another type', { path: 5 }, '`path` must be a string.'],
    ['null', { path: null }, '`path` must be a string.'],
    ['an object for a flag', { path: 'a', flag: {} }, '`flag` must be a boolean.'],
    ['a text for a list', { path: 'a', tags: 'x' }, '`tags` must be an array.'],
    ['a fraction for an integer', { path: 'a', start_line: 1.5 }, '`start_line` must be an integer.'],
    ['too short', { path: '' }, '`path` must have at least 1 character.'],
    ['too long', { path: '123456789' }, '`path` must have at most 8 characters.'],
    ['too small', { path: 'a', start_line: 0 }, '`start_line` must be at least 1.'],
    ['too big', { path: 'a', start_line: 101 }, '`start_line` must be at most 100.'],
    ['at a lower bound that is out', { path: 'a', max_results: 0 }, '`max_results` must be more than 0.'],
    ['at an upper bound that is out', { path: 'a', max_results: 10 }, '`max_results` must be less than 10.'],
    ['an empty list', { path: 'a', tags: [] }, '`tags` must have at least 1 item.'],
    ['a long list', { path: 'a', tags: ['a', 'b', 'c'] }, '`tags` must have at most 2 items.'],
    ['none of the choices', { path: 'a', encoding: 'x' }, '`encoding` must be one of "utf-8", "base64".'],
    ['no time', { path: 'a', since: 'today' }, '`since` must be a valid datetime.'],
    ['against a pattern', { path: 'a', slug: 'A' }, '`slug` must match /^[a-z]+$/.'],
    ['none of two forms', { path: 'a', either: {} }, '`either` has none of the forms it may have.'],
    ['against a rule of its own', { path: 'a', odd: 2 }, '`odd` is not acceptable: be odd.'],
    ['no object', 'path', 'The argument object must be an object.'],
    ['a list', [], 'The argument object must be an object.'],
    ['nothing', null, 'The argument object must be an object.'],
  ])('%s', (_, input, message) => {
    expect(complaint(input)).toEqual({
      code: 'invalid_input',
      http_status: 400,
      message,
      suggestion: "Compare the arguments with the tool's input schema and call again.",
    });
  });
});

describe('a field inside another is named by its whole path', () => {
  it.each([
    [{ path: 'a', tags: ['abc', 'abcd'] }, '`tags.1` must have at most 3 characters.'],
    [{ path: 'a', nested: {} }, '`nested.deep` is required.'],
    [{ path: 'a', nested: { deep: [{ key: 'a' }, { key: 1 }] } }, '`nested.deep.1.key` must be a string.'],
    [{ path: 'a', nested: { deep: [{}] } }, '`nested.deep.0.key` is required.'],
  ])('%j', (input, message) => {
    expect(complaint(input).message).toBe(message);
  });
});

describe('an unknown field is answered with the nearest known one', () => {
  it.each([
    ['pathh', 'path'],
    ['PATH', 'path'],
    ['startline', 'start_line'],
    ['start-line', 'start_line'],
    ['maxresults', 'max_results'],
    ['taggs', 'tags'],
  ])('%s', (typed, meant) => {
    expect(complaint({ path: 'a', [typed]: 1 }).message).toBe(
      `\`${typed}\` is not a field of this tool; did you mean \`${meant}\`?`,
    );
  });

  it.each([
    [
      { nested: { deep: [], deepp: 1 } },
      '`nested.deepp` is not a field of this tool; did you mean `nested.deep`?',
    ],
    [
      { nested: { deep: [{ key: 'a' }, { key: 'a', Kee: 'b' }] } },
      '`nested.deep.1.Kee` is not a field of this tool; did you mean `nested.deep.1.key`?',
    ],
    [
      { nested: { deep: [{ key: 'a', limit: 5 }] } },
      '`nested.deep.0.limit` is not a field of this tool; `nested.deep.0` has `key`.',
    ],
    // What is near at the top is none of the fields here.
    [{ nested: { deep: [], paths: 1 } }, '`nested.paths` is not a field of this tool; `nested` has `deep`.'],
    [
      { nested: { deep: [], constructor: 1 } },
      '`nested.constructor` is not a field of this tool; `nested` has `deep`.',
    ],
    [{ wide: { zzzzzz: 1 } }, '`wide.zzzzzz` is not a field of this tool.'],
    [{ wide: { field: 1 } }, '`wide.field` is not a field of this tool; did you mean `wide.field0`?'],
    [{ eight: { zzzzzz: 1 } }, `\`eight.zzzzzz\` is not a field of this tool; \`eight\` has ${eightNames}.`],
    [{ empty: { zzzzzz: 1 } }, '`empty.zzzzzz` is not a field of this tool.'],
    [{ each: { a: { nam: 1 } } }, '`each.a.nam` is not a field of this tool; did you mean `each.a.name`?'],
  ])('also inside another field: %j', (input, message) => {
    expect(complaint({ path: 'a', ...input }).message).toBe(message);
  });

  it.each([
    [
      { pth: 'a' },
      '`files.1.path` is required. `files.1.pth` is not a field of this tool; did you mean `files.1.path`?',
    ],
    [
      { path: 'a', limit: 5 },
      '`files.1.limit` is not a field of this tool; `files.1` has `path`, `start_line`, `end_line`.',
    ],
  ])('as in a file for read_files: %j', (second, message) => {
    const { error } = readFiles.input.safeParse({ files: [{ path: 'b' }, second] }, { reportInput: true });
    expect(error && invalidInput(readFiles as unknown as AnyContract, error).message).toBe(message);
  });

  it.each(['zzzzzz', 'constructor', '__proto__', 'content'])('and %s, near none, with none', (typed) => {
    const input: unknown = JSON.parse(`{"path":"a",${JSON.stringify(typed)}:1}`);
    expect(complaint(input).message).toBe(`\`${typed}\` is not a field of this tool.`);
  });
});

describe('several complaints', () => {
  it('are all told, in one message', () => {
    expect(complaint({ start_line: 0, flag: 'yes', pth: 'a', zzzzzz: 1 }).message).toBe(
      '`path` is required. `start_line` must be at least 1. `flag` must be a boolean. ' +
        '`pth` is not a field of this tool; did you mean `path`? `zzzzzz` is not a field of this tool.',
    );
  });

  it('are told up to five, so that a message stays readable', () => {
    const { message } = complaint({
      path: 1,
      start_line: 0,
      max_results: 0,
      flag: 0,
      encoding: 0,
      since: 0,
      slug: 0,
    });
    expect(message.split('. ')).toHaveLength(5);
    expect(message).not.toContain('since');
  });

  it('stay readable however many and however long the unknown fields are', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`zzzzz${i}`, 1]));
    expect(complaint({ path: 'a', ...many }).message.split('. ')).toHaveLength(5);
    const long = 'z'.repeat(1_000_000);
    expect(complaint({ path: 'a', [long]: 1 }).message).toBe(
      `\`${'z'.repeat(64)}\` is not a field of this tool.`,
    );
    expect(complaint({ path: 'a', counts: { [long]: 'x' } }).message).toBe(
      `\`counts.${'z'.repeat(64)}\` must be a number.`,
    );
  });

  it('have the name of the first field that has one', () => {
    expect(complaint({ port: 80 })).toEqual({
      code: 'invalid_port',
      http_status: 400,
      message: '`path` is required. `port` must be at least 8100.',
      suggestion: 'Use 8100 to 8139.',
    });
  });

  it('have no name of a field that is itself fine', () => {
    expect(complaint({ port: 8_100 }).code).toBe('invalid_input');
  });
});
