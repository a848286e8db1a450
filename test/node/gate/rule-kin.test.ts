import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalGate, openLocalGate } from '../../../local-bridge/local/gate/local-gate.ts';
import { sha256 } from '../../../src/core/call-digest.ts';
import { canonicalJson } from '../../../src/core/json.ts';
import type { RuleDraft } from '../../../src/gate/rules/rule-draft.ts';

let home: string;
let gate: LocalGate;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bowline-rule-kin-'));
  gate = openLocalGate(home);
});
afterEach(() => {
  gate.close();
  rmSync(home, { recursive: true, force: true });
});

/** A call of that tool which a rule about `secret/` matches, and one which it does not. */
function examplesFor(tool: string): RuleDraft['examples'] {
  const about = (path: string) =>
    JSON.stringify(tool === 'edit_files' ? { edits: [{ op: 'delete', path }] } : { path });
  return { must: [about('secret/b')], mustNot: [about('docs/b')] };
}

function say(
  effect: 'allow' | 'ask' | 'deny',
  tool: string,
  match: RuleDraft['match'],
  examples = examplesFor(tool),
) {
  const draft: RuleDraft = {
    ...{ tool, effect, match, examples, machine: null },
    ...{ expiresAt: Date.now() + 86_400_000, maxUses: null, note: '' },
  };
  const saved = gate.now().addRule(draft, true);
  if ('problems' in saved) throw new Error(JSON.stringify(saved.problems));
}

let calls = 0;
/** What the gate decides about a call of `edit_files`. */
function decided(edits: readonly object[], root: string | null = null): string {
  const args = canonicalJson({ edits, repeat: false, ...(root === null ? {} : { root }) });
  const answer = gate.now().admit(
    {
      ...{ callId: `call_${++calls}`, principal: 'ada', client: 'tests', via: 'rest', tool: 'edit_files' },
      ...{ machine: 'mini', machineId: 'm1', root: root ?? 'project', risk: 'dangerous', approval: 'ask' },
      ...{ perMinute: 1_000, digest: sha256(args), args, shownArgs: args, idempotencyKey: null },
      ...{ requestName: null, voidedUpTo: 0, shown: { why: 'no preview' }, retryOf: null },
    },
    [],
  );
  return answer.kind === 'refused' ? answer.code : answer.kind;
}

const edit = (path: string, more: object = {}) => ({ op: 'append', path, text: 'x', ...more });
const below = (folder: string): RuleDraft['match'] => ({
  kind: 'arguments',
  fields: { path: { regex: `^(?:${folder}/[^/]*)$` } },
});

describe('a no to one path', () => {
  it.each([
    ['edit_files', [edit('docs/a'), edit('secret/b')]],
    ['replace_string_in_file', [edit('docs/a'), edit('secret/b')]],
    ['create_file', [edit('docs/a'), edit('secret/b', { op: 'create' })]],
    ['create_file', [{ op: 'move', path: 'docs/a', to: 'secret/b' }]],
    ['replace_string_in_file', [{ op: 'move', path: 'secret/b', to: 'docs/a' }]],
    ['replace_string_in_file', [{ op: 'delete', path: 'secret/b' }]],
  ])('of %s denies the whole call: %j', (tool, edits) => {
    say('deny', tool, below('secret'));
    expect(decided(edits)).toBe('denied_by_rule');
    expect(decided([edit('docs/a')])).toBe('ask');
  });

  it('denies although another rule allows the call', () => {
    const fields = { edits: { any: true }, root: { any: true }, path: { regex: '^.*$' } } as const;
    say(
      'allow',
      'edit_files',
      { kind: 'arguments', fields },
      { must: ['{"edits":[{"op":"delete","path":"a"}]}'], mustNot: ['{"edits":[],"other":1}'] },
    );
    expect(decided([edit('secret/b')])).toBe('admitted');
    say('deny', 'create_file', below('secret'));
    expect(decided([edit('secret/b')])).toBe('denied_by_rule');
    expect(decided([edit('docs/b')])).toBe('admitted');
  });

  it('counts for a tool as a whole, and for its text', () => {
    say(
      'deny',
      'create_file',
      { kind: 'arguments', fields: { content: { regex: '^.*rm -rf.*$' } } },
      {
        must: ['{"content":"rm -rf /"}'],
        mustNot: ['{"content":"ls"}'],
      },
    );
    expect(decided([edit('a', { text: 'one\nrm -rf /\n' })])).toBe('denied_by_rule');
    expect(decided([edit('a')])).toBe('ask');
    say('deny', 'replace_string_in_file', { kind: 'any' }, { must: ['{}'], mustNot: [] });
    expect(decided([edit('a')])).toBe('denied_by_rule');
  });
});

