import { describe, expect, it } from 'vitest';
import { instructionsFor, instructionsHere } from '../../../src/surfaces/instructions.ts';
import { callerNamed } from '../../support/gate-tools.ts';

const mini = { name: 'mini', online: true, roots: [{ name: 'notes' }, { name: 'code' }] };
const studio = { name: 'studio', online: false, roots: [] };
const everything = callerNamed('ada', { scopes: new Set(['read', 'write', 'machine']) });

const written = (
  machines: () => Promise<(typeof mini)[]>,
  { own = '' as unknown, caller = everything, reported = [] as unknown[] } = {},
) =>
  instructionsFor(caller, {
    machines,
    gate: () => ({ setting: async () => own }),
    report: (error) => reported.push(error),
  });

describe('what a client tells its model', () => {
  it('names the machines and folders, and says how a yes is given', async () => {
    const text = await written(async () => [mini, studio]);
    expect(text).toContain(
      'Machines: mini (folders: notes, code), studio (offline). Name one with `machine`',
    );
    expect(text).toContain('a yes in the chat counts for nothing');
    for (const told of [
      'mirror has the repo as it was last pushed',
      '`repeat`',
      '`idempotency_key`',
      'starts anew',
    ])
      expect(text).toContain(told);
    expect(text).toContain('call again with exactly the same arguments');
    expect(text.length).toBeLessThanOrEqual(1_500);
  });

  it('names no machine to a caller that may use none', async () => {
    for (const scopes of [['read'], ['machine'], ['read', 'write']] as const) {
      const caller = callerNamed('ada', { scopes: new Set(scopes) });
      expect(await written(async () => [mini], { caller })).not.toContain('mini');
    }
  });

  it('says when none is paired', async () => {
    expect(await written(async () => [])).toContain('Machines: none is paired');
  });

  it('is never longer than promised, whatever machines and the owner add', async () => {
    const name = 'm'.repeat(64);
    const many = Array.from({ length: 50 }, (_, i) => ({ ...mini, name: `${name}${i}` }));
    const roots = Array.from({ length: 100 }, (_, i) => ({ name: `folder-${i}-${'x'.repeat(40)}` }));
    for (const own of ['', 'o'.repeat(500)]) {
      for (const machines of [many, [{ ...mini, roots }], [mini, { ...mini, roots }]]) {
        const text = await written(async () => machines, { own });
        expect(text.length - own.length).toBeLessThanOrEqual(1_500);
        expect(text).toContain('`list_machines`');
        expect(text.endsWith(own)).toBe(true);
      }
    }
    expect(instructionsHere(roots).length).toBeLessThanOrEqual(1_500);
  });

  it('has the owner’s words at its end', async () => {
    const text = await written(async () => [mini], { own: ' Answer in German. \n' });
    expect(text.endsWith('\nThe owner adds: Answer in German.')).toBe(true);
  });

  it('is there also when machines or settings cannot be read', async () => {
    const reported: unknown[] = [];
    const text = await written(() => Promise.reject(new Error('gone')), { reported });
    expect(text).toContain('Approvals: ');
    expect(reported).toMatchObject([{ message: 'gone' }]);
  });

  it('has no hidden characters of a machine’s name', async () => {
    const text = await written(async () => [{ ...mini, name: 'mi\u202eni\n' }]);
    expect(text).not.toMatch(/\u202e/);
    expect(text).toContain('mi\\u{202e}ni');
  });
});
