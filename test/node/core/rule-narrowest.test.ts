import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import { parseRun } from '../../../src/gate/rules/argv-ending.ts';
import { isAboutTheCall, matchesRule, type RuleCall, TERMINAL_TOOL } from '../../../src/gate/rules/rule.ts';
import { checkRule, MAX_RULE_CHARS } from '../../../src/gate/rules/rule-check.ts';
import { ALWAYS_MS, narrowestRule } from '../../../src/gate/rules/rule-narrowest.ts';
import { anyText, holdsFor, plainJson } from '../../support/property.ts';

const NOW = 1_800_000_000_000;

const call = (args: Record<string, unknown>, over: Partial<RuleCall> = {}): RuleCall => ({
  tool: 'desk_write',
  machine: 'mini',
  root: null,
  args,
  canonicalArgs: canonicalJson(args),
  ...over,
});
const run = (command: string, args = {}) =>
  call({ command, timeout_seconds: 30, repeat: false, ...args }, { tool: TERMINAL_TOOL });

const draftOf = (made: RuleCall) => {
  const narrowest = narrowestRule(made, NOW);
  if (!narrowest.ok) throw new Error(narrowest.problem.message);
  return narrowest.draft;
};
const problemOf = (made: RuleCall) => {
  const narrowest = narrowestRule(made, NOW);
  return narrowest.ok ? undefined : narrowest.problem;
};

const around = { toolExists: () => true, isTerminal: (tool: string) => tool === TERMINAL_TOOL, now: NOW };

describe('the narrowest rule', () => {
  it('names every argument by its value, for thirty days, on this machine', () => {
    const args = { path: 'a.txt', content: 'x', repeat: false, machine: 'mini', idempotency_key: 'k' };
    expect(narrowestRule(call(args), NOW)).toEqual({
      ok: true,
      draft: {
        tool: 'desk_write',
        machine: 'mini',
        effect: 'allow',
        match: { kind: 'arguments', fields: { path: { equals: 'a.txt' }, content: { equals: 'x' } } },
        expiresAt: NOW + 30 * 24 * 3_600_000,
        maxUses: null,
        note: 'Written by "always".',
        examples: {
          must: [canonicalJson(args)],
          mustNot: [canonicalJson({ ...args, path: 'a.txt-other' })],
        },
      },
    });
    expect(ALWAYS_MS).toBe(30 * 24 * 3_600_000);
  });

  it('names the command of a terminal by all of its words, and what else it was given', () => {
    expect(draftOf(run("git log -n 3 --stat 'a b'", { root: 'site' }))).toMatchObject({
      tool: TERMINAL_TOOL,
      match: {
        kind: 'argv',
        argv: ['git', 'log', '-n', '3', '--stat', 'a b'],
        options: [],
        operands: 'none',
        fields: { timeout_seconds: { equals: 30 }, root: { equals: 'site' } },
      },
      examples: { mustNot: [expect.stringContaining(`"git log -n 3 --stat 'a b'-other"`)] },
    });
  });

  it.each([
    ['git status; id', 'The command has shell syntax, such as operators, expansions or an open quote.'],
    ['git log | sh', 'The command sends its output on in a way that a rule cannot follow.'],
    ['git\nstatus', 'The command has a character that shells or people read differently.'],
    ['', 'The command names no program.'],
  ])('is none for the command %j', (command, why) => {
    expect(problemOf(run(command))).toEqual({
      code: 'shell_syntax',
      message: `A rule cannot allow this command. ${why}`,
      suggestion: 'Approve it this once, or have the command written plainly: a program and its words.',
    });
  });

  it.each([
    ['./gradlew test', 'bad_program'],
    ['bash', 'launcher'],
    ['npm run', 'launcher'],
  ])('is none for %s either', (command, code) => {
    expect(problemOf(run(command))?.code).toBe(code);
  });

  it('is none for what has no place in a rule', () => {
    expect(problemOf(call({ path: 'a', content: 'x'.repeat(MAX_RULE_CHARS) }))).toEqual({
      code: 'rule_too_large',
      message: 'The arguments are too long for a rule that allows exactly this call.',
      suggestion: 'Approve it this once; or write a rule that says by a pattern what the long value may be.',
    });
    const [fits, over] = [0, 1].map((more) => {
      const made = (machine: string) => call({ content: 'x'.repeat(20_000) }, { machine });
      const room = MAX_RULE_CHARS - JSON.stringify(draftOf(made(''))).length;
      return problemOf(made('m'.repeat(room + more)))?.code;
    });
    expect([fits, over]).toEqual([undefined, 'rule_too_large']);
  });

  it.each([
    ['text', 'a', 'a-other'],
    ['zero', 0, 1],
    ['a number', 3, 0],
    ['yes', true, false],
    ['no', false, true],
    ['nothing', null, []],
    ['a list', [1], null],
    ['an object', {}, null],
  ])('shows a call nearby that it does not match: %s', (_, value, other) => {
    const [example = ''] = draftOf(call({ repeat: false, x: value, y: 1 })).examples.mustNot;
    expect(JSON.parse(example)).toEqual({ repeat: false, x: other, y: 1 });
  });

  it('shows one argument too many, where there are none', () => {
    const draft = draftOf(call({ machine: 'mini', repeat: false }));
    expect(draft.match).toEqual({ kind: 'arguments', fields: {} });
    expect(draft.examples.mustNot).toEqual(['{"machine":"mini","other":true,"repeat":false}']);
    expect(checkRule(draft, around).ok).toBe(true);
  });

  it("wants everything of another server's tool", () => {
    const draft = draftOf(call({ repeat: true, machine: 'mini' }, { tool: 'player__play' }));
    expect(draft.match).toEqual({
      kind: 'arguments',
      fields: { repeat: { equals: true }, machine: { equals: 'mini' } },
    });
  });
});

