import { describe, expect, it } from 'vitest';
import { announcedServers, MAX_ANNOUNCED_CHARS } from '../../../contracts/link-servers.ts';
import { announce } from '../../../local-bridge/agent/servers/announce.ts';
import type { Standing } from '../../../local-bridge/agent/servers/server.ts';
import { conformAll } from '../../../src/joined/conform.ts';

const toolNamed = (name: string, description = 'Says.') => ({
  ...{ name, description, title: 'Say' },
  ...{ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
});

const standing = (name: string, tools: readonly unknown[]): Standing => ({
  ...{ name, is: 'up', problem: null, restarts: 0 },
  conformity: conformAll(name, tools),
});

describe('what a machine says of the servers it joined', () => {
  it('is every tool that conforms, and why each other one is left out', () => {
    const [said] = announce([standing('notes', [toolNamed('say'), { name: 'broken' }])]);
    expect(said?.tools.map(({ name }) => name)).toEqual(['say']);
    expect(said?.left_out).toMatchObject([
      { name: 'broken', reasons: expect.arrayContaining(['It has no description.']) },
    ]);
  });

  it('makes the same tool of it at the gateway, hints included', () => {
    const hinted = { ...toolNamed('say'), annotations: { readOnlyHint: true, openWorldHint: false } };
    const [here] = conformAll('notes', [hinted]).tools;
    const [there] = conformAll('notes', announce([standing('notes', [hinted])])[0]?.tools ?? []).tools;
    expect(there).toEqual(here);
    expect(there?.hints).toEqual({ readOnly: true, openWorld: false });
  });

  it('fits its greeting however much there is, and counts what it had no room for', () => {
    const long = 'x'.repeat(1_000);
    const many = Array.from({ length: 120 }, (_, n) => toolNamed(`tool_${n}`, long));
    const servers = Array.from({ length: 8 }, (_, n) => standing(`server-${n}`, many));
    const said = announce(servers);
    expect(said).toHaveLength(8);
    expect(JSON.stringify(said).length).toBeLessThanOrEqual(MAX_ANNOUNCED_CHARS);
    expect(announcedServers.safeParse(said).error).toBeUndefined();
    const last = said.at(-1);
    const missing = 120 - (last?.tools.length ?? 0);
    expect(missing).toBeGreaterThan(0);
    expect(last?.left_out).toMatchObject([
      { name: `(${missing} more)`, reasons: ['They did not fit into the machine’s list.'] },
    ]);
  });
});
