import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalGate } from '../../../local-bridge/local/gate/local-gate.ts';
import { runBowline } from '../../support/command.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-absolute-')));
  for (const name of ['home', 'one', 'two']) mkdirSync(join(base, name), { mode: 0o700 });
  for (const name of ['one', 'two']) writeFileSync(join(base, name, 'f'), `in ${name}`);
  const roots = ['one', 'two'].map((name) => ({ name, path: join(base, name) }));
  writeFileSync(join(base, 'home', 'bridge.json'), JSON.stringify({ roots }), { mode: 0o600 });
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

async function read(input: object) {
  const args = ['call', 'read_file', '--local', '--json', '--input', JSON.stringify(input)];
  const { stdout } = await runBowline(args, { env: { BOWLINE_HOME: join(base, 'home') } });
  return JSON.parse(stdout) as { output?: string; code?: string };
}

describe('a path written in full, without a gateway', () => {
  it('is read where it leads, also in a folder that is not the default', async () => {
    expect((await read({ path: join(base, 'one', 'f') })).output).toContain('in one');
    expect((await read({ path: join(base, 'two', 'f') })).output).toContain('in two');
    for (const path of ['/one//f', '/one/../two/f', '/home/bridge.json'])
      expect(await read({ path: base + path })).toMatchObject({ code: 'path_outside_root' });
  });

  it('is judged by the rule for the path from its folder', async () => {
    const gate = openLocalGate(join(base, 'home'));
    const saved = gate.now().addRule(
      {
        tool: 'read_file',
        machine: null,
        effect: 'deny',
        match: { kind: 'arguments', fields: { path: { equals: 'f' }, root: { equals: 'two' } } },
        expiresAt: Date.now() + 3_600_000,
        maxUses: null,
        note: '',
        examples: { must: ['{"path":"f","root":"two"}'], mustNot: ['{"path":"f"}'] },
      },
      true,
    );
    gate.close();
    expect(saved).toHaveProperty('id');
    expect(await read({ path: join(base, 'two', 'f') })).toMatchObject({ code: 'denied_by_rule' });
    expect((await read({ path: join(base, 'one', 'f') })).output).toContain('in one');
  });
});
