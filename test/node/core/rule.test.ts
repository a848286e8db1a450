import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { canonicalJson } from '../../../src/core/json.ts';
import {
  isAboutTheCall,
  type Match,
  matchesRule,
  type RuleCall,
  TERMINAL_TOOL,
} from '../../../src/gate/rules/rule.ts';
import type { Effect } from '../../../src/gate/rules/rule-pattern.ts';
import { isJoinedName } from '../../../src/joined/names.ts';

const call = (args: Record<string, unknown>, over: Partial<RuleCall> = {}): RuleCall => ({
  tool: 'create_file',
  machine: 'mini',
  root: null,
  args,
  canonicalArgs: canonicalJson(args),
  ...over,
});

const matches = (match: Match, args: Record<string, unknown>, effect: Effect = 'allow', over = {}) =>
  matchesRule({ tool: 'create_file', machine: null, effect, match }, call(args, over));

const NOES = ['ask', 'deny'] as const;

describe('a rule speaks of calls', () => {
  const anything = { kind: 'any' } as const;
  it.each([
    ['of its tool', 'create_file', null, true],
    ['not of another', 'create_files', null, false],
    ['not of one that differs in case', 'Create_file', null, false],
    ['on its machine', 'create_file', 'mini', true],
    ['not on another', 'create_file', 'studio', false],
  ])('%s', (_, tool, machine, expected) => {
    expect(matchesRule({ tool, machine, effect: 'deny', match: anything }, call({}))).toBe(expected);
  });

  it('on any machine and on the gateway, if it names none', () => {
    const rule = { tool: 'create_file', machine: null, effect: 'deny', match: anything } as const;
    expect(matchesRule(rule, call({}, { machine: null }))).toBe(true);
    expect(matchesRule(rule, call({}, { machine: 'studio' }))).toBe(true);
    expect(matchesRule({ ...rule, machine: 'mini' }, call({}, { machine: null }))).toBe(false);
  });
});

