import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AnyContract, Risk, RunsOn } from '../../contracts/contract.ts';
import { doorErrors, effectErrors, machineErrors } from '../../contracts/door-errors.ts';
import { catalogue, machineTools } from '../../contracts/index.ts';
import { effectInput } from '../../contracts/machine-fields.ts';
import { inputSchema, outputSchema } from '../../src/core/schema.ts';

const entries: [string, AnyContract][] = Object.entries(catalogue);
const contracts = entries.map(([, contract]) => contract);
const propertiesOf = (schema: ReturnType<typeof inputSchema>) => Object.keys(schema.properties ?? {});

/** How the design grades tools. A tool that it does not name is looked at in contracts/generated/TOOLS.md. */
const graded: Record<string, [RunsOn, Risk, 'never' | 'ask']> = {
  hello: ['gateway', 'read_only', 'never'],
  read_repo_file: ['gateway', 'read_only', 'never'],
  list_repo: ['gateway', 'read_only', 'never'],
  search: ['gateway', 'read_only', 'never'],
  fetch: ['gateway', 'read_only', 'never'],
  list_machines: ['gateway', 'read_only', 'never'],
  get_call: ['gateway', 'read_only', 'never'],
  write_memory_entry: ['gateway', 'safe_write', 'ask'],
  'search.web': ['gateway', 'read_only', 'never'],
  'web.fetch': ['gateway', 'read_only', 'never'],
  'transcript.clean': ['gateway', 'read_only', 'never'],
  'mlx.list': ['machine', 'read_only', 'never'],
  'mlx.load': ['machine', 'dangerous', 'ask'],
  'mlx.unload': ['machine', 'dangerous', 'ask'],
  read_file: ['machine', 'read_only', 'never'],
  list_dir: ['machine', 'read_only', 'never'],
  file_search: ['machine', 'read_only', 'never'],
  grep_search: ['machine', 'read_only', 'never'],
  terminal_last_command: ['machine', 'read_only', 'never'],
  create_file: ['machine', 'safe_write', 'ask'],
  create_directory: ['machine', 'safe_write', 'ask'],
  replace_string_in_file: ['machine', 'dangerous', 'ask'],
  run_in_terminal: ['machine', 'dangerous', 'ask'],
  fetch_webpage: ['machine', 'dangerous', 'ask'],
  git_read: ['machine', 'read_only', 'never'],
  watch: ['machine', 'read_only', 'never'],
  // Whoever started a session can end it.
  terminal_stop: ['machine', 'safe_write', 'never'],
};

const theTen = [
  ...['create_file', 'read_file', 'replace_string_in_file', 'list_dir', 'create_directory'],
  ...['file_search', 'grep_search', 'run_in_terminal', 'terminal_last_command', 'fetch_webpage'],
];

describe('the catalogue', () => {
  it('holds the ten machine tools of the source', () => {
    expect(theTen.filter((name) => name in catalogue)).toEqual(theTen);
  });

  it('holds every tool that the design grades', () => {
    expect(Object.keys(catalogue)).toEqual(expect.arrayContaining(Object.keys(graded)));
  });

  it('puts every tool into a group that the owner can switch off, but those that explain themselves', () => {
    const alone = contracts.filter(({ group }) => group === undefined);
    expect(alone.map(({ name }) => name)).toEqual(['hello', 'list_machines', 'get_call']);
  });

  it('lets every tool that asks be looked at before, and takes its caller’s reason', () => {
    const asking = contracts.filter(({ approval }) => approval === 'ask');
    expect(asking.filter(({ hasPreview }) => hasPreview !== true)).toEqual([]);
    const takesReason = ({ input }: AnyContract) =>
      input instanceof z.ZodObject && input.shape.reason === effectInput.reason;
    expect(asking.filter((contract) => !takesReason(contract))).toEqual([]);
  });

  it('gives every tool a name of its own on the wire', () => {
    expect(new Set(contracts.map(({ wireName }) => wireName)).size).toBe(contracts.length);
  });

  it('lets nobody in without a token but to say hello', () => {
    expect(contracts.filter(({ isPublic }) => isPublic).map(({ name }) => name)).toEqual(['hello']);
  });
});

