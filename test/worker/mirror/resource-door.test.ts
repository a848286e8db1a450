import { env } from 'cloudflare:workers';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeMirror } from '../../../src/mirror/mirror-port.ts';
import { SOON_MS } from '../../support/soon.ts';
import { personalToken } from '../auth/owner.ts';
import { eras } from '../auth/support.ts';
import { clientWith } from '../clients.ts';
import { gateNamed } from '../gate/rig.ts';
import { DECISIONS, entry } from '../memory/support.ts';
import { pushed } from './support.ts';

const gate = () => gateNamed('owner');
const memory = () => env.MEMORY.get(env.MEMORY.idFromName('owner'));

beforeAll(async () => {
  const mirror = makeMirror({
    stub: () => env.MIRROR.get(env.MIRROR.idFromName('owner')),
    bucket: env.BLOBS,
  });
  await pushed(mirror, 'one', {
    'docs/open.md': 'for everybody',
    'docs/private/plan.md': 'for nobody',
    'docs/private/a b.md': 'for nobody either',
    'docs/a b.png': new Uint8Array([255, 0]),
    'docs/long.md': 'x'.repeat(400_000),
  });
  await memory().append({ ...entry(1, DECISIONS), body: '{"decided":"in private"}' });
});

/** A rule for a tool, about paths that match. */
async function say(effect: 'deny' | 'ask', tool: string, path: string | null) {
  const saved = await gate().addRule(
    {
      tool,
      machine: null,
      effect,
      match: path === null ? { kind: 'any' } : { kind: 'arguments', fields: { path: { regex: path } } },
      expiresAt: Date.now() + 86_400_000,
      maxUses: null,
      note: '',
      examples:
        path === null
          ? { must: ['{}'], mustNot: [] }
          : { must: ['{"path":"docs/private/plan.md"}'], mustNot: ['{"path":"docs/open.md"}'] },
    },
    true,
  );
  if (!('id' in saved)) throw new Error(JSON.stringify(saved));
}

let secret: string;
let principal: string;
beforeEach(async () => {
  const made = await personalToken(['read']);
  secret = made.secret;
  principal = `token:${made.token.id}`;
});

afterEach(async () => {
  for (const { id } of await gate().rules()) await gate().removeRule(id);
  await gate().changeSetting('rates', {});
});

/** How reading by address ends: its text, or the failure in it. */
async function readBy(client: Client, uri: string) {
  try {
    const { contents } = await client.readResource({ uri });
    const [first] = contents;
    return first && 'text' in first ? first.text : first?.blob;
  } catch (error) {
    const { code, data } = error as { code: number; data?: Record<string, unknown> };
    return {
      rpc: code,
      ...(data?.['dev.bowline/error'] as object | undefined),
      ...(data && 'uri' in data ? { uri: data.uri } : {}),
    };
  }
}

/** The calls of this test's token, newest first, once as many are there as are to be. */
async function ledger(count: number) {
  return vi.waitFor(async () => {
    const { entries } = await gate().ledger({ principal });
    expect(entries.filter(({ outcome }) => outcome !== null)).toHaveLength(count);
    expect(entries).toHaveLength(count);
    return entries;
  }, SOON_MS);
}

