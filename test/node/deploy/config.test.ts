import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFor, isClone } from '../../../local-bridge/cli/deploy/config.ts';
import { PROJECT } from '../../support/up.ts';

const toml = readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8');

describe('the configuration of a deployment', () => {
  it('is the clone’s with its own names, to be read from elsewhere', () => {
    const lines = configFor('second', toml).split('\n');
    expect(lines).toContain('name = "second"');
    expect(lines).toContain('CLIENT_ADDRESS_HEADER = "cf-connecting-ip"');
    expect(lines).toContain('FETCHES_STAY_PUBLIC = "yes"');
    expect(lines).toContain('bucket_name = "second-blobs"');
    const main = lines.find((line) => line.startsWith('main = '))?.slice('main = "'.length, -1) ?? '';
    expect(main.startsWith(`${PROJECT}/`)).toBe(true);
    expect(toml).toContain(`main = "${main.slice(PROJECT.length + 1)}"`);
    expect(lines).toHaveLength(toml.split('\n').length);
  });

  it('is no other than the clone’s for the usual name, but for where it runs', () => {
    const differs = configFor('bowline', toml)
      .split('\n')
      .filter((line, i) => line !== toml.split('\n')[i]);
    expect(differs.map((line) => line.split(' =')[0])).toEqual([
      ...['main', 'CLIENT_ADDRESS_HEADER', 'FETCHES_STAY_PUBLIC'],
    ]);
  });

  it('names a KV namespace only if one is there already', () => {
    expect(configFor('bowline', toml)).not.toMatch(/^id = /m);
    expect(configFor('bowline', toml, { namespace: 'abc' })).toContain('binding = "OAUTH_KV"\nid = "abc"\n');
  });

  it('is made from a clone and nothing less', () => {
    expect(isClone()).toBe(true);
    expect(isClone(join(PROJECT, 'local-bridge'))).toBe(false);
  });

  it('names a build that is there', () => {
    const script = /^command = "node (.*)"$/m.exec(toml)?.[1];
    if (script !== undefined) expect(existsSync(join(PROJECT, script))).toBe(true);
  });
});
