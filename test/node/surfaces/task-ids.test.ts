import { describe, expect, it } from 'vitest';
import { taskIdsSignedWith } from '../../../src/surfaces/task-ids.ts';
import { stateKey } from '../../support/mcp-endpoint.ts';

const ids = taskIdsSignedWith(stateKey);
const followed = { kind: 'approval', id: 'ZGVhZGJlZWYtZGVhZGJlZQ', createdAt: 1_800_000_000_000 } as const;

describe('the name of a task', () => {
  it.each(['approval', 'call'] as const)('gives back what it stands for: %s', (kind) => {
    const id = kind === 'call' ? 'call_7a2c7f5e-6a1b-4a7e-8b52-0a4d3f1c9e11' : followed.id;
    expect(ids.read('ada', ids.name('ada', { ...followed, kind, id }))).toEqual({ ...followed, kind, id });
  });

  it('stands for nothing to anybody else', () => {
    expect(ids.read('bob', ids.name('ada', followed))).toBeUndefined();
  });

  it('stands for nothing if another gateway made it', () => {
    const theirs = taskIdsSignedWith(`${stateKey}, but another`);
    expect(ids.read('ada', theirs.name('ada', followed))).toBeUndefined();
  });

  it('cannot be changed in any place', () => {
    const name = ids.name('ada', followed);
    for (let i = 0; i < name.length; i++) {
      for (const letter of ['a', 'c', '1', '~', '']) {
        const changed = name.slice(0, i) + letter + name.slice(i + 1);
        // The last letter of the signature has two bits that say nothing.
        if (changed !== name && i < name.length - 1) expect(ids.read('ada', changed)).toBeUndefined();
      }
    }
  });

  it.each(['', '~', 'a~b~c~d', 'x'.repeat(100_000), `a~${'x'.repeat(129)}~1~${'x'.repeat(43)}`])(
    'is not made up: %.20s',
    (name) => {
      expect(ids.read('ada', name)).toBeUndefined();
    },
  );
});
