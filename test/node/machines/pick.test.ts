import { describe, expect, it } from 'vitest';
import { type Known, picker } from '../../../src/machines/pick.ts';

/** A picker over machines of which some are online; `*` marks the default. */
function machinesNamed(...names: string[]) {
  let known: Known[] = [];
  const online = new Set<string>();
  const failing = new Set<string>();
  const reported: unknown[] = [];
  const asked = { registry: 0, status: 0 };
  const pair = (...more: string[]) => {
    known = more.map((name) => {
      const plain = name.replace('*', '');
      return { id: `m_${plain}`, name: plain, isDefault: name.endsWith('*') };
    });
  };
  pair(...names);
  const { pick } = picker(
    async () => {
      asked.registry += 1;
      return known;
    },
    async (id) => {
      asked.status += 1;
      if (failing.has(id)) throw new Error('the object cannot be reached');
      return { online: online.has(id), since: null, roots: [] };
    },
    (error) => reported.push(error),
  );
  const up = (...them: string[]) => {
    online.clear();
    for (const name of them) online.add(`m_${name}`);
  };
  const chosen = async (name?: string) => {
    const picked = await pick(name);
    return 'kind' in picked ? picked.failure : picked.name;
  };
  return { pair, up, chosen, reported, asked, fail: (name: string) => failing.add(`m_${name}`) };
}

describe('choosing the machine of a call', () => {
  it('takes the one that is named, whatever its case and whether or not it is online', async () => {
    const { chosen, up, asked } = machinesNamed('mini', 'Desk*');
    up('mini');
    expect(await chosen('mini')).toBe('mini');
    expect(await chosen('desk')).toBe('Desk');
    expect(await chosen('MINI')).toBe('mini');
    expect(asked).toEqual({ registry: 1, status: 0 });
  });

  it('says of a name that nobody has which there are, and which was meant', async () => {
    const { chosen } = machinesNamed('mini', 'desk');
    expect(await chosen('minj')).toMatchObject({
      ...{ code: 'unknown_machine', http_status: 404 },
      message: 'No machine called minj is paired. There are: mini, desk.',
      suggestion: 'Did you mean mini? Name it in `machine`.',
    });
    expect(await chosen('elsewhere')).toMatchObject({
      code: 'unknown_machine',
      suggestion: expect.stringContaining('`list_machines`'),
    });
  });

  it('says that none is paired, whether or not one is named', async () => {
    const { chosen } = machinesNamed();
    expect(await chosen()).toMatchObject({
      ...{ code: 'unknown_machine', message: 'No machine is paired yet.' },
      suggestion: expect.stringContaining('bowline pair'),
    });
    expect(await chosen('mini')).toMatchObject({ message: 'No machine called mini is paired.' });
  });

  it('finds one that was paired a moment ago', async () => {
    const { chosen, pair, up } = machinesNamed();
    await chosen();
    pair('mini', 'desk');
    up('desk');
    expect(await chosen()).toBe('desk');
    pair('mini', 'desk', 'new');
    expect(await chosen('new')).toBe('new');
  });

  it('takes the only one there is without asking how it is', async () => {
    const { chosen, asked } = machinesNamed('mini');
    expect(await chosen()).toBe('mini');
    expect(asked.status).toBe(0);
  });

  it('takes the only one online, even before the default', async () => {
    const { chosen, up } = machinesNamed('mini*', 'desk', 'attic');
    up('desk');
    expect(await chosen()).toBe('desk');
  });

  it('takes the default of several online, and of several that are not', async () => {
    const several = machinesNamed('mini', 'desk*', 'attic');
    several.up('mini', 'desk', 'attic');
    expect(await several.chosen()).toBe('desk');
    const none = machinesNamed('mini', 'desk*');
    expect(await none.chosen()).toBe('desk');
  });

  it('names the choices where there are several, those online alone', async () => {
    const { chosen, up } = machinesNamed('mini', 'desk', 'attic');
    up('mini', 'attic');
    expect(await chosen()).toMatchObject({
      ...{ code: 'ambiguous_machine', http_status: 409 },
      message: 'More than one could run this. There are: mini, attic.',
      suggestion: expect.stringContaining('`machine`'),
    });
  });

  it('says that none is online, and which there are', async () => {
    const { chosen } = machinesNamed('mini', 'desk');
    expect(await chosen()).toMatchObject({
      ...{ code: 'machine_offline', http_status: 503 },
      message: 'None of the machines is online. There are: mini, desk.',
    });
  });

  it('turns nobody away by what was so a moment ago', async () => {
    const { chosen, up } = machinesNamed('mini', 'desk');
    expect(await chosen()).toMatchObject({ code: 'machine_offline' });
    up('mini');
    expect(await chosen()).toBe('mini');
  });

  it('chooses among the others while one machine’s object fails', async () => {
    const { chosen, up, fail, reported } = machinesNamed('mini', 'desk');
    up('desk');
    fail('mini');
    expect(await chosen()).toBe('desk');
    expect(reported).toHaveLength(1);
    expect(await chosen('mini')).toBe('mini');
  });
});