describe('a yes to a folder', () => {
  beforeEach(() => {
    const fields = { edits: { any: true }, root: { any: true }, path: { regex: '^docs/[^/]*$' } } as const;
    say(
      'allow',
      'edit_files',
      { kind: 'arguments', fields },
      {
        must: ['{"edits":[{"op":"delete","path":"docs/a"}]}'],
        mustNot: ['{"edits":[{"op":"delete","path":"src/a"}]}'],
      },
    );
  });

  it.each([
    ['admitted', [edit('docs/a'), edit('docs/b')]],
    ['admitted', [{ op: 'move', path: 'docs/a', to: 'docs/b' }]],
    ['ask', [edit('docs/a'), edit('src/b')]],
    ['ask', [{ op: 'move', path: 'docs/a', to: 'src/b' }]],
    ['ask', [{ op: 'move', path: 'src/a', to: 'docs/b' }]],
    ['ask', [edit('docs/../src/a')]],
    ['ask', [{ ...edit('src/a'), to: 'docs/a' }]],
    ['ask', []],
  ])('covers every path or nothing: %s %j', (end, edits) => {
    expect(decided(edits)).toBe(end);
  });

  it('of a plainer tool lets nothing run', () => {
    const fields = { content: { any: true }, root: { any: true }, path: { regex: '^src/[^/]*$' } } as const;
    say(
      'allow',
      'create_file',
      { kind: 'arguments', fields },
      { must: ['{"content":"","path":"src/a"}'], mustNot: ['{"content":"","path":"docs/a"}'] },
    );
    expect(decided([edit('src/a', { op: 'create' })])).toBe('ask');
  });
});

