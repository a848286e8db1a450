import { describe, expect, it } from 'vitest';
import { saidBy } from '../../../src/gate/ledger-said.ts';

describe('what a call was about', () => {
  it.each<[unknown, string]>([
    [{ command: 'npm test', machine: 'mini', root: 'shop' }, 'npm test'],
    [{ machine: 'mini', path: 'src/a.ts', content: 'x' }, 'src/a.ts'],
    [{ url: 'https://a.org/', timeout_seconds: 3 }, 'https://a.org/'],
    [{ machine: 'mini', text: 'a long text' }, 'a long text'],
    [{ machine: 'mini', reason: 'because' }, ''],
    [{ '…': '{"text":"cut' }, '{"text":"cut'],
    [{ files: [{ path: 'a.ts' }, { path: 'b.ts', end_line: 3 }] }, 'a.ts, b.ts'],
    [{ edits: [{ path: 'a.ts', op: 'replace' }, { path: 'a.ts' }, 3, { path: 4 }], reason: 'r' }, 'a.ts'],
    [{ files: [], edits: 'x' }, 'x'],
    [{ path: 3 }, ''],
    [[1], ''],
    [null, ''],
  ])('of %j is %j', (args, said) => {
    expect(saidBy(JSON.stringify(args), 100)).toBe(said);
  });

  it('is one line, cut, even where the arguments were cut to something else', () => {
    expect(saidBy(JSON.stringify({ command: 'a\nb\u202e' }), 100)).toMatch(/^a\\nb/);
    expect(saidBy(JSON.stringify({ command: 'x'.repeat(50) }), 10)).toMatch(/^x{9,10}…?/);
    expect(saidBy('{"path":', 10)).toBe('');
  });
});