describe('the narrowest rule of what writes', () => {
  it.each([
    ['create_file', { path: 'a.txt' }, { content: 'x' }],
    ['replace_string_in_file', { path: 'a.txt' }, { old_string: 'x', new_string: 'y' }],
    ['write_memory_entry', { file: 'decisions.jsonl' }, { entry: { type: 'x' } }],
  ])('names where %s writes, and never what', (tool, place, content) => {
    const made = call({ ...place, ...content, repeat: false }, { tool });
    const draft = draftOf(made);
    expect(checkRule(draft, around)).toEqual({ ok: true, draft });
    const others = Object.fromEntries(Object.keys(content).map((name) => [name, 'something else']));
    expect(matchesRule(draft, call({ ...place, ...others, repeat: false }, { tool }))).toBe(true);
    const elsewhere = Object.fromEntries(Object.keys(place).map((name) => [name, 'elsewhere']));
    expect(matchesRule(draft, call({ ...elsewhere, ...content }, { tool }))).toBe(false);
    expect(JSON.stringify(draft)).not.toContain('"x"');
  });

  it('is there for content of any size', () => {
    const content = 'x'.repeat(MAX_RULE_CHARS);
    expect(problemOf(call({ path: 'a', content }, { tool: 'create_file' }))).toBeUndefined();
  });
});

describe('the narrowest rule of a command whose output is cut', () => {
  it('says so', () => {
    const draft = draftOf(run('npm test 2>&1 |  tail -20'));
    expect(draft.match).toMatchObject({ argv: ['npm', 'test'], endings: ['2>&1 | tail -20'] });
    expect(checkRule(draft, around)).toEqual({ ok: true, draft });
    expect(matchesRule(draft, run('npm test 2>&1 | tail -20'))).toBe(true);
    expect(matchesRule(draft, run('npm test'))).toBe(true);
    for (const other of ['npm test | tail -20', 'npm test 2>&1 | tail -21', 'npm test 2>&1 | sh'])
      expect(matchesRule(draft, run(other))).toBe(false);
  });
});

