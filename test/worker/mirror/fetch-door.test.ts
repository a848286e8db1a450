import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RuleDraft } from '../../../src/gate/rules/rule-draft.ts';
import { makeMirror } from '../../../src/mirror/mirror-port.ts';
import { bearer, personalToken } from '../auth/support.ts';
import { gateNamed } from '../gate/rig.ts';
import { send } from '../http.ts';
import { DECISIONS, entry } from '../memory/support.ts';
import { pushed } from './support.ts';

const gate = () => gateNamed('owner');
const memory = () => env.MEMORY.get(env.MEMORY.idFromName('owner'));

beforeAll(async () => {
  const stub = () => env.MIRROR.get(env.MIRROR.idFromName('owner'));
  await pushed(makeMirror({ stub, bucket: env.BLOBS }), 'fetched', {
    'docs/open.md': 'for everybody',
    'docs/private/plan.md': 'for nobody',
    'docs/private/a#b.md': 'for nobody either',
  });
  await memory().append({ ...entry(1, DECISIONS), body: '{"decided":"in private"}' });
});

let secret: string;
beforeEach(async () => {
  ({ secret } = await personalToken(['read']));
});
afterEach(async () => {
  for (const { id } of await gate().rules()) await gate().removeRule(id);
});

/** Says no to `read_repo_file`. */
async function say(effect: 'deny' | 'ask', match: RuleDraft['match'], must = 'docs/private/plan.md') {
  const examples = {
    must: [JSON.stringify({ path: must, encoding: 'utf-8' })],
    mustNot: match.kind === 'any' ? [] : ['{"path":"docs/open.md","encoding":"utf-8"}'],
  };
  const expiresAt = Date.now() + 86_400_000;
  const base = { tool: 'read_repo_file', machine: null, expiresAt, maxUses: null, note: '' };
  const saved = await gate().addRule({ ...base, effect, match, examples }, true);
  if (!('id' in saved)) throw new Error(JSON.stringify(saved));
}

async function fetched(id: string): Promise<string> {
  const headers = { ...bearer(secret), 'content-type': 'application/json', prefer: 'wait=0' };
  const answer = await send('/tools/fetch', { method: 'POST', headers, body: JSON.stringify({ id }) });
  const body = await answer.json<{ text?: string; code?: string }>();
  return body.text ?? body.code ?? '';
}

const paths = (regex: string): RuleDraft['match'] => ({ kind: 'arguments', fields: { path: { regex } } });

it('reads what no rule denies', async () => {
  await say('deny', paths('^(?:docs/private/.*)$'));
  expect(await fetched('repo:docs/open.md')).toBe('for everybody');
  expect(await fetched('memory:decisions.jsonl')).toContain('in private');
  expect(await fetched('memory:decisions.jsonl#1')).toContain('in private');
});

it.each(['deny', 'ask'] as const)('keeps to a rule that says %s to a file of the repo', async (effect) => {
  const code = effect === 'deny' ? 'denied_by_rule' : 'approval_required';
  await say(effect, paths('^(?:docs/private/.*)$'));
  for (const id of ['repo:docs/private/plan.md', 'repo:docs/private/a#b.md'])
    expect(await fetched(id)).toBe(code);
});

it('keeps to a no to exactly one file, to a pattern over all arguments, and to the whole tool', async () => {
  const noes: RuleDraft['match'][] = [
    { kind: 'arguments', fields: { path: { equals: 'docs/private/plan.md' } } },
    { kind: 'json', regex: '^\\{"encoding":"utf-8","path":"docs/private/[^"]*"\\}$' },
    { kind: 'any' },
  ];
  for (const no of noes) {
    await say('deny', no);
    expect(await fetched('repo:docs/private/plan.md'), JSON.stringify(no)).toBe('denied_by_rule');
    for (const { id } of await gate().rules()) await gate().removeRule(id);
  }
});

it('keeps to a no to a file of the memory, whole and by the entry', async () => {
  await say('deny', paths('^(?:\\.claude/memory/.*)$'), '.claude/memory/decisions.jsonl');
  for (const id of ['memory:decisions.jsonl', 'memory:decisions.jsonl#1'])
    expect(await fetched(id)).toBe('denied_by_rule');
  expect(await fetched('repo:docs/open.md')).toBe('for everybody');
});
