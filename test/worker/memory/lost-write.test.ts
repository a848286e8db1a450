import { expect, it } from 'vitest';
import { writeMemoryEntry } from '../../../contracts/memory.ts';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import type { Memory } from '../../../src/memory/memory-port.ts';
import { fateOfWrite, idemOf } from '../../../src/tools/memory.ts';
import { newMemory } from './support.ts';

const file = 'best_practices.md';
const entry = '- Measure first.';
const LONG_AGO = 0;

function asked(more: object = {}) {
  const memory = newMemory();
  const input = writeMemoryEntry.input.parse({ file, entry, ...more });
  const request = { contract: writeMemoryEntry, input } as unknown as PreparedCall;
  return {
    memory,
    fate: (at: number) =>
      fateOfWrite(request, { callId: 'call_0', at }, { stub: () => memory } as unknown as Memory),
  };
}

it('a write whose caller was lost is found in the memory', async () => {
  const { memory, fate } = asked();
  await memory.append({ file, body: entry, idem: idemOf(file, entry, false) });
  expect(await fate(Date.now())).toMatchObject({
    kind: 'ended',
    result: { kind: 'ok', output: { success: true, line_number: 1, bytes_written: 17, replayed: true } },
  });
});

it('a write that the memory lacks may be on its way, and later did not happen', async () => {
  const { fate } = asked();
  expect(await fate(Date.now())).toBeUndefined();
  expect(await fate(LONG_AGO)).toEqual({ kind: 'not_run' });
});

it('a write that was meant as another of the same words cannot be told from the first', async () => {
  const { memory, fate } = asked({ repeat: true });
  await memory.append({ file, body: entry, idem: idemOf(file, entry, false) });
  expect(await fate(LONG_AGO)).toBeUndefined();
});
