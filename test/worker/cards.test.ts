import { runInDurableObject } from 'cloudflare:test';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../contracts/index.ts';
import { MAX_READ_BYTES } from '../../src/gate/card-state.ts';
import { mcpTool } from '../../src/surfaces/describe.ts';
import { SOON_MS } from '../support/soon.ts';
import { personalToken } from './auth/owner.ts';
import { clientWith } from './clients.ts';
import { gateNamed } from './gate/rig.ts';
import type { Era } from './http.ts';

const eras: Era[] = ['2025', '2026'];
const UI = 'io.modelcontextprotocol/ui';
const declares = { capabilities: { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } } } };
const CARD = 'ui://bowline/card-0.1.0.html';
const gate = () => gateNamed('owner');
const shows = async (era: Era, secret?: string) =>
  clientWith(secret ?? (await personalToken(['read', 'write'])).secret, era, declares);
const blind = async (era: Era, capabilities = {}) =>
  clientWith((await personalToken(['read', 'write'])).secret, era, { capabilities });

interface Shown {
  readonly state: string;
  readonly code: string;
  readonly address: string;
  readonly call?: { readonly sentence: { readonly does: string } };
  readonly ran: { readonly call_id: string } | null;
}

async function follow(client: Client, args: Record<string, unknown>): Promise<Shown> {
  const { structuredContent } = await client.callTool({ name: 'waiting_call', arguments: args });
  return structuredContent as unknown as Shown;
}

let entries = 0;

/** Makes a call that waits, and gives its arguments, its code and its end. */
async function waitingCall(client: Client, text = `Card ${++entries}`) {
  const entry = { timestamp: '2026-01-31T12:00:00Z', type: 'decision', text };
  const args = { file: 'decisions.jsonl', entry };
  const end = client.callTool({ name: 'write_memory_entry', arguments: args });
  const find = async () => (await gate().approvals('pending')).find(({ full }) => full.includes(text));
  await expect.poll(find, { timeout: SOON_MS }).toBeDefined();
  return { args, end, code: (await find())?.code ?? '' };
}

