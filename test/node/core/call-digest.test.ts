import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argsIn, CALL_VERSION, type CallIdentity, callText } from '../../../src/core/call-digest.ts';
import { canonicalJson } from '../../../src/core/json.ts';
import { anyText, holdsFor, plainJson } from '../../support/property.ts';

const call: CallIdentity = {
  tool: 'create_file',
  schemaHash: 'a'.repeat(64),
  machine: 'm_1',
  root: 'notes',
  args: '{"content":"x","path":"a.md"}',
};

describe('the text of a call', () => {
  it.each<[string, Partial<CallIdentity>]>([
    ['tool', { tool: 'create_directory' }],
    ['schema', { schemaHash: 'b'.repeat(64) }],
    ['machine', { machine: 'm_2' }],
    ['no machine', { machine: null }],
    ['folder', { root: 'code' }],
    ['no folder', { root: null }],
    ['argument', { args: '{"content":"y","path":"a.md"}' }],
    ['argument less', { args: '{"path":"a.md"}' }],
  ])('is another with another %s', (_, changed) => {
    expect(callText({ ...call, ...changed })).not.toBe(callText(call));
  });

  it('is what RFC 8785 makes of the whole call, and gives its parameters back as they stand there', () => {
    holdsFor(fc.tuple(anyText, anyText, fc.option(anyText), plainJson), ([tool, machine, root, params]) => {
      const args = canonicalJson({ params });
      const one = { tool, schemaHash: 'a', machine, root, args };
      const whole = { tool, schemaHash: 'a', machine, root, params: { params }, version: CALL_VERSION };
      expect(callText(one)).toBe(canonicalJson(whole));
      expect(argsIn(callText(one), one)).toBe(args);
    });
  });
});
