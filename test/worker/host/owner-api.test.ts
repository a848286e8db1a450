import { afterEach, describe, expect, it } from 'vitest';
import { api, signedIn } from '../auth/owner.ts';
import { gateNamed } from '../gate/rig.ts';
import { send } from '../http.ts';

const owner = () => gateNamed('owner');
const names = async () => ((await owner().servers()) as { name: string }[]).map(({ name }) => name);

afterEach(async () => {
  for (const name of await names()) await owner().removeServer(name);
});

async function ask(method: string, path: string, body?: unknown) {
  const response = await api(await signedIn(), method, path, body);
  return [response.status, await response.json<Record<string, unknown>>()] as const;
}

describe('joined servers in the owner’s hands', () => {
  it('are added, shown and removed; one that nobody may reach shows why', async () => {
    const [status, added] = await ask('POST', 'servers', {
      name: 'inside',
      url: 'http://127.0.0.1:1/mcp',
      token: 'secret-1',
    });
    expect([status, added]).toMatchObject([
      200,
      {
        server: {
          name: 'inside',
          problem: expect.stringMatching(/is not fetched/),
          signIn: 'token',
          tools: [],
        },
      },
    ]);
    expect(await ask('GET', 'servers')).toMatchObject([200, { servers: [{ name: 'inside' }] }]);
    expect(JSON.stringify(await ask('GET', 'servers/inside'))).not.toContain('secret-1');
    expect(await ask('POST', 'servers', { name: 'inside', url: 'https://a.example' })).toMatchObject([
      409,
      { code: 'name_taken' },
    ]);
    expect(await ask('DELETE', 'servers/inside')).toEqual([200, { removed: true }]);
    expect(await ask('DELETE', 'servers/inside')).toMatchObject([404, { code: 'not_found' }]);
    expect(await owner().serverSecret('inside')).toBeNull();
  });

  it('are given another token or none, looked at again, and say why nobody can sign in there', async () => {
    const url = 'http://127.0.0.1:1/mcp';
    await ask('POST', 'servers', { name: 'inside', url });
    expect(await owner().serverSecret('inside')).toBeNull();
    const [, { server }] = await ask('PUT', 'servers/inside/token', { token: 'secret-2' });
    expect(server).toMatchObject({ signIn: 'token', problem: expect.stringMatching(/is not fetched/) });
    expect(await owner().serverSecret('inside')).toContain('secret-2');
    expect(await ask('POST', 'servers/inside/check', {})).toMatchObject([
      200,
      { server: { name: 'inside' } },
    ]);
    expect(await ask('POST', 'servers/inside/sign-in', {})).toMatchObject([
      502,
      { message: expect.any(String) },
    ]);
    expect(await ask('PUT', 'servers/inside/token', { token: '' })).toMatchObject([400, {}]);
    expect(await ask('PUT', 'servers/inside/token', { token: null })).toMatchObject([200, {}]);
    expect(await owner().serverSecret('inside')).toBeNull();
    expect(await ask('PUT', 'servers/none/token', { token: 'x' })).toMatchObject([
      404,
      { code: 'not_found' },
    ]);
  });

  it.each([
    { name: 'a_b', url: 'https://a.example' },
    { name: 'A', url: 'https://a.example' },
    { name: 'x'.repeat(25), url: 'https://a.example' },
    { name: 'a', url: 'file:///etc/passwd' },
    { name: 'a', url: 'https://a.example', command: 'sh' },
    { name: 'a' },
  ])('are refused when they are not described as they must be: %j', async (body) => {
    expect(await ask('POST', 'servers', body)).toMatchObject([400, { code: 'invalid_input' }]);
    expect(await names()).toEqual([]);
  });

  it('are graded for the tool as it was seen, and for no other', async () => {
    const tool = {
      name: 'say',
      description: 'Says.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
    };
    await owner().takeMachineServers({ id: 'm_1', name: 'mini' }, [
      { name: 'notes', tools: [tool], left_out: [] },
    ]);
    const [, { server }] = await ask('GET', 'servers/notes');
    const [{ hash }] = (server as { tools: [{ hash: string }] }).tools;
    const grade = (more: object) =>
      ask('POST', 'servers/notes/grade', { tool: 'say', hash, grade: 'read_only', ...more });
    expect(await grade({})).toMatchObject([200, { server: { tools: [{ grade: 'read_only' }] } }]);
    expect(await grade({ hash: '0'.repeat(64) })).toMatchObject([409, { code: 'tool_changed' }]);
    expect(await grade({ tool: 'none' })).toMatchObject([404, {}]);
    expect(await grade({ grade: 'harmless' })).toMatchObject([400, {}]);
    expect(await grade({ grade: null })).toMatchObject([200, { server: { tools: [{ grade: null }] } }]);
    expect(await ask('POST', 'servers/notes/check', {})).toMatchObject([
      400,
      { suggestion: expect.stringContaining('mini') },
    ]);
  });

  it('are graded all at once as their hints propose, for the tools as they were seen', async () => {
    const schema = { type: 'object' };
    const tool = { name: 'say', description: 'Says.', inputSchema: schema, outputSchema: schema };
    await owner().takeMachineServers({ id: 'm_1', name: 'mini' }, [
      { name: 'notes', tools: [{ ...tool, annotations: { readOnlyHint: true } }], left_out: [] },
    ]);
    const [, { server }] = await ask('GET', 'servers/notes');
    const [{ hash, proposal }] = (server as { tools: [{ hash: string; proposal: string }] }).tools;
    expect(proposal).toBe('read_only');
    const accept = (tools: unknown) => ask('POST', 'servers/notes/proposals', { tools });
    expect(await accept([])).toMatchObject([400, { code: 'invalid_input' }]);
    expect(await accept([{ name: 'say', hash, grade: 'read_only' }])).toMatchObject([400, {}]);
    expect(await accept([{ name: 'say', hash: '0'.repeat(64) }])).toMatchObject([
      409,
      { code: 'tool_changed' },
    ]);
    expect(await accept([{ name: 'none', hash }])).toMatchObject([404, {}]);
    expect(await accept([{ name: 'say', hash }])).toMatchObject([
      200,
      { server: { tools: [{ grade: 'read_only', proposal: null }] } },
    ]);
  });

  it('are nobody else’s to see or to change', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', '/x'],
      ['POST', '/x/grade'],
      ['POST', '/x/proposals'],
      ['POST', '/x/sign-in'],
    ]) {
      const response = await send(`/api/owner/servers${path}`, { method: method ?? 'GET' });
      expect(response.status).toBe(401);
    }
    expect((await send('/servers/callback?state=words.x&code=y')).status).toBe(502);
  });
});