describe.each(eras)('cards for clients of %s', (era) => {
  it('are listed for those that show them, and for nobody else, whoever asked before', async () => {
    const own = Object.values(catalogue).map(({ wireName }) => wireName);
    const seeing = await shows(era);
    const others = [
      await blind(era),
      await blind(era, { extensions: { [UI]: {} } }),
      await blind(era, { extensions: { [UI]: { mimeTypes: ['text/html'] } } }),
      await blind(era, { extensions: { 'io.example/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }),
    ];
    for (let round = 0; round < 2; round++) {
      const { tools } = await seeing.listTools(undefined, { cacheMode: 'refresh' });
      expect(tools.map(({ name }) => name)).toEqual([...own, 'waiting_call']);
      const withCard = tools.filter(({ _meta }) => _meta?.ui !== undefined);
      const names = withCard.map(({ name }) => name);
      for (const name of ['run_in_terminal', 'edit_files', 'search', 'list_machines'])
        expect(names).toContain(name);
      expect(names).not.toContain('read_file');
      expect(tools.find(({ name }) => name === 'create_file')?._meta?.ui).toEqual({ resourceUri: CARD });
      expect(tools.at(-1)?._meta?.ui).toEqual({ visibility: ['app'] });
      for (const other of others) {
        const listed = (await other.listTools(undefined, { cacheMode: 'refresh' })).tools;
        expect(listed).toEqual(JSON.parse(JSON.stringify(Object.values(catalogue).map(mcpTool))));
      }
    }
  });

  it('are one page, which holds nothing of anybody’s and lets in no address', async () => {
    const { contents } = await (await shows(era)).readResource({ uri: CARD });
    const [page] = contents as { text: string; mimeType: string; _meta: object }[];
    expect(page).toMatchObject({ mimeType: 'text/html;profile=mcp-app', _meta: { ui: { csp: {} } } });
    const text = page?.text ?? '';
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(policy.split('; ').map((part) => part.replace(/'sha256-[\w+/=]+'/, 'HASH'))).toEqual([
      "default-src 'none'",
      'script-src HASH',
      'style-src HASH',
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(text).not.toMatch(/innerHTML|fetch\(|XMLHttpRequest|localStorage|document\.cookie/);
    const { contents: same } = await (await shows(era)).readResource({ uri: CARD });
    expect((same[0] as { text: string }).text).toBe(text);
    expect((await (await shows(era)).listResources()).resources.map(({ uri }) => uri)).not.toContain(CARD);
  });

  it('do not exist for others: neither the page nor what follows a call', async () => {
    const other = await blind(era);
    await expect(other.readResource({ uri: CARD })).rejects.toThrow(/not found/i);
    await expect(follow(other, { code: '0000-0000' })).rejects.toThrow('Unknown tool: "waiting_call"');
  });

  it('follow a call of their own principal by its arguments and its code, and decide nothing', async () => {
    const { secret } = await personalToken(['read', 'write']);
    const client = await shows(era, secret);
    const { args, end, code } = await waitingCall(client);
    const before = (await gate().ledger({})).entries.length;
    const byCall = await follow(client, { tool: 'write_memory_entry', arguments: args });
    expect(byCall).toMatchObject({
      state: 'pending',
      code,
      address: `http://localhost/approvals/${code}`,
      call: { sentence: { does: 'add a line to the memory', what: 'decisions.jsonl' } },
    });
    const byCode = await follow(client, { code, known: true });
    expect(byCode).toMatchObject({ state: 'pending', code });
    expect(byCode.call).toBeUndefined();
    const stranger = await shows(era);
    expect(await follow(stranger, { code })).toEqual({ state: 'none' });
    // All that they learn of the same call is in their own words.
    expect(await follow(stranger, { tool: 'write_memory_entry', arguments: args })).toEqual({
      state: 'none',
      call: { risk: 'safe_write', sentence: { ...byCall.call?.sentence, who: 'script' } },
    });
    // Looking leaves no trace and changes nothing.
    expect((await gate().ledger({})).entries.length).toBe(before);
    expect(await gate().approval(code)).toMatchObject({ state: 'pending' });
    await gate().decide(code, 'approve', 'owner', true);
    expect((await end).isError).toBe(false);
    expect(await follow(client, { code })).toMatchObject({ state: 'consumed', ran: { outcome: 'ok' } });
  });

  it('answers what is no question with what to ask', async () => {
    const client = await shows(era);
    for (const args of [{}, { code: 'x'.repeat(21) }, { decision: 'approve', code: '0000-0000' }]) {
      const answer = await client.callTool({ name: 'waiting_call', arguments: args });
      expect(answer).toMatchObject({
        isError: true,
        _meta: { 'dev.bowline/error': { code: 'invalid_input' } },
      });
    }
    for (const args of [
      { code: '0000-0000' },
      { tool: 'no_such_tool' },
      { tool: 'write_memory_entry', arguments: { file: 'x' } },
      { tool: 'create_file', arguments: { path: 'a', content: '' } },
    ]) {
      expect(await follow(client, args)).toEqual({ state: 'none' });
    }
  });
});

describe('a card that shows an end', () => {
  it('does not tell the caller of it: a no stands until they ask', async () => {
    const client = await shows('2026');
    const { args, end, code } = await waitingCall(client);
    await gate().decide(code, 'deny', 'owner', true, 'Not now.');
    expect(await follow(client, { code })).toMatchObject({ state: 'denied', note: 'Not now.' });
    expect((await end).isError).toBe(true);
    const again = await client.callTool({ name: 'write_memory_entry', arguments: args });
    expect(again._meta?.['dev.bowline/error']).toMatchObject({ code: 'approval_denied' });
  });

  it('tells nothing that only the owner was shown: not even whether an entry is there already', async () => {
    const text = 'A secret that somebody guesses';
    const first = await waitingCall(await shows('2026'), text);
    await gate().decide(first.code, 'approve', 'owner', true);
    await first.end;
    // This caller may write, and read nothing.
    const guesser = await shows('2026', (await personalToken(['write'])).secret);
    const { args, end, code } = await waitingCall(guesser, text);
    expect(JSON.stringify((await gate().approval(code))?.shown)).toContain('is in decisions.jsonl already');
    for (const asked of [{ code }, { tool: 'write_memory_entry', arguments: args }]) {
      const said = await follow(guesser, asked);
      expect(said.call?.sentence.does).toBe('add a line to the memory');
      expect(JSON.stringify(said)).not.toMatch(/already|line 1/);
    }
    await gate().decide(code, 'deny', 'owner', true);
    await end;
  });

  it('reads no long arguments for its sentence', async () => {
    const client = await shows('2026');
    const { end, code } = await waitingCall(client);
    const lengthen = (part: number, chars: (bytes: number) => number) =>
      runInDurableObject(gate(), (_, { storage: { sql } }) => {
        const row = sql.exec<{ id: string }>('SELECT id FROM approval WHERE code = ?', code).one();
        const size =
          'SELECT sum(octet_length(text)) AS bytes FROM approval_args WHERE approval = ? AND part >= 0';
        const { bytes } = sql.exec<{ bytes: number }>(size, row.id).one();
        sql.exec('INSERT INTO approval_args VALUES (?, ?, ?)', row.id, part, ' '.repeat(chars(bytes)));
      });
    const does = async () => (await follow(client, { code })).call?.sentence.does;
    await lengthen(100, (bytes) => MAX_READ_BYTES - bytes - 1);
    expect(await does()).toBe('add a line to the memory');
    await lengthen(101, () => 1);
    expect(await does()).toBe('add a line to the memory');
    await lengthen(102, () => 1);
    expect(await does()).toBe('use');
    await gate().decide(code, 'deny', 'owner', true);
    await end;
  });

  it('may be asked about 600 times a minute, and then says when to come back', async () => {
    const client = await shows('2026');
    const answers = [];
    for (let i = 0; i < 1_202; i++) {
      const answer = await client.callTool({ name: 'waiting_call', arguments: { tool: 'none' } });
      answers.push(answer.isError === true);
      if (answer.isError === true) {
        expect(answer._meta?.['dev.bowline/error']).toMatchObject({ code: 'rate_limited' });
        break;
      }
    }
    // A minute may end meanwhile, and then another 600 are free.
    expect(answers.length).toBeGreaterThan(600);
    expect(answers.at(-1)).toBe(true);
  });
});