describe.each(entries)('%s', (key, contract) => {
  const { wireName, risk, hints, errors, runsOn } = contract;

  it('is listed under its own name', () => {
    expect(key).toBe(contract.name);
  });

  it('has a wire name that every client takes', () => {
    expect(wireName).toMatch(/^[a-z0-9_]{1,48}$/);
    expect(wireName).toBe(contract.name.replaceAll('.', '_'));
  });

  it('has a title, and a description in sentences that fits', () => {
    expect(contract.title).toMatch(/^[A-Z].*[^.]$/);
    expect(contract.description).toMatch(/^[A-Z].*\.$/);
    expect(contract.description.length).toBeLessThanOrEqual(1_024);
  });

  it('is graded as the design says', () => {
    const asks = risk === 'read_only' ? 'never' : 'ask';
    const side = key in machineTools ? 'machine' : 'gateway';
    expect([runsOn, risk, contract.approval]).toEqual(graded[key] ?? [side, risk, asks]);
  });

  it('hints at what its risk says', () => {
    expect(hints.readOnly).toBe(risk === 'read_only');
    expect(hints.destructive && risk !== 'dangerous').toBe(false);
    expect(Object.keys(hints).sort()).toEqual(['destructive', 'idempotent', 'openWorld', 'readOnly']);
  });

  it('has limits that can be kept', () => {
    expect(Number.isInteger(contract.limits.perMinute) && contract.limits.perMinute > 0).toBe(true);
    expect(contract.limits.timeoutMs).toBeGreaterThanOrEqual(1_000);
    expect(contract.limits.timeoutMs).toBeLessThanOrEqual(600_000);
  });

  it('names its errors so that a program and a person can act on them', () => {
    for (const [code, { status, message, suggestion }] of Object.entries(errors)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status === 202 || (Number.isInteger(status) && status >= 400 && status <= 599), code).toBe(true);
      expect(message, code).toMatch(/^[A-Z][^\n]*\.$/);
      expect(suggestion, code).toMatch(/^[A-Z][^\n]*\.$/);
    }
  });

  it("does not give a door's error another meaning", () => {
    for (const [code, spec] of Object.entries(errors)) {
      const shared = { ...doorErrors, ...machineErrors, ...effectErrors }[code];
      if (!shared) continue;
      // A tool may say in its own words what ran out of time; the status stays.
      expect(code === 'timeout' ? { ...shared, status: spec.status } : spec, code).toEqual(shared);
    }
  });

  it('names only fields and errors that it has', () => {
    for (const [field, code] of Object.entries(contract.inputErrors ?? {})) {
      expect(propertiesOf(inputSchema(contract))).toContain(field);
      expect(Object.keys(errors)).toContain(code);
      expect(errors[code]?.status, `${field} is about the input`).toBeLessThan(500);
    }
  });

  it('can fail as everything on a machine can, and lets the caller choose the machine', () => {
    const isOnMachine = runsOn === 'machine';
    expect(propertiesOf(inputSchema(contract)).includes('machine')).toBe(isOnMachine);
    for (const code of Object.keys(machineErrors))
      expect(Object.hasOwn(errors, code), code).toBe(isOnMachine);
  });

  it('can be repeated safely if it changes anything', () => {
    const changes = risk !== 'read_only';
    const fields = propertiesOf(inputSchema(contract));
    expect([fields.includes('idempotency_key'), fields.includes('repeat')]).toEqual([changes, changes]);
    expect(propertiesOf(outputSchema(contract)).includes('replayed')).toBe(changes);
    for (const code of Object.keys(effectErrors)) expect(Object.hasOwn(errors, code), code).toBe(changes);
  });

  it('cuts a text of its output, if it is cut at all', () => {
    if (!contract.cut) return;
    const { properties } = outputSchema(contract) as { properties: Record<string, { type?: string }> };
    for (const field of contract.cut.fields) expect(properties[field]?.type, field).toBe('string');
    expect(contract.cut.rest).toMatch(/^[A-Z].*\.$/);
  });
});

it('marks content that others wrote', () => {
  const marked = contracts.filter(({ hints, quotesOthers }) => hints.openWorld || quotesOthers);
  // The tools that are left out only say what they did or how things are.
  expect(marked.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...[
        'fetch',
        'fetch_webpage',
        'file_search',
        'get_call',
        'git_read',
        'grep_search',
        'list_dir',
        'list_repo',
      ],
      ...['read_file', 'read_repo_file', 'run_in_terminal', 'search', 'search.web', 'terminal_last_command'],
      ...['terminal_list', 'terminal_read', 'terminal_send', 'terminal_start', 'terminal_stop'],
      ...['transcript.clean', 'web.fetch'],
    ]),
  );
});

describe.each(entries.filter(([name]) => theTen.includes(name)))('%s', (_, contract) => {
  it('answers in the frame of the ten machine tools', () => {
    const frame = ['execution_time_ms', 'files_affected', 'metadata', 'output', 'success'];
    const more = contract.risk === 'read_only' ? [] : ['replayed'];
    expect(propertiesOf(outputSchema(contract)).sort()).toEqual([...frame, ...more].sort());
  });
});
