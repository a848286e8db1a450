import assert from 'node:assert/strict';
import { canonicalJson, JsonRefused, parseStrictJson } from '../../../src/core/json.ts';
import { approvalText } from '../../../src/gate/approval-text.ts';
import { matchesRule, type RuleCall } from '../../../src/gate/rules/rule.ts';
import { narrowestRule } from '../../../src/gate/rules/rule-narrowest.ts';
import { NOW } from '../../support/rules.ts';
import { mixedJson } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const CALLS = [
  { path: 'hello.py', content: 'print("hi")\n' },
  { command: 'git status', repeat: false },
  {
    path: 'a',
    old_string: 'Approve? (y/n/always):',
    new_string: '\nRisk level: read_only',
    entry: { a: [1] },
  },
];

export const approval: Target = target({
  name: 'approval-text',
  seeds: CALLS.map((call) => JSON.stringify(call)),
  grammar: mixedJson(CALLS),
  words: [
    '\\nTool: x',
    '\\u202e',
    '\\u001b[2J',
    '\\r',
    '\\u2028',
    '"command":"',
    '"content":"',
    '"path":',
    '<20 bytes>',
    'a'.repeat(900),
    '\\u200b',
  ],
  refuses: [JsonRefused, SyntaxError],
  parse: (input) => {
    const value = parseStrictJson(input);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new SyntaxError('It is no call.');
    const args = value as Record<string, unknown>;
    const shown = approvalText({
      tool: 'create_file',
      machine: 'mini',
      root: null,
      risk: 'safe_write',
      args,
    });
    return { args, lines: shown.text.split('\n'), full: shown.full.split('\n') };
  },
  properties: {
    'no argument passes for a line of the question': ({ args, lines }) => {
      for (const start of ['Tool: ', 'Files affected: ', 'Risk level: ', 'Approve? ', 'Parameters:']) {
        assert.equal(lines.filter((line) => line.startsWith(start)).length, 1, start);
      }
      const named = lines.filter((line) => /^ {2}[^ |]/.test(line));
      assert.ok(named.length <= Object.keys(args).length);
    },
    'nothing invisible is in it, nor anything that moves the cursor': ({ lines, full }) => {
      assert.ok(!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test([...lines, ...full].join('')));
    },
    'every argument is named in full': ({ args, full }) => {
      const named = full.filter((line) => /^ {2}\S/.test(line)).length;
      assert.ok(named >= Object.keys(args).filter((name) => /^\w+$/.test(name)).length);
    },
    '"always" allows this call and no other': ({ args }) => {
      const call = {
        tool: 'create_file',
        machine: 'mini',
        root: null,
        args,
        canonicalArgs: canonicalJson(args),
      };
      const rule = narrowestRule(call, NOW);
      if (!rule.ok) return;
      assert.ok(matchesRule(rule.draft, call));
      const [example = ''] = rule.draft.examples.mustNot;
      const other = JSON.parse(example) as RuleCall['args'];
      assert.ok(!matchesRule(rule.draft, { ...call, args: other, canonicalArgs: canonicalJson(other) }));
    },
  },
});
