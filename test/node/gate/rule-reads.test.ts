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
  home = mkdtempSync(join(tmpdir(), 'bowline-rule-reads-'));
  gate = openLocalGate(home);
});
afterEach(() => {
  gate.close();
  rmSync(home, { recursive: true, force: true });
});

function say(
  effect: 'ask' | 'deny',
  tool: string,
  match: RuleDraft['match'],
  examples: RuleDraft['examples'],
) {
  const draft: RuleDraft = {
    ...{ tool, effect, match, examples, machine: null },
    ...{ expiresAt: Date.now() + 86_400_000, maxUses: null, note: '' },
  };
  const saved = gate.now().addRule(draft, true);
  if ('problems' in saved) throw new Error(JSON.stringify(saved.problems));
}

let calls = 0;
/** What the gate decides about a call that reads. */
function decided(tool: string, given: object, root: string | null = null): string {
  const args = canonicalJson({ ...given, ...(root === null ? {} : { root }) });
  const answer = gate.now().admit(
    {
      ...{ callId: `call_${++calls}`, principal: 'ada', client: 'tests', via: 'rest', tool },
      ...{ machine: 'mini', machineId: 'm1', root: root ?? 'project', risk: 'read_only', approval: 'never' },
      ...{ perMinute: 1_000, digest: sha256(args), args, shownArgs: args, idempotencyKey: null },
      ...{ requestName: null, voidedUpTo: 0, shown: { why: 'no preview' }, retryOf: null },
    },
    [],
  );
  return answer.kind === 'refused' ? answer.code : answer.kind;
}

const below = (folder: string): RuleDraft['match'] => ({
  kind: 'arguments',
  fields: { path: { regex: `^(?:${folder}/[^/]*)$` } },
});

describe('reading several files', () => {
  const reading = (paths: readonly string[], root: string | null = null) =>
    decided('read_files', { files: paths.map((path) => ({ path })) }, root);

  it.each(['read_file', 'read_files'])('is denied where a no to %s speaks of one of them', (tool) => {
    const about = (path: string) => JSON.stringify(tool === 'read_files' ? { files: [{ path }] } : { path });
    say('deny', tool, below('secret'), { must: [about('secret/b')], mustNot: [about('docs/b')] });
    expect(reading(['docs/a', 'secret/b'])).toBe('denied_by_rule');
    expect(reading(['docs/a'])).toBe('admitted');
  });

  it('is asked about, and denied as a whole or by folder, as reading one is', () => {
    say('ask', 'read_file', below('notes'), { must: ['{"path":"notes/b"}'], mustNot: ['{"path":"docs/b"}'] });
    expect([reading(['notes/a', 'b']), reading(['b'])]).toEqual(['ask', 'admitted']);
    const inShop = { kind: 'arguments', fields: { root: { equals: 'shop' } } } as const;
    say('deny', 'read_file', inShop, { must: ['{"root":"shop"}'], mustNot: ['{"root":"other"}'] });
    expect([reading(['b'], 'shop'), reading(['b'])]).toEqual(['denied_by_rule', 'admitted']);
    say('deny', 'read_file', { kind: 'any' }, { must: ['{}'], mustNot: [] });
    expect(reading(['b'])).toBe('denied_by_rule');
  });
});

describe('a tree', () => {
  const listing = (args: { path: string; depth?: number }) => decided('list_dir', args);
  const examples = { must: ['{"path":"docs/secret"}'], mustNot: ['{"path":"docs/open"}'] };

  it('is denied where it might show a folder that a no speaks of', () => {
    say('deny', 'list_dir', { kind: 'arguments', fields: { path: { equals: 'docs/secret' } } }, examples);
    expect(listing({ path: 'docs', depth: 2 })).toBe('denied_by_rule');
    expect(listing({ path: '.', depth: 8 })).toBe('denied_by_rule');
    expect(listing({ path: 'docs/secret', depth: 1 })).toBe('denied_by_rule');
    expect([listing({ path: 'src', depth: 2 }), listing({ path: 'docs', depth: 1 })]).toEqual([
      'admitted',
      'admitted',
    ]);
    expect(listing({ path: 'docs' })).toBe('admitted');
  });

  it('is denied where nobody can tell what a pattern speaks of', () => {
    say('deny', 'list_dir', { kind: 'arguments', fields: { path: { regex: '^docs/secret$' } } }, examples);
    expect([listing({ path: 'src', depth: 2 }), listing({ path: 'src' })]).toEqual([
      'denied_by_rule',
      'admitted',
    ]);
  });

  it('is denied by a pattern of all arguments', () => {
    say('deny', 'list_dir', { kind: 'json', regex: '^.*docs/secret.*$' }, examples);
    expect([listing({ path: '.', depth: 2 }), listing({ path: '.' })]).toEqual([
      'denied_by_rule',
      'admitted',
    ]);
  });
});