describe('undoing', () => {
  const preview = (files: readonly string[] | null, change: 'create' | 'change' | 'delete' = 'change') => ({
    preview: {
      ...{ facts: [], diff: null, state: 'seen' },
      files: files?.map((path) => ({ path, change })) ?? null,
    },
  });
  type Shown = ReturnType<typeof preview> | { why: string } | null;
  /** What the gate decides about undoing a call, after a look that named these files. */
  function undo(shown: Shown, root: string | null = null): string {
    const args = canonicalJson({ call_id: 'call_9', repeat: false, ...(root === null ? {} : { root }) });
    const answer = gate.now().admit(
      {
        ...{ callId: `call_${++calls}`, principal: 'ada', client: 'tests', via: 'rest', tool: 'undo_call' },
        ...{ machine: 'mini', machineId: 'm1', root: root ?? 'project', risk: 'dangerous', approval: 'ask' },
        ...{ perMinute: 1_000, digest: sha256(args), args, shownArgs: args, idempotencyKey: null },
        ...{ requestName: null, voidedUpTo: 0, shown, retryOf: null },
      },
      [],
    );
    return answer.kind === 'refused' ? answer.code : answer.kind;
  }

  it.each(['create_file', 'replace_string_in_file', 'edit_files'])(
    'is denied where a no to %s speaks of a file that it would change',
    (tool) => {
      say('deny', tool, below('secret'));
      expect(undo(null)).toBe('look');
      expect(undo(preview(['docs/a', 'secret/b']))).toBe('denied_by_rule');
      expect(undo(preview(['docs/a']))).toBe('ask');
    },
  );

  const secretly = { path: { regex: '^secret/[^/]*$' } };
  it.each<[string, RuleDraft['match'], string, string]>([
    [
      'create_file',
      { kind: 'arguments', fields: { ...secretly, content: { regex: '^.*rm -rf.*$' } } },
      '{"path":"secret/b","content":"rm -rf /"}',
      '{"path":"secret/b","content":"ls"}',
    ],
    [
      'replace_string_in_file',
      { kind: 'arguments', fields: { ...secretly, new_string: { equals: 'on' } } },
      '{"path":"secret/b","new_string":"on"}',
      '{"path":"secret/b","new_string":"off"}',
    ],
    [
      'edit_files',
      { kind: 'arguments', fields: { ...secretly, edits: { equals: [{ op: 'create', path: 'secret/b' }] } } },
      '{"path":"secret/b","edits":[{"op":"create","path":"secret/b"}]}',
      '{"path":"secret/b","edits":[]}',
    ],
  ])(
    'is denied where a no to %s speaks of a content that it might write back',
    (tool, match, must, mustNot) => {
      say('deny', tool, match, { must: [must], mustNot: [mustNot] });
      for (const change of ['change', 'create'] as const) {
        expect(undo(preview(['docs/a', 'secret/b'], change))).toBe('denied_by_rule');
        expect(undo(preview(['docs/a'], change))).toBe('ask');
      }
      // What only removes a file writes nothing.
      expect(undo(preview(['secret/b'], 'delete'))).toBe('ask');
    },
  );

  it('is denied where a pattern for the whole arguments of a call that writes might speak of it', () => {
    const match = { kind: 'json', regex: '^.*rm -rf.*$' } as const;
    say('deny', 'create_file', match, { must: ['{"content":"rm -rf /"}'], mustNot: ['{"content":"ls"}'] });
    expect(undo(preview(['docs/a']))).toBe('denied_by_rule');
    expect(undo(preview(['docs/a'], 'delete'))).toBe('ask');
  });

  it('is denied if nobody knows which files it would change', () => {
    say('deny', 'create_file', below('secret'));
    expect(undo(preview(null))).toBe('denied_by_rule');
    expect(undo({ why: 'The machine gave no preview.' })).toBe('denied_by_rule');
  });

  it('is denied with the whole tool, and with a folder', () => {
    const inShop = { kind: 'arguments', fields: { root: { equals: 'shop' } } } as const;
    say('deny', 'edit_files', inShop, { must: ['{"root":"shop"}'], mustNot: ['{"root":"other"}'] });
    expect(undo(preview(['a']), 'shop')).toBe('denied_by_rule');
    expect(undo(preview(['a']))).toBe('ask');
    say('deny', 'create_file', { kind: 'any' }, { must: ['{}'], mustNot: [] });
    expect(undo(preview(['a']))).toBe('denied_by_rule');
  });

  it('is asked about each time: no rule allows it, of its own or of another tool', () => {
    const fields = { call_id: { any: true }, root: { any: true } } as const;
    expect(() =>
      say('allow', 'undo_call', { kind: 'arguments', fields }, { must: ['{"call_id":"a"}'], mustNot: [] }),
    ).toThrow('asks_each_time');
    for (const tool of ['create_file', 'edit_files']) {
      const any = { content: { any: true }, edits: { any: true }, root: { any: true } } as const;
      say(
        'allow',
        tool,
        { kind: 'arguments', fields: { ...any, path: { regex: '^docs/[^/]*$' } } },
        {
          must: [
            tool === 'edit_files'
              ? '{"edits":[{"op":"delete","path":"docs/a"}]}'
              : '{"path":"docs/a","content":"","edits":0}',
          ],
          mustNot: ['{"path":"src/a"}'],
        },
      );
    }
    expect(undo(preview(['docs/a']))).toBe('ask');
  });
});
