import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LINK } from '../../contracts/link.ts';
import { startTwoSides } from '../support/two-sides.ts';
import { decideUntil } from '../support/waiting-calls.ts';

// What was let in under a loan and waits at a machine that is busy, when the loan is taken back.

const session = 'work';
/** Commands that take all room of the machine: two lots, because a caller may have five calls waiting for the owner. */
const HALVES = [0, 1].map((half) => Array.from({ length: LINK.running / 2 }, (_, i) => `busy-${half}-${i}`));
let sides: Awaited<ReturnType<typeof startTwoSides>>;
let client: Client;

beforeAll(async () => {
  sides = await startTwoSides('mini', { approves: false });
  client = new Client({ name: 'busy', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${sides.token}` };
  const url = new URL(`${sides.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
}, 240_000);
afterAll(async () => {
  await client?.close();
  await sides?.stop();
});

const made = (name: string) => existsSync(join(sides.root, name));
async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function call(tool: string, args: object) {
  const { content, isError = false } = await client.callTool(
    { name: tool, arguments: { ...args } },
    { timeout: 240_000 },
  );
  const [first] = content;
  return { ok: !isError, text: first?.type === 'text' ? first.text : '' };
}
/** Makes a call, and decides so about whatever waits meanwhile. */
async function decided(decision: string, tool: string, args: object) {
  const calling = call(tool, args);
  await decideUntil(calling, sides.owner, { decision });
  return calling;
}

interface Loan {
  readonly id: string;
  readonly last: readonly { readonly outcome: string | null }[];
}
const loans = async () => ((await sides.owner.call('GET', 'loans')) as { loans: Loan[] }).loans;

describe('a lent terminal that is taken back while its machine is busy', () => {
  it('is typed nothing of what waited there', async () => {
    expect(await decided('lend', 'terminal_start', { session })).toMatchObject({ ok: true });
    const [loan] = await loans();
    for (const names of HALVES) {
      for (const name of names) {
        const command = `touch ${name}; while [ ! -e over ]; do sleep 0.2; done`;
        // Its caller may be told that it still runs.
        call('run_in_terminal', { command, timeout_seconds: 120 }).catch(() => undefined);
      }
      await decideUntil(
        until(() => names.every(made)),
        sides.owner,
        { decision: 'approve' },
      );
    }

    const typing = call('terminal_send', { session, text: 'touch typed\n', program: true });
    await until(async () => (await loans())[0]?.last[0]?.outcome === null);
    expect(await sides.owner.call('DELETE', `loans/${loan?.id}`)).toEqual({ taken_back: 1 });
    expect(await typing).toMatchObject({
      ok: false,
      text: expect.stringContaining('cancelled before it began'),
    });

    writeFileSync(join(sides.root, 'over'), '');
    const last = { session, text: 'touch last\n', program: true };
    expect(await decided('approve', 'terminal_send', last)).toMatchObject({ ok: true });
    await until(() => made('last'));
    expect(made('typed')).toBe(false);
    const { text } = await call('terminal_read', { session });
    expect(text).toContain('touch last');
    expect(text).not.toContain('touch typed');
  });
});
