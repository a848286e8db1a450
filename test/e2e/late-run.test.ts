import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBowline } from '../support/command.ts';
import { SOON_MS } from '../support/soon.ts';
import { startTwoSides } from '../support/two-sides.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

let sides: Awaited<ReturnType<typeof startTwoSides>>;
beforeAll(async () => {
  sides = await startTwoSides('late', { approves: false });
}, 240_000);
afterAll(() => sides?.stop());

const at = (name: string) => join(sides.root, name);
const edit = (path: string) => ({ path, old_string: 'one', new_string: 'two' });

const waiting = (): Promise<string> => untilWaiting(sides.owner, ([first]) => first?.code);

const about = async (code: string) =>
  (await sides.owner.call('GET', `approvals/${code}`)) as { held: boolean; state: string };

/** A client whose person can be led to a page, and that is not held meanwhile. */
const asksByUrl = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
};

/** Asks for an edit of a new file, and leaves before the owner decides. */
function askAndLeave(path: string): Promise<string> {
  writeFileSync(at(path), 'one');
  return ask('replace_string_in_file', edit(path));
}

/** Asks for a call, and leaves before the owner decides. Gives the approval's code. */
async function ask(tool: string, args: object): Promise<string> {
  const response = await fetch(`${sides.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${sides.token}`,
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool },
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: tool, arguments: args, _meta: asksByUrl },
    }),
  });
  const code = /approvals\/([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(await response.text())?.[1] ?? '';
  expect(await about(code)).toMatchObject({ state: 'pending', held: false });
  return code;
}

const run = (code: string) => sides.owner.call('POST', `approvals/${code}`, { decision: 'run' });

describe('a call that says how long it waits', () => {
  it('is answered then, and its approval stays open', async () => {
    const began = performance.now();
    const args = ['call', 'create_file', '--path', 'w.txt', '--content', 'x', '--wait', '1'];
    const env = { BOWLINE_URL: sides.url, BOWLINE_TOKEN: sides.token };
    const { code, stderr } = await runBowline(args, { env });
    expect([code, stderr]).toEqual([3, expect.stringContaining('The owner has to approve this call first')]);
    // Without the header it takes 40 seconds.
    expect(performance.now() - began).toBeLessThan(38_000);
    const asked = await waiting();
    await sides.owner.call('POST', `approvals/${asked}`, { decision: 'deny' });
  });

  it.each(['271', '-1', '1.5', 'x'])('is refused with `--wait %s`', async (seconds) => {
    const { code, stderr } = await runBowline(['call', 'hello', `--wait=${seconds}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('whole seconds from 0 to 270')]);
  });
});

describe('a late yes to an edit on a real machine', () => {
  it('edits the file, and the same call is told so', async () => {
    const code = await askAndLeave('a.txt');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one');
    expect(await run(code)).toEqual({ state: 'approved', outcome: 'ok' });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('two');
    expect(await sides.call('replace_string_in_file', edit('a.txt'))).toMatchObject({
      success: true,
      replayed: true,
    });
    const { entries } = (await sides.owner.call('GET', 'ledger?tool=replace_string_in_file')) as {
      entries: { via: string; machine: string; because: string }[];
    };
    expect(entries).toContainEqual(
      expect.objectContaining({
        ...{ via: 'owner', machine: 'late', because: `approval ${code}`, outcome: 'ok' },
        files: ['a.txt'],
      }),
    );
  });

  it('runs once, for the caller, if that one still waits', async () => {
    writeFileSync(at('held.txt'), 'one');
    const answer = sides.call('replace_string_in_file', edit('held.txt'));
    const code = await waiting();
    await expect.poll(() => about(code), { timeout: SOON_MS }).toMatchObject({ held: true });
    const said = await run(code).catch((error: unknown) => String(error));
    expect(said).toEqual({ state: 'approved', outcome: 'running' });
    const answered = await answer;
    expect(answered).toMatchObject({ success: true });
    expect(answered).not.toMatchObject({ replayed: true });
    expect(readFileSync(at('held.txt'), 'utf8')).toBe('two');
  });

  it('writes nothing over what the owner did not see, and asks anew', async () => {
    const code = await askAndLeave('b.txt');
    writeFileSync(at('b.txt'), 'one and more');
    await expect(run(code)).rejects.toThrow(/has changed since the owner saw/);
    expect(readFileSync(at('b.txt'), 'utf8')).toBe('one and more');
    const next = await waiting();
    expect(next).not.toBe(code);
    await sides.owner.call('POST', `approvals/${next}`, { decision: 'deny' });
  });

  it('does nothing while the machine is away, nor when it comes back', async () => {
    const code = await askAndLeave('c.txt');
    await sides.killBridge();
    await expect.poll(() => sides.isOnline(), { timeout: SOON_MS }).toBe(false);
    await expect(run(code)).rejects.toThrow(/offline|not been connected/i);
    sides.startBridge();
    await expect.poll(() => sides.isOnline(), { timeout: SOON_MS }).toBe(true);
    expect(readFileSync(at('c.txt'), 'utf8')).toBe('one');
  });
});

describe('a late yes to an entry of the memory', () => {
  it('writes its keys in the order in which they were sent, at any depth', async () => {
    const entry = {
      zeal: 1,
      type: 'note',
      timestamp: '2026-11-19T12:00:00Z',
      'a"b': { y: [{ d: 1, c: '…' }], x: 2 },
    };
    const code = await ask('write_memory_entry', { file: 'progress_log.jsonl', entry });
    expect(await run(code)).toEqual({ state: 'approved', outcome: 'ok' });
    const read = await fetch(`${sides.url}/tools/read_repo_file`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sides.token}` },
      body: JSON.stringify({ path: '.claude/memory/progress_log.jsonl' }),
    });
    const { content } = (await read.json()) as { content: string };
    expect(content.trimEnd().split('\n').at(-1)).toBe(JSON.stringify(entry));
  });
});
