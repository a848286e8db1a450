import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBowline } from '../support/command.ts';
import { startTwoSides } from '../support/two-sides.ts';

let sides: Awaited<ReturnType<typeof startTwoSides>>;
beforeAll(async () => {
  sides = await startTwoSides('late', { approves: false });
}, 240_000);
afterAll(() => sides?.stop());

const at = (name: string) => join(sides.root, name);
const edit = (path: string) => ({ path, old_string: 'one', new_string: 'two' });

async function waiting(): Promise<string | undefined> {
  const { approvals } = (await sides.owner.call('GET', 'approvals?state=pending')) as {
    approvals: { code: string }[];
  };
  return approvals[0]?.code;
}

const about = async (code: string) =>
  (await sides.owner.call('GET', `approvals/${code}`)) as { held: boolean; state: string };

/** A client whose person can be led to a page, and that is not held meanwhile. */
const asksByUrl = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
};

/** Asks for an edit of a new file, and leaves before the owner decides. */
async function askAndLeave(path: string): Promise<string> {
  writeFileSync(at(path), 'one');
  const tool = 'replace_string_in_file';
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
      params: { name: tool, arguments: edit(path), _meta: asksByUrl },
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
    let code: string | undefined;
    while (!code || !(await about(code)).held) code = await waiting();
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
    await expect(run(code)).rejects.toThrow(/not what the owner saw/);
    expect(readFileSync(at('b.txt'), 'utf8')).toBe('one and more');
    let next: string | undefined;
    while (!next) next = await waiting();
    expect(next).not.toBe(code);
    await sides.owner.call('POST', `approvals/${next}`, { decision: 'deny' });
  });

  it('does nothing while the machine is away, nor when it comes back', async () => {
    const code = await askAndLeave('c.txt');
    await sides.killBridge();
    while (await sides.isOnline());
    await expect(run(code)).rejects.toThrow(/offline|not connected/i);
    sides.startBridge();
    while (!(await sides.isOnline()));
    expect(readFileSync(at('c.txt'), 'utf8')).toBe('one');
  });
});