describe('the narrowest rule of any call', () => {
  const name = fc.oneof(
    anyText,
    fc.constantFrom('path', 'content', 'repeat', 'machine', 'idempotency_key', '__proto__'),
  );
  const args = fc.dictionary(name, plainJson, { maxKeys: 5, noNullPrototype: true }) as fc.Arbitrary<
    Record<string, unknown>
  >;
  const tool = fc.constantFrom('desk_write', 'player__play');
  const machine = fc.constantFrom(null, 'mini', 'studio');
  // What a call of our own says of its machine is what it gets.
  const anyCall = fc.record({ tool, machine, args }).map((made) => {
    const { machine: _, ...rest } = made.args;
    const isOwn = made.tool === 'desk_write';
    const fitting =
      isOwn && 'machine' in made.args && made.machine ? { ...rest, machine: made.machine } : rest;
    return call(isOwn ? fitting : made.args, { tool: made.tool, machine: made.machine });
  });

  /** What the call does, in one spelling. */
  const deed = (made: RuleCall) =>
    canonicalJson(
      Object.fromEntries(Object.entries(made.args).filter(([key]) => !isAboutTheCall(key, made))),
    );

  it('can be saved and matches that call', () => {
    holdsFor(anyCall, (made) => {
      const draft = draftOf(made);
      expect(checkRule(draft, around)).toEqual({ ok: true, draft });
      expect(matchesRule(draft, made)).toBe(true);
    });
  });

  it('matches no call that differs in an argument, the tool or the machine', () => {
    const change = fc.record({
      name,
      value: plainJson,
      pick: fc.nat(),
      how: fc.constantFrom('set', 'replace', 'drop'),
    });
    holdsFor(fc.tuple(anyCall, change), ([made, { name, value, pick, how }]) => {
      const draft = draftOf(made);
      const names = Object.keys(made.args);
      const chosen = how === 'set' ? name : (names[pick % names.length] ?? name);
      const { [chosen]: _, ...rest } = made.args;
      const args = how === 'drop' ? rest : { ...rest, [chosen]: value };
      const other = { ...made, args, canonicalArgs: canonicalJson(args) };
      expect(matchesRule(draft, other)).toBe(deed(made) === deed(other));
      expect(matchesRule(draft, { ...made, tool: 'other' })).toBe(false);
      expect(matchesRule(draft, { ...made, machine: 'elsewhere' })).toBe(made.machine === null);
    });
  });

  it('is as narrow for a command', () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab-=./ "'), minLength: 1, maxLength: 4 });
    const command = fc
      .array(word, { maxLength: 3 })
      .map((words) => ['git', ...words.map((one) => `'${one}'`)].join(' '));
    const edit = fc.oneof(
      command,
      word,
      fc.constantFrom(
        '; id',
        ' | sh',
        ' | tail -3',
        ' 2>&1',
        ' $(id)',
        '\nid',
        ' -x',
        ' a',
        ' --',
        "''",
        ' ',
      ),
    );
    holdsFor(fc.tuple(command, edit, fc.boolean(), fc.nat()), ([text, more, append, at]) => {
      const made = run(text);
      const draft = draftOf(made);
      expect(checkRule(draft, around)).toEqual({ ok: true, draft });
      expect(matchesRule(draft, made)).toBe(true);
      const place = at % (text.length + 1);
      const other = run(append ? text + more : text.slice(0, place) + more + text.slice(place));
      expect(matchesRule(draft, other)).toBe(
        canonicalJson(parseRun(text)) === canonicalJson(parseRun(String(other.args.command))),
      );
      expect(matchesRule(draft, run(text, { timeout_seconds: 31 }))).toBe(false);
      expect(matchesRule(draft, run(text, { root: 'a' }))).toBe(false);
    });
  });
});