describe.each(eras)('a resource that an MCP client of %s reads', (era) => {
  it('is a call of the tool, on record', async () => {
    const client = await clientWith(secret, era);
    expect(await readBy(client, 'repo://docs/open.md')).toBe('for everybody');
    expect(await readBy(client, 'repo://docs/a%20b.png')).toBe('/wA=');
    expect(await readBy(client, 'memory://decisions.jsonl')).toContain('in private');
    expect(await readBy(client, 'memory://best_practices.md')).toBe('');
    const calls = await ledger(4);
    expect(calls.map(({ tool, args, outcome }) => [tool, JSON.parse(args).path, outcome])).toEqual([
      ['read_repo_file', '.claude/memory/best_practices.md', 'failed'],
      ['read_repo_file', '.claude/memory/decisions.jsonl', 'ok'],
      ['read_repo_file', 'docs/a b.png', 'ok'],
      ['read_repo_file', 'docs/open.md', 'ok'],
    ]);
  });

  it('is refused where a rule refuses the tool, whatever the spelling of its address', async () => {
    await say('deny', 'read_repo_file', '^(?:(?:docs/private|\\.claude/memory)/.*)$');
    const client = await clientWith(secret, era);
    const denied = { rpc: -32600, code: 'denied_by_rule', http_status: 403 };
    for (const uri of [
      'repo://docs/private/plan.md',
      'repo://docs/%70rivate/plan.md',
      'repo://docs%2Fprivate%2Fplan.md',
      'repo://docs/private/a%20b.md',
      'memory://decisions.jsonl',
    ])
      expect(await readBy(client, uri), uri).toMatchObject(denied);
    for (const uri of [
      'repo://docs/./private/plan.md',
      'repo://docs//private/plan.md',
      'repo://.claude/memory/decisions.jsonl',
    ])
      expect(await readBy(client, uri), uri).toHaveProperty('rpc');
    expect(await readBy(client, 'repo://docs/open.md')).toBe('for everybody');
  });

  it('counts against the limit of the tool, and says when it is over', async () => {
    await gate().changeSetting('rates', { read_repo_file: 3 });
    const client = await clientWith(secret, era);
    for (let i = 0; i < 2; i++) expect(await readBy(client, 'repo://docs/open.md')).toBe('for everybody');
    await client.callTool({ name: 'read_repo_file', arguments: { path: 'docs/open.md' } });
    for (const uri of ['repo://docs/open.md', 'memory://decisions.jsonl'])
      expect(await readBy(client, uri)).toMatchObject({
        code: 'rate_limited',
        http_status: 429,
        retry_after: expect.any(Number),
      });
  });

  it('is not found in the protocol’s own words, and on record', async () => {
    const client = await clientWith(secret, era);
    const uri = 'repo://docs/none.md';
    expect(await readBy(client, uri)).toEqual({ rpc: -32602, uri });
    const [call] = await ledger(1);
    expect(call).toMatchObject({ tool: 'read_repo_file', outcome: 'failed', code: 'file_not_found' });
  });

  it('comes whole, though a tool’s result of its length is cut', async () => {
    const client = await clientWith(secret, era);
    expect(await readBy(client, 'repo://docs/long.md')).toHaveLength(400_000);
  });

  it('is listed and completed by the tool that lists, and not where a rule refuses it', async () => {
    const client = await clientWith(secret, era);
    const complete = (value: string) =>
      client.complete({
        ref: { type: 'ref/resource', uri: 'repo://{+path}' },
        argument: { name: 'path', value },
      });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('repo://docs/open.md');
    expect((await complete('docs/op')).completion.values).toEqual(['docs/open.md']);
    const calls = await ledger(2);
    expect(calls.map(({ tool }) => tool)).toEqual(['list_repo', 'list_repo']);
    await say('deny', 'list_repo', null);
    const error = { data: { 'dev.bowline/error': { code: 'denied_by_rule' } } };
    // A client of 2026 keeps the list that it has.
    const another = await clientWith(secret, era);
    await expect(another.listResources()).rejects.toMatchObject(error);
    await expect(complete('docs/op')).rejects.toMatchObject(error);
    await ledger(4);
  });

  it('needs the scope to read, and says so on record', async () => {
    const other = await personalToken(['write', 'machine']);
    principal = `token:${other.token.id}`;
    const client = await clientWith(other.secret, era);
    for (const uri of ['repo://docs/open.md', 'memory://decisions.jsonl'])
      expect(await readBy(client, uri)).toMatchObject({ code: 'insufficient_scope' });
    const error = { data: { 'dev.bowline/error': { code: 'insufficient_scope' } } };
    await expect(client.listResources()).rejects.toMatchObject(error);
    await ledger(3);
  });
});

describe('a resource that the owner is asked about', () => {
  it('is held back from a list until there is a yes, and says which approval it needs', async () => {
    await say('ask', 'read_repo_file', '^docs/private/.*$');
    const client = await clientWith(secret, '2026');
    const answer = readBy(client, 'repo://docs/private/plan.md');
    const [approval] = await vi.waitFor(
      async () => {
        const found = await gate().approvals('pending');
        expect(found).toHaveLength(1);
        return found;
      },
      { timeout: SOON_MS },
    );
    await gate().decide(approval?.code ?? '', 'approve', 'the owner', true);
    expect(await answer).toBe('for nobody');
  });
});
