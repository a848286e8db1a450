import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { conformAll } from '../../../src/joined/conform.ts';
import { lookUp, toolNamed } from '../../support/joined-server.ts';
import { SOON_MS } from '../../support/soon.ts';
import { gateNamed } from '../gate/rig.ts';
import { enrolDevice } from '../machines/device.ts';
import { openHost } from './rig.ts';

const owner = () => gateNamed('owner');
const names = async () => ((await owner().servers()) as { name: string }[]).map(({ name }) => name);
const told = (name: string, tools: unknown[] = [lookUp]) => ({ name, tools, left_out: [] });

afterEach(async () => {
  for (const name of await names()) await owner().removeServer(name);
});

describe('the servers that a machine has joined', () => {
  it('are listed with the machine’s name, held against the rules once more, and call that machine alone', async () => {
    const host = await openHost();
    const gate = host.stub();
    const tools = [lookUp, { ...lookUp, name: 'bad name' }, toolNamed('two', { description: '' })];
    expect(await gate.takeMachineServers({ id: 'm_1', name: 'mini' }, [told('notes', tools)])).toBe(true);
    expect(await host.gate().server('notes')).toMatchObject({
      url: null,
      machine: 'mini',
      tools: [{ wireName: 'notes__look_up', grade: null }],
      leftOut: [{ name: 'bad name' }, { name: 'two' }],
    });
    host.joined.forget();
    const tool = await host.joined.find('notes__look_up');
    expect(tool?.contract).toMatchObject({ runsOn: 'machine', scope: 'machine', risk: 'dangerous' });
    await host.gradeOf('notes', 'look_up', 'read_only');
    const graded = await host.joined.find('notes__look_up');
    expect(await graded?.call({ word: 'a' }, host.caller)).toMatchObject({
      failure: { code: 'internal_error' },
    });
    expect(host.onMachine).toEqual([['notes__look_up', 'm_1']]);
  });

  it('come, change and go with what the machine says, and say nothing twice', async () => {
    const host = await openHost();
    const gate = host.stub();
    const mini = { id: 'm_1', name: 'mini' };
    expect(await gate.takeMachineServers(mini, [told('notes')])).toBe(true);
    await host.gradeOf('notes', 'look_up', 'read_only');
    expect(await gate.takeMachineServers(mini, [told('notes')])).toBe(false);
    expect((await host.gate().server('notes'))?.tools).toMatchObject([{ grade: 'read_only' }]);
    const changed = toolNamed('look_up', { description: 'Looks up and tells.' });
    expect(await gate.takeMachineServers(mini, [told('notes', [changed])])).toBe(true);
    expect((await host.gate().server('notes'))?.tools).toMatchObject([{ grade: null }]);
    expect(await gate.takeMachineServers(mini, [])).toBe(true);
    expect(await host.gate().server('notes')).toBeNull();
  });

  it('cannot take the name of a server that another has', async () => {
    const host = await openHost();
    const gate = host.stub();
    await gate.takeMachineServers({ id: 'm_1', name: 'mini' }, [told('notes')]);
    await gate.takeMachineServers({ id: 'm_2', name: 'studio' }, [told('notes', []), told('words', [])]);
    expect(await host.gate().server('notes')).toMatchObject({ machine: 'mini', tools: [{}] });
    expect(await host.gate().server('words')).toMatchObject({ url: host.server.url });
  });

  it('and tells its owner, until it has a name of its own, whatever the other one says meanwhile', async () => {
    const host = await openHost();
    const [mini, studio] = [
      { id: 'm_1', name: 'mini' },
      { id: 'm_2', name: 'studio' },
    ];
    const problem = async () => (await host.gate().server('notes'))?.problem;
    await host.stub().takeMachineServers(mini, [told('notes')]);
    expect(await problem()).toBeNull();
    for (const machine of [studio, mini, studio]) {
      await host.stub().takeMachineServers(machine, [told('notes')]);
      expect(await problem()).toMatch(/of this name on studio as well, which is left out/);
    }
    await host.stub().takeMachineServers(studio, [told('other')]);
    expect(await problem()).toBeNull();
  });

  it('go when the machine is shut out', async () => {
    const device = await enrolDevice('mini');
    await owner().takeMachineServers({ id: device.id, name: 'mini' }, [told('notes')]);
    expect(await names()).toEqual(['notes']);
    await device.stub().revoke();
    await vi.waitFor(async () => expect(await names()).toEqual([]), { timeout: SOON_MS });
    expect(env.GATE).toBeDefined();
  });

  it('have the same contract on both sides, so that what was approved is what runs', () => {
    const [here] = conformAll('notes', [lookUp]).tools;
    const [there] = conformAll('notes', JSON.parse(JSON.stringify([here]))).tools;
    expect(there?.hash).toBe(here?.hash);
    expect(there?.inputSchema).toEqual(here?.inputSchema);
  });
});
