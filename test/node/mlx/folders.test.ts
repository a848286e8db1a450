import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimModelPorts } from '../../support/model-ports.ts';
import { type MlxRig, mlxRig, watched } from './rig.ts';

const nextPort = await claimModelPorts();
let rig: MlxRig;
beforeEach(() => {
  rig = mlxRig();
});
afterEach(() => rig.end());

describe('a model in a folder', () => {
  it('takes a folder that the owner named in the settings', async () => {
    const folder = join(rig.home, "Ada's models", 'good');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), '{}');
    const mlx = rig.controller({ folders: [folder] });
    const port = nextPort();
    expect(await mlx.load(folder, port, watched().watch)).toEqual({ kind: 'loaded', wasLoaded: false });
    expect(await mlx.list()).toMatchObject([{ model: folder, port }]);
  });

  it.each([
    ['another', (base: string) => join(base, 'other')],
    ['one inside it', (base: string) => join(base, 'named', 'inside')],
    ['another spelling', (base: string) => `${join(base, 'named')}/`],
    ['a way around', (base: string) => `${join(base, 'named')}/../other`],
    ['a link to it', (base: string) => join(base, 'link')],
    ['a path from here', () => './named'],
  ])('takes no folder beside those that the owner named: %s', async (_name, asked) => {
    for (const name of ['named', 'named/inside', 'other']) {
      mkdirSync(join(rig.home, name), { recursive: true });
      writeFileSync(join(rig.home, name, 'config.json'), '{}');
    }
    symlinkSync(join(rig.home, 'named'), join(rig.home, 'link'));
    const mlx = rig.controller({ folders: [join(rig.home, 'named')] });
    const refused = await mlx.load(asked(rig.home), nextPort(), watched().watch);
    expect(refused).toMatchObject({ kind: 'model_not_found' });
    expect(await mlx.list()).toEqual([]);
  });

  it.each(['models/good', '~/good', '/a\nb', ''])('does not take %j for the path of a folder', (folder) => {
    expect(() => rig.controller({ folders: [folder] })).toThrow('mlx.folders');
  });
});
