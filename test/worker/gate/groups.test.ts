import { afterEach, describe, expect, it } from 'vitest';
import { type AnyContract, GROUPS, type Group } from '../../../contracts/contract.ts';
import { catalogue, gatewayTools } from '../../../contracts/index.ts';
import { api, later, personalToken, signedIn } from '../auth/owner.ts';
import { clientWith } from '../clients.ts';
import { type Era, send } from '../http.ts';
import { admitAt, saidTo } from './gate-calls.ts';
import { gateNamed, openRig } from './rig.ts';

const gate = () => gateNamed('owner');
afterEach(() => gate().changeSetting('groups_off', []));

const namesIn = (groups: readonly Group[]) =>
  Object.values(catalogue).flatMap((contract) =>
    contract.group !== undefined && groups.includes(contract.group) ? [contract.wireName] : [],
  );
const all = Object.values(catalogue).map(({ wireName }) => wireName);
const without = (groups: readonly Group[]) => all.filter((name) => !namesIn(groups).includes(name));

const here: AnyContract[] = Object.values(gatewayTools);

const switchOff = async (groups: readonly Group[]) => {
  const saved = await api(await signedIn(), 'PUT', 'settings/groups_off', { value: groups });
  expect(saved.status).toBe(200);
};
const asJson = async (path: string) => (await send(path)).json();

async function listed(secret: string, era: Era): Promise<string[]> {
  const { tools } = await (await clientWith(secret, era)).listTools();
  return tools.map(({ name }) => name);
}

describe('a group of tools that the owner switched off', () => {
  it.each(['2025', '2026'] as const)(
    'is in no list over MCP of %s, and is back when it is on again',
    async (era) => {
      const { secret } = await personalToken(['read']);
      expect(await listed(secret, era)).toEqual(all);
      await switchOff(['web', 'terminal']);
      expect(await listed(secret, era)).toEqual(without(['web', 'terminal']));
      await switchOff([]);
      expect(await listed(secret, era)).toEqual(all);
    },
  );

  it('is in no list over HTTP', async () => {
    await switchOff(['models']);
    const { tools } = (await asJson('/tools')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(without(['models']));
    const functions = (await asJson('/openai/functions.json')) as { function: { name: string } }[];
    expect(functions.map((one) => one.function.name)).toEqual(without(['models']));
    const { paths } = (await asJson('/openapi.json')) as { paths: object };
    expect(Object.keys(paths)).not.toContain('/tools/mlx_load');
  });

  it.each(here.flatMap((one) => (one.group === undefined ? [] : [[one.wireName, one] as const])))(
    'is refused, and says by whom: %s',
    async (name, { group, examples }) => {
      await switchOff(GROUPS.filter((one) => one === group));
      const { secret } = await personalToken(['read', 'write']);
      const [{ input }] = examples;
      const result = await (await clientWith(secret)).callTool({ name, arguments: { ...(input as object) } });
      expect(result._meta?.['dev.bowline/error']).toMatchObject({
        code: 'group_off',
        http_status: 403,
        message: `The owner has switched off the tools of the group \`${group}\`.`,
        suggestion: expect.stringContaining('bowline groups on'),
      });
    },
  );

  it('lets nothing of it run, not even what a rule allows or what ran before', async () => {
    const rig = openRig();
    const call = { group: 'files', approval: 'never', risk: 'safe_write', idempotencyKey: 'k' } as const;
    await rig.inGate((sql) => {
      expect(saidTo(admitAt(sql, 1_000, call))).toBe('admitted');
      const groupsOff = new Set(['files', 'web'] as const);
      expect(saidTo(admitAt(sql, 2_000, call, { groupsOff }))).toBe('group_off');
      expect(saidTo(admitAt(sql, 3_000, { group: 'git' }, { groupsOff }))).not.toBe('group_off');
    });
  });

  it('is named to every client that begins', async () => {
    const { secret } = await personalToken(['read']);
    await switchOff(['web', 'models']);
    expect((await clientWith(secret)).getInstructions()).toContain(
      'The owner switched off these groups of tools: web, models.',
    );
    await switchOff([]);
    expect((await clientWith(secret)).getInstructions()).not.toContain('switched off');
  });

  it('keeps its resources closed as well', async () => {
    const { secret } = await personalToken(['read']);
    await switchOff(['memory']);
    const client = await clientWith(secret);
    await expect(client.readResource({ uri: 'memory://decisions.jsonl' })).rejects.toMatchObject({
      data: { 'dev.bowline/error': { code: 'group_off' } },
    });
  });
});

describe('switching a group', () => {
  it('needs a fresh proof, and a known group', async () => {
    const own = await signedIn();
    expect((await api(own, 'PUT', 'settings/groups_off', { value: ['hello'] })).status).toBe(400);
    await api(own, 'PUT', 'settings/groups_off', { value: ['web'] });
    later(10 * 60_000);
    const stale = await api(own, 'PUT', 'settings/groups_off', { value: [] });
    expect(await stale.json()).toMatchObject({ code: 'proof_needed' });
    expect(await gate().setting('groups_off')).toEqual(['web']);
  });

  it('is done on the Settings page', async () => {
    const own = await signedIn();
    const form = { csrf: own.csrf, max_pending: '20', group_web: 'off', group_files: 'on' };
    expect((await own.submit('/settings', form)).status).toBe(303);
    expect(await gate().setting('groups_off')).toEqual(['web']);
    const html = await (await own.send('/settings')).text();
    expect(html).toMatch(/name="group_web".*?<option value="off" selected/s);
    expect(html).toMatch(/name="group_files".*?<option value="on" selected/s);
  });
});
