import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTwoSides } from '../support/two-sides.ts';
import { decideUntil } from '../support/waiting-calls.ts';

let sides: Awaited<ReturnType<typeof startTwoSides>>;
beforeAll(async () => {
  sides = await startTwoSides('undo', { approves: false });
}, 240_000);
afterAll(() => sides?.stop());

const at = (name: string) => join(sides.root, name);
const send = (path: string, init: RequestInit = {}) =>
  fetch(sides.url + path, {
    ...init,
    redirect: 'manual',
    headers: { cookie: sides.owner.headers.cookie ?? '', origin: sides.url },
  });
const press = (path: string) => {
  const csrf = sides.owner.headers['x-csrf-token'] ?? '';
  return send(path, { method: 'POST', body: new URLSearchParams({ csrf }) });
};

/** Makes a call that the owner approves, and gives its page in the ledger. */
async function called(tool: string, args: object): Promise<string> {
  const calling = sides.call(tool, args);
  await decideUntil(calling, sides.owner, { decision: 'approve' });
  expect(await calling).toMatchObject({ success: true });
  const { entries } = (await sides.owner.call('GET', `ledger?tool=${tool}&limit=1`)) as {
    entries: { seq: number }[];
  };
  return `/ledger/${entries[0]?.seq}`;
}

describe('the button of a call in the ledger', () => {
  it('asks with the diff, and puts back what the call changed once its owner says yes', async () => {
    writeFileSync(at('a.txt'), 'one\n');
    writeFileSync(at('b.txt'), 'two\n');
    const edits = [
      { op: 'replace', path: 'a.txt', old: 'one', text: 'ONE' },
      { op: 'delete', path: 'b.txt' },
    ];
    const page = await called('edit_files', { edits });
    expect(await (await send(page)).text()).toContain(`action="${page}/undo"`);
    const answer = await press(`${page}/undo`);
    const approval = answer.headers.get('location') ?? '';
    expect([answer.status, approval]).toEqual([303, expect.stringMatching(/^\/approvals\/\w{4}-\w{4}$/)]);
    expect(existsSync(at('b.txt'))).toBe(false);
    const shown = await (await send(approval)).text();
    for (const text of ['ONE', 'two', 'Puts 2 files back as before that call']) expect(shown).toContain(text);
    await sides.owner.call('POST', approval.slice(1), { decision: 'run' });
    expect([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('b.txt'), 'utf8')]).toEqual([
      'one\n',
      'two\n',
    ]);
  });

  it('says what stands in the way, and asks nobody then', async () => {
    const page = await called('create_file', { path: 'c.txt', content: 'made' });
    writeFileSync(at('c.txt'), 'mine');
    const answer = await press(`${page}/undo`);
    expect([answer.status, await answer.text()]).toEqual([
      409,
      expect.stringContaining('c.txt was changed since'),
    ]);
    expect(readFileSync(at('c.txt'), 'utf8')).toBe('mine');
  });

  it('is missing where nothing was changed', async () => {
    const page = await called('list_dir', {});
    expect(await (await send(page)).text()).not.toContain('/undo"');
    expect((await press(`${page}/undo`)).status).toBe(409);
    expect((await press('/ledger/999999/undo')).status).toBe(404);
  });

  it('does nothing for a form from elsewhere', async () => {
    const page = await called('create_file', { path: 'd.txt', content: 'made' });
    const answer = await send(`${page}/undo`, { method: 'POST', body: new URLSearchParams({ csrf: 'x' }) });
    expect(answer.status).toBe(403);
    const { approvals } = (await sides.owner.call('GET', 'approvals?state=pending')) as {
      approvals: unknown[];
    };
    expect(approvals).toEqual([]);
  });
});
