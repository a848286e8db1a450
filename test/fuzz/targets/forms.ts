import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { catalogue } from '../../../contracts/index.ts';
import { argsOf, fieldsOf, inputName, textsOf } from '../../../src/console/tools/form-args.ts';
import { ftsQueries } from '../../../src/core/fts-query.ts';
import { inputSchema } from '../../../src/core/schema.ts';
import {
  draftIn,
  EMPTY_FORM,
  FORM_FIELDS,
  formOfDraft,
  type RuleForm,
  readFields,
  writeFields,
} from '../../../src/gate/rules/rule-form.ts';
import { NOW } from '../../support/rules.ts';
import { texts } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const WORDS = [
  ...[
    'path',
    ' = ',
    ' ~ ',
    ' *',
    '\n',
    '"a"',
    '{"a":1}',
    '^a$',
    '=',
    '~',
    '*',
    '__proto__',
    'constructor',
    'null',
    '1e400',
    '\r',
    '"',
  ],
  ...[
    '&',
    '%0A',
    '+',
    '%',
    '\u2028',
    'tool=hello',
    'kind=argv',
    'effect=deny',
    'command=git+status',
    'days=',
    'uses=',
    '-0',
    '"\\ud800"',
  ],
];

const fields = target({
  name: 'rule-fields',
  seeds: ['path ~ ^docs/\nroot = "a"\ncontent *', 'n = 5', 'a = word', '"a" = {"b":[1]}'],
  grammar: texts(WORDS),
  words: WORDS,
  parse: readFields,
  properties: {
    'what was read is read again from how it is written': (read) => {
      if ('problem' in read) return;
      const values = Object.values(read.fields);
      // Neither has a JSON form, and saving refuses it.
      if (
        values.some((match) => 'equals' in match && /\\ud[89a-f]|null|-0/i.test(JSON.stringify(match.equals)))
      )
        return;
      const again = readFields(writeFields(read.fields));
      assert.ok('fields' in again);
      assert.equal(writeFields(again.fields), writeFields(read.fields));
    },
  },
});

const FORM: RuleForm = { ...EMPTY_FORM, tool: 'create_file', fields: 'path ~ ^a$', must: '{"path":"a"}' };
const asQuery = (form: RuleForm) => new URLSearchParams(form).toString();

const form = target({
  name: 'rule-form',
  seeds: [
    asQuery(FORM),
    asQuery({
      ...FORM,
      kind: 'argv',
      tool: 'run_in_terminal',
      command: "git log 'a b'",
      options: '-n --x=',
      operands: 'any',
      others: 'folder *',
    }),
    asQuery({
      ...FORM,
      kind: 'json',
      regex: '^\\{\\}$',
      effect: 'deny',
      machine: 'mini',
      uses: '3',
      days: '7',
      note: 'n',
    }),
    asQuery({ ...FORM, kind: 'any', effect: 'ask' }),
  ],
  grammar: texts([...WORDS, ...FORM_FIELDS.map((name) => `&${name}=`)], 16),
  words: WORDS,
  parse: (input) => {
    const sent = new URLSearchParams(input);
    const filled = Object.fromEntries(
      FORM_FIELDS.map((name) => [name, sent.get(name) ?? EMPTY_FORM[name]]),
    ) as RuleForm;
    return draftIn(filled, NOW);
  },
  properties: {
    'a rule that was read is read again from its own form': (read) => {
      if ('problems' in read) return;
      const { draft } = read;
      if (/\\ud[89a-f]|:null|-0|"\w+":\s*\d+e/i.test(JSON.stringify(draft.match))) return;
      const again = draftIn(formOfDraft(draft, NOW), NOW);
      assert.ok('draft' in again, JSON.stringify(again));
      assert.deepEqual(again.draft.match, draft.match);
      assert.deepEqual(
        [again.draft.tool, again.draft.machine, again.draft.maxUses],
        [draft.tool, draft.machine, draft.maxUses],
      );
    },
    'what is wrong is said at a field of the form': (read) => {
      if ('draft' in read) return;
      assert.ok(Object.keys(read.problems).length > 0);
      for (const name of Object.keys(read.problems))
        assert.ok((FORM_FIELDS as readonly string[]).includes(name), name);
    },
  },
});

const contracts = Object.values(catalogue).map((contract) => ({
  contract,
  fields: fieldsOf(inputSchema(contract)),
}));
const byName = new Map(contracts.map((each) => [each.contract.wireName, each]));

const args = target({
  name: 'form-args',
  seeds: contracts.map(({ contract, fields: all }) => {
    const shown = textsOf(all, contract.examples[0].input as Record<string, unknown>);
    return `${contract.wireName}?${new URLSearchParams([...shown])}`;
  }),
  grammar: texts(
    [
      ...contracts.map(({ contract }) => `${contract.wireName}?`),
      ...WORDS,
      'arg.path=',
      '&arg.entry=',
      '&arg.repeat=true',
    ],
    10,
  ),
  words: [...WORDS, '&arg.', '=true', '%22', '%7B%7D', '9007199254740993'],
  parse: (input) => {
    const [name = '', query = ''] = input.split('?');
    const known = byName.get(name);
    return known && { known, read: argsOf(known.fields, new URLSearchParams(query)) };
  },
  properties: {
    'only arguments that the tool has come out of its form': (parsed) => {
      if (!parsed || 'problem' in parsed.read) return;
      const names = parsed.known.fields.map((field) => field.name);
      for (const name of Object.keys(parsed.read.args)) assert.ok(names.includes(name), name);
    },
    'arguments that a form shows come out of it as they were': (parsed) => {
      if (
        !parsed ||
        'problem' in parsed.read ||
        !parsed.known.contract.input.safeParse(parsed.read.args).success
      )
        return;
      const { args: said } = parsed.read;
      if (Object.values(said).some((value) => value === '' || value === '\n' || /\r/.test(String(value))))
        return;
      const shown = new URLSearchParams([...textsOf(parsed.known.fields, said)]);
      assert.deepEqual(argsOf(parsed.known.fields, shown), { args: said });
      assert.ok(parsed.known.fields.every((field) => inputName(field).startsWith('arg.')));
    },
  },
});

let database: DatabaseSync | undefined;

function askIndex(query: string): void {
  database ??= new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text)');
  database.prepare('SELECT rowid FROM words WHERE words MATCH ?').all(query);
}

const search = target({
  name: 'search-words',
  seeds: ['how to tie knots', '"quoted" OR near(a b)', '中文 words', 'a-b_c:d*', 'ﬁ İ ß'],
  grammar: texts([...WORDS, 'AND', 'NEAR(', '^', '*', ':', '"', "'", '中', 'ไทย', '\0', 'word '], 16),
  words: ['AND', 'OR', 'NOT', 'NEAR(', '"', '*', '^', ':', '\0', '-'],
  parse: ftsQueries,
  properties: {
    'whatever was typed is a query that the index understands': (queries) => {
      if (!queries) return;
      askIndex(queries.all);
      askIndex(queries.some);
    },
  },
});

export const forms: readonly Target[] = [fields, form, args, search];