describe('a match of arguments', () => {
  const fields = (of: Record<string, { equals: unknown } | { regex: string } | { any: true }>) =>
    ({ kind: 'arguments', fields: of }) as const;

  it.each([
    ['a text', 'a', 'a', true],
    ['another text', 'a', 'b', false],
    ['a text in another case', 'a', 'A', false],
    ['a number', 1, 1, true],
    ['a number written as text', 1, '1', false],
    ['zero, however it is signed', 0, -0, true],
    ['nothing', null, null, true],
    ['nothing and false', null, false, false],
    ['an object in any order', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ['an object with a key more', { a: 1 }, { a: 1, b: 2 }, false],
    ['an array in another order', [1, 2], [2, 1], false],
  ])('by equality: %s', (_, equals, value, expected) => {
    expect(matches(fields({ x: { equals } }), { x: value })).toBe(expected);
  });

  it.each([
    ['^docs/.*$', 'docs/a', true],
    ['^docs/.*$', 'xdocs/a', false],
    ['^docs/.*$', 'docs/a\nb', false],
    ['^a$', 'a\n', false],
    ['a', 'xax', false],
    ['a|b', 'ax', false],
    ['^a|b$', 'ab', false],
  ])('by the whole of a pattern: %s, %j: %j', (regex, value, expected) => {
    expect(matches(fields({ x: { regex } }), { x: value })).toBe(expected);
  });

  it.each([1, true, null, ['a'], { a: 1 }])('by a pattern, never if the value is not text: %j', (value) => {
    const match = fields({ x: { regex: '^.*$' } });
    expect(matches(match, { x: value })).toBe(false);
    // A no that a list instead of a text could lift would be none.
    for (const effect of NOES) expect(matches(match, { x: value }, effect)).toBe(true);
  });

  it('wants every argument that it names, except one that may be anything', () => {
    expect(matches(fields({ x: { equals: 'a' } }), {})).toBe(false);
    expect(matches(fields({ x: { regex: '^.*$' } }), {})).toBe(false);
    expect(matches(fields({ x: { any: true } }), {})).toBe(true);
    expect(matches(fields({ x: { any: true } }), { x: { deep: [1] } })).toBe(true);
    expect(matches(fields({ x: { any: true }, y: { equals: 1 } }), { x: 1, y: 2 })).toBe(false);
    expect(matches(fields({ toString: { equals: 'a' } }), {})).toBe(false);
  });

  it('allows no argument that it does not name', () => {
    expect(matches(fields({ x: { any: true } }), { x: 1, root: 'other' })).toBe(false);
    expect(matches(fields({}), { x: 1 })).toBe(false);
    expect(matches(fields({}), {})).toBe(true);
    expect(matches(fields({}), { toString: 1 })).toBe(false);
    expect(matches(fields({ x: { any: true } }), JSON.parse('{"x":1,"__proto__":{}}'))).toBe(false);
  });

  it.each(NOES)('but if it says %s, an argument more is no way round it', (effect) => {
    expect(matches(fields({ x: { equals: 1 } }), { x: 1, root: 'other' }, effect)).toBe(true);
    expect(matches(fields({ x: { equals: 1 } }), { x: 2 }, effect)).toBe(false);
    expect(matches(fields({ x: { equals: 1 } }), {}, effect)).toBe(false);
  });

  it.each(NOES)('but if it says %s, a line end is no way round it', (effect) => {
    expect(matches(fields({ x: { regex: '^.*secret.*$' } }), { x: 'a\nsecret\nb' }, effect)).toBe(true);
  });

  it('does not want what is about the call and not about what it does', () => {
    const match = fields({ x: { equals: 1 } });
    expect(matches(match, { x: 1, idempotency_key: 'k', repeat: true, machine: 'mini' })).toBe(true);
    // The word of the call counts for nothing beside the machine that was chosen.
    expect(matches(match, { x: 1, machine: 'studio' })).toBe(false);
    expect(matches(match, { x: 1, machine: 'mini' }, 'allow', { machine: null })).toBe(false);
  });

  it('but heeds those words if it names them', () => {
    expect(matches(fields({ repeat: { equals: false } }), { repeat: true })).toBe(false);
    expect(matches(fields({ repeat: { equals: false } }), { repeat: false })).toBe(true);
    expect(matches(fields({ machine: { equals: 'studio' } }), { machine: 'mini' })).toBe(false);
  });

  it.each(['idempotency_key', 'repeat', 'machine'])(
    "wants %s from another server's tool, where it may mean anything",
    (name) => {
      const joined = { tool: 'player__play' };
      const rule = {
        ...joined,
        machine: null,
        effect: 'allow',
        match: fields({ song: { any: true } }),
      } as const;
      expect(matchesRule(rule, call({ song: 1 }, joined))).toBe(true);
      expect(matchesRule(rule, call({ song: 1, [name]: 'mini' }, joined))).toBe(false);
    },
  );
});

describe('the words that are about the call', () => {
  it('mean what they are taken to mean in every contract that has them', () => {
    const about = new Map<string, Set<unknown>>();
    for (const contract of Object.values(catalogue)) {
      const shape = 'shape' in contract.input ? Object.entries(contract.input.shape as object) : [];
      for (const [name, schema] of shape) {
        if (!isAboutTheCall(name, call({ machine: 'mini' }))) continue;
        about.set(name, (about.get(name) ?? new Set()).add(schema));
      }
    }
    // One schema object each: every contract has them from `machine-fields.ts`.
    expect([...about].map(([name, schemas]) => [name, schemas.size]).sort()).toEqual([
      ['idempotency_key', 1],
      ['machine', 1],
      ['repeat', 1],
    ]);
  });

  it('are told by the name of the tool, which no contract of our own has like a joined one', () => {
    const names = Object.values(catalogue).map(({ wireName }) => wireName);
    expect(names).toContain(TERMINAL_TOOL);
    expect(names.filter(isJoinedName)).toEqual([]);
    expect(isJoinedName('github__search')).toBe(true);
  });
});

describe('a match of JSON', () => {
  const json = (regex: string) => ({ kind: 'json', regex }) as const;
  const path = json('^{"path":"[^"\\\\]*\\.txt"}$');

  it('is one of the whole canonical text', () => {
    expect(matches(path, { path: 'test.txt' })).toBe(true);
    expect(matches(path, { path: 'test.md' })).toBe(false);
    expect(matches(path, { path: 'a"b.txt' })).toBe(false);
    expect(matches(path, { path: 'a\nb.txt' })).toBe(false);
    expect(matches(path, { path: 'test.txt', content: '' })).toBe(false);
    expect(matches(json('{"path"'), { path: 'test.txt' })).toBe(false);
    expect(matches(json('^{"a":1,"b":2}$'), { b: 2, a: 1 })).toBe(true);
  });

  it('may leave out what is about the call, or write it down', () => {
    expect(matches(path, { path: 'test.txt', repeat: false, machine: 'mini', idempotency_key: 'k' })).toBe(
      true,
    );
    expect(matches(path, { path: 'test.txt', machine: 'studio' })).toBe(false);
    const once = json('^{"path":"[a-z]*","repeat":false}$');
    expect(matches(once, { path: 'a', repeat: false })).toBe(true);
    expect(matches(once, { path: 'a', repeat: true })).toBe(false);
  });

  it('is a match for a no as well if it can not be judged', () => {
    expect(matches(json('^('), { path: 'a' })).toBe(false);
    for (const effect of NOES) expect(matches(json('^('), { path: 'a' }, effect)).toBe(true);
  });
});

describe('a match of a command', () => {
  const anyTime = { timeout_seconds: { any: true } } as const;
  const log: Match = {
    kind: 'argv',
    argv: ['git', 'log'],
    options: ['--stat'],
    operands: 'any',
    fields: anyTime,
  };
  const run = (args: Record<string, unknown>, effect: Effect = 'allow', match = log) =>
    matchesRule({ tool: TERMINAL_TOOL, machine: null, effect, match }, call(args, { tool: TERMINAL_TOOL }));

  it.each([
    ['git log', true],
    ['git  log --stat src', true],
    ["git log 'src'", true],
    ['git log; id', false],
    ['git log $(id)', false],
    ['git log --output=x', false],
    ['git log ../x', false],
    ['git push', false],
    ['git', false],
    ['', false],
  ])('%s: %j', (command, expected) => {
    expect(run({ command, timeout_seconds: 30, repeat: false })).toBe(expected);
  });

  it('allows no argument beside the command that it does not name', () => {
    expect(run({ command: 'git log', root: 'other' })).toBe(false);
    expect(run({ command: 'git log' }, 'allow', { ...log, fields: { timeout_seconds: { equals: 5 } } })).toBe(
      false,
    );
    expect(
      run({ command: 'git log', root: 'a' }, 'allow', { ...log, fields: { root: { equals: 'a' } } }),
    ).toBe(true);
    expect(
      run({ command: 'git log', root: 'b' }, 'allow', { ...log, fields: { root: { equals: 'a' } } }),
    ).toBe(false);
  });

  it('need not say how long it may take, but can', () => {
    const match: Match = { ...log, fields: {} };
    expect(run({ command: 'git log', timeout_seconds: 300 }, 'allow', match)).toBe(true);
    expect(run({ command: 'git log' }, 'allow', match)).toBe(true);
    const short: Match = { ...log, fields: { timeout_seconds: { equals: 5 } } };
    expect(run({ command: 'git log', timeout_seconds: 6 }, 'allow', short)).toBe(false);
  });

  it('heeds what it says of the command besides', () => {
    const match: Match = { ...log, fields: { ...anyTime, command: { regex: '^git log.*$' } } };
    expect(run({ command: 'git log src' }, 'allow', match)).toBe(true);
    expect(run({ command: 'git  log src' }, 'allow', match)).toBe(false);
  });

  it.each(NOES)('that says %s holds whatever follows, and whatever else is given', (effect) => {
    for (const command of ['git log', 'git log --output=x', 'git log ../x']) {
      expect(run({ command, root: 'other' }, effect)).toBe(true);
    }
    expect(run({ command: 'git status' }, effect)).toBe(false);
    expect(run({ command: 'git' }, effect)).toBe(false);
    expect(
      run({ command: 'git log', root: 'b' }, effect, { ...log, fields: { root: { equals: 'a' } } }),
    ).toBe(false);
    // No rule can allow it either, so the owner is asked.
    expect(run({ command: 'git log; id' }, effect)).toBe(false);
  });

  it('that is no text can not be judged', () => {
    for (const command of [undefined, null, 1, ['git', 'log']]) {
      expect(run({ command })).toBe(false);
      for (const effect of NOES) expect(run({ command }, effect)).toBe(true);
    }
    expect(run({})).toBe(false);
  });
});
