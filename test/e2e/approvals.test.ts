import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { type GateGateway, startGateGateway } from '../support/gate-gateway.ts';
import { TEST_OWNER_KEY } from '../support/owner-key.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

let gateway: GateGateway;
let owner: OwnerSession;
const home = mkdtempSync(join(tmpdir(), 'bowline-approvals-'));

beforeAll(async () => {
  gateway = await startGateGateway();
  owner = await signInAsOwner(gateway.url, TEST_OWNER_KEY);
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** The command in the owner's hands. */
const asOwner = (...args: string[]) =>
  runBowline(args, {
    env: { BOWLINE_HOME: home, BOWLINE_URL: gateway.url, BOWLINE_OWNER_KEY: TEST_OWNER_KEY },
  });

/** Waits until exactly this call asks, and gives its code; another than that of an earlier one. */
const codeOf = (text: string, earlier = ''): Promise<string> =>
  untilWaiting(owner, (all) => all.find(({ code, full }) => full.includes(text) && code !== earlier)?.code);

const bearer = () => ({ authorization: `Bearer ${gateway.token}` });

function overRest(text: string, tool = 'note_write'): Promise<Response> {
  return fetch(`${gateway.url}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer() },
    body: JSON.stringify({ text }),
  });
}

describe('a call that needs a yes', () => {
  it('over REST is held, shown to the owner, and runs once approved', async () => {
    const answer = overRest('rest');
    const code = await codeOf('rest');
    const listed = await asOwner('approvals');
    expect(listed.stdout).toContain(`${code}  pending`);
    expect(listed.stdout).toContain('wants to use `note_write`');
    expect((await asOwner('approvals', 'show', code)).stdout).toContain('Tool: note_write');
    expect((await asOwner('approvals', 'approve', code.toLowerCase())).stdout).toContain('Approved');
    const response = await answer;
    expect([response.status, await response.json()]).toEqual([200, { runs: 1 }]);
    expect((await asOwner('approvals', 'approve', code)).code).toBe(1);
    // One yes was for one run: the same call asks anew.
    const again = overRest('rest');
    expect((await asOwner('approvals', 'deny', await codeOf('rest', code))).code).toBe(0);
    expect((await again).status).toBe(403);
  });

  it('is refused by name when the owner says no', async () => {
    const answer = overRest('no');
    expect((await asOwner('approvals', 'deny', await codeOf('no'))).code).toBe(0);
    const response = await answer;
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      403,
      'approval_denied',
    ]);
  });

  it('over MCP of 2026 with URL elicitation leads to the page, whose answer by itself decides nothing', async () => {
    const asked: string[] = [];
    const client = new Client(
      { name: 'e2e', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { url: {}, form: {} } } },
    );
    client.setRequestHandler('elicitation/create', async (request) => {
      const { params } = request as { params: { url?: string } };
      asked.push(params.url ?? '');
      const code = params.url?.split('/').at(-1) ?? '';
      expect((await asOwner('approvals', 'list', '--json')).stdout).toContain(code);
      expect((await asOwner('approvals', 'approve', code)).code).toBe(0);
      return { action: 'accept' as const };
    });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
        requestInit: { headers: bearer() },
      }),
    );
    const result = await client.callTool({ name: 'note_write', arguments: { text: 'url' } });
    expect(asked).toEqual([expect.stringMatching(/\/approvals\/[0-9A-Z]{4}-[0-9A-Z]{4}$/)]);
    expect(result.structuredContent).toEqual({ runs: 1 });
    await client.close();
  });

  it('over MCP of 2025 is held with progress and runs once approved', async () => {
    const client = new OldClient({ name: 'e2e', version: '1' });
    const transport = new OldTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers: bearer() } });
    await client.connect(transport as never);
    const beats: (string | undefined)[] = [];
    const result = client.callTool({ name: 'note_write', arguments: { text: 'old' } }, undefined, {
      onprogress: ({ message }) => beats.push(message),
    });
    const code = await codeOf('old');
    await asOwner('approvals', 'approve', code);
    expect((await result).structuredContent).toEqual({ runs: 1 });
    expect(beats[0]).toContain(code);
    await client.close();
  });

  describe('over MCP of 2025 with elicitation', () => {
    /** Calls as a client whose person answers so, and says how long the question took. */
    async function asked(
      text: string,
      capability: { url?: object },
      answer: (code: string) => Promise<string>,
    ) {
      const client = new OldClient(
        { name: 'e2e', version: '1' },
        { capabilities: { elicitation: capability } },
      );
      const transport = new OldTransport(new URL(`${gateway.url}/mcp`), {
        requestInit: { headers: bearer() },
      });
      const questions: { readonly ms: number; readonly said: string }[] = [];
      const start = performance.now();
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        const said = JSON.stringify(params);
        questions.push({ ms: performance.now() - start, said });
        const [, code = ''] = /approvals\/([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(said) ?? [];
        return { action: (await answer(code)) as 'accept', content: {} };
      });
      await client.connect(transport as never);
      const result = await client.callTool({ name: 'note_write', arguments: { text } });
      await client.close();
      return { result, questions, took: performance.now() - start };
    }

    it.each([
      ['url', { url: {} }],
      ['form', {}],
    ])(
      'asks by %s on the stream of the call, and runs it once the owner approved',
      async (mode, capability) => {
        const { result, questions } = await asked(`asked by ${mode}`, capability, async (code) => {
          expect((await asOwner('approvals', 'approve', code)).code).toBe(0);
          return 'accept';
        });
        expect(result.structuredContent).toEqual({ runs: 1 });
        expect(questions).toHaveLength(1);
      },
    );

    it('runs it though the client never answers', async () => {
      const { result } = await asked('unanswered', { url: {} }, async (code) => {
        expect((await asOwner('approvals', 'approve', code)).code).toBe(0);
        return new Promise(() => undefined);
      });
      expect(result.structuredContent).toEqual({ runs: 1 });
    });

    it('runs nothing by an answer, and tells a client that declines at once to come back', async () => {
      const { result, took } = await asked('declined', { url: {} }, async () => 'decline');
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain('approve this call first');
      expect(took).toBeLessThan(30_000);
      // It was not the owner's no.
      expect((await asOwner('approvals', 'approve', await codeOf('declined'))).code).toBe(0);
    });
  });

  it('survives a restart of the gateway while it waits', async () => {
    const cut = overRest('restart').catch(() => undefined);
    const code = await codeOf('restart');
    await gateway.restart();
    await cut;
    expect((await asOwner('approvals', 'approve', code)).code).toBe(0);
    expect(await (await overRest('restart')).json()).toEqual({ runs: 1 });
  });

  it('from the command line exits with 3 when it is refused', async () => {
    const calling = runBowline(['call', 'note_write', '--text', 'cli'], {
      env: { BOWLINE_HOME: home, BOWLINE_URL: gateway.url, BOWLINE_TOKEN: gateway.token },
    });
    // The command knows the product's tools alone, so this one stops before it is sent.
    expect(await calling).toMatchObject({ code: 2, stderr: expect.stringContaining('note_write') });
  });
});

describe('always', () => {
  it('approves, writes the narrowest rule, and the next such call runs by itself', async () => {
    const answer = overRest('always');
    const done = await asOwner('approvals', 'always', await codeOf('always'));
    expect(done.stdout).toContain('Rule: ');
    expect(await (await answer).json()).toEqual({ runs: 1 });
    const repeated = await fetch(`${gateway.url}/tools/note_write`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer() },
      body: JSON.stringify({ text: 'always', repeat: true }),
    });
    expect(await repeated.json()).toEqual({ runs: 2 });
    const [rule] = JSON.parse((await asOwner('rules', 'list', '--json')).stdout).rules;
    expect(rule).toMatchObject({ tool: 'note_write', effect: 'allow', uses: 1 });
    expect((await asOwner('rules', 'remove', rule.id)).code).toBe(0);
  });
});

describe('rules from the command line', () => {
  const draft = (regex: string) => {
    const file = join(home, 'rule.json');
    const examples = {
      must: ['{"repeat":false,"text":"day 1"}'],
      mustNot: ['{"repeat":false,"text":"night"}'],
    };
    const rule = { tool: 'note_write', effect: 'allow', match: { kind: 'json', regex }, examples };
    writeFileSync(file, JSON.stringify(rule));
    return file;
  };

  it('are refused when they say more than they seem to', async () => {
    const tried = await asOwner('rules', 'try', draft('^{"repeat":false,"text":"day.*"}$'));
    expect(tried.code).toBe(1);
    expect(tried.stderr).toContain('[^"');
  });

  it('are tried on past calls, saved, and obeyed', async () => {
    const file = draft('^\\{"repeat":false,"text":"day [0-9]+"\\}$');
    const tried = await asOwner('rules', 'try', file);
    expect([tried.code, tried.stdout]).toEqual([
      0,
      expect.stringContaining('It would have covered 0 of the last'),
    ]);
    expect((await asOwner('rules', 'add', file)).code).toBe(0);
    expect(await (await overRest('day 7')).json()).toEqual({ runs: 1 });
  });
});

describe('the ledger', () => {
  it('shows it all, newest first', async () => {
    const { stdout, code } = await asOwner('ledger', '--tool', 'note_write');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {2}note_write {2}.* {2}denied +\S+ ms +refused /);
    expect(stdout).toMatch(/ {2}note_write {2}.* {2}waited for you .* asked /);
    expect(stdout).not.toMatch(/approval_(?:denied|required)/);
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^ *# {2}When \(.+\) +Tool +What +Machine +Outcome/),
      expect.stringMatching(/ {2}note_write {2}.* {2}ok /),
    ]);
    const { entries } = JSON.parse((await asOwner('ledger', '--json', '--limit', '200')).stdout);
    const seqs = entries.map((entry: { seq: number }) => entry.seq);
    expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => b - a));
  });
});
