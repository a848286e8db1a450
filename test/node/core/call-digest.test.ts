import { describe, expect, it } from 'vitest';
import { type CanonicalCall, callDigest } from '../../../src/core/call-digest.ts';

const call: CanonicalCall = {
  tool: 'create_file',
  schemaHash: 'a'.repeat(64),
  machine: 'mini',
  root: 'notes',
  params: { path: 'a.md', content: 'x' },
};

describe('the digest of a call', () => {
  it('is the same for the same call, however its arguments are ordered', () => {
    const { tool, schemaHash, machine, root } = call;
    const params = { content: 'x', path: 'a.md' };
    expect(callDigest({ params, root, machine, schemaHash, tool })).toBe(callDigest(call));
  });

  it.each<[string, Partial<CanonicalCall>]>([
    ['tool', { tool: 'create_directory' }],
    ['schema', { schemaHash: 'b'.repeat(64) }],
    ['machine', { machine: 'studio' }],
    ['no machine', { machine: null }],
    ['folder', { root: 'code' }],
    ['no folder', { root: null }],
    ['argument', { params: { path: 'a.md', content: 'y' } }],
    ['argument less', { params: { path: 'a.md' } }],
  ])('is another with another %s', (_, changed) => {
    expect(callDigest({ ...call, ...changed })).not.toBe(callDigest(call));
  });
});
