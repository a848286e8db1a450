import { afterEach, describe, expect, it, vi } from 'vitest';
import { inOwner, type OwnerBrowser, signedIn } from '../auth/owner.ts';
import { gateNamed } from '../gate/rig.ts';

interface ToolView {
  readonly hash: string;
  readonly grade: string | null;
}

/** The gate that the product itself asks. */
const gate = () => gateNamed('owner');
const machine = { id: 'm_1', name: 'mini' };
const tool = (description: string, name = 'say') => ({
  ...{ name, description },
  ...{ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
});
const joined = (...tools: object[]) =>
  gate().takeMachineServers(machine, [
    {
      name: 'notes',
      tools: tools as never,
      left_out: [{ name: 'broken', reasons: ['It has <b>no</b> list.'] }],
    },
  ]);
// What comes over RPC has a type too deep to be read.
const toolKept = async () =>
  ((await gate().server('notes')) as { readonly tools: readonly ToolView[] } | null)?.tools[0];
const hashOf = async () => (await toolKept())?.hash ?? '';

afterEach(async () => {
  vi.useRealTimers();
  await gate().takeMachineServers(machine, []);
});

const grade = async (own: OwnerBrowser, more: Record<string, string> = {}) => {
  const fields = { csrf: own.csrf, name: 'notes', tool: 'say', hash: await hashOf(), grade: 'read_only' };
  const answer = await own.submit('/servers/grade', { ...fields, ...more });
  return { status: answer.status, html: await answer.text() };
};
const gradeKept = async () => (await toolKept())?.grade;

describe('the page of a joined server', () => {
  it('shows its tools, what is left out and why, and what each is graded as', async () => {
    await joined(tool('Says <i>it</i>.'));
    const html = await (await (await signedIn()).send('/servers')).text();
    expect(html).toContain('notes__say');
    expect(html).toContain('mini');
    expect(html).toContain('It has &lt;b&gt;no&lt;/b&gt; list.');
    expect(html).toContain('Says &lt;i&gt;it&lt;/i&gt;.');
  });

  it('grades a tool as it was seen, and takes the grade back', async () => {
    await joined(tool('Says.'));
    const own = await signedIn();
    expect((await grade(own)).status).toBe(303);
    expect(await gradeKept()).toBe('read_only');
    expect((await grade(own, { grade: '' })).status).toBe(303);
    expect(await gradeKept()).toBeNull();
    for (const more of [{ name: 'none' }, { tool: 'none' }, { grade: 'harmless' }, { hash: 'x' }])
      expect((await grade(own, more)).status).toBe(400);
    expect(await gradeKept()).toBeNull();
  });

  it('grades no tool that has changed since it was looked at', async () => {
    await joined(tool('Says.'));
    const own = await signedIn();
    const seen = await hashOf();
    await joined(tool('Says, and deletes.'));
    const { status, html } = await grade(own, { hash: seen });
    expect([status, html.includes('has changed since you looked at it')]).toEqual([400, true]);
    expect(await gradeKept()).toBeNull();
  });

  it('lets nobody who only has a session say that a tool may run without asking', async () => {
    await joined(tool('Says.'));
    const own = await signedIn();
    await inOwner((sql) => sql.exec('UPDATE session SET proven_at = 0'));
    const { html } = await grade(own);
    expect(html).toContain('Is it you?');
    expect(await gradeKept()).toBeNull();
    expect((await grade(own, { grade: 'dangerous' })).status).toBe(303);
  });
});
