import { expect, it, vi } from 'vitest';
import type { Caller } from '../../src/core/call.ts';
import { endedBy, hasLeft } from '../../src/core/call-end.ts';
import { endOf } from '../../src/http/request-end.ts';

const CALLER: Caller = { principal: 'token:a', client: 'a', via: 'mcp', scopes: new Set() };

function asked() {
  const left = new AbortController();
  const request = new Request('http://a.test/mcp', { signal: left.signal });
  const end = endOf(request);
  return { request, left, end, caller: endedBy(CALLER, end) };
}

it('gives a request one end', () => {
  const { request, end } = asked();
  expect(endOf(request)).toBe(end);
});

it.each(['left', 'was shut out'])('tells that a caller %s who was never asked for a signal', (how) => {
  const { left, end, caller } = asked();
  expect(hasLeft(caller)).toBe(false);
  if (how === 'left') left.abort();
  else end.abort();
  expect(hasLeft(caller)).toBe(true);
  expect(caller.signal?.aborted).toBe(true);
});

it.each(['leaves', 'is shut out'])('tells whoever listens that the caller %s', (how) => {
  const { left, end, caller } = asked();
  const heard = vi.fn();
  caller.signal?.addEventListener('abort', heard);
  if (how === 'leaves') left.abort();
  else end.abort();
  expect(heard).toHaveBeenCalledTimes(1);
  expect(hasLeft(caller)).toBe(true);
});

it('gives a copy of a caller its own end', () => {
  const { end, caller } = asked();
  const copy = { ...caller };
  const other = { ...caller, signal: new AbortController().signal };
  end.abort();
  expect([hasLeft(copy), hasLeft(other), hasLeft(CALLER)]).toEqual([true, false, false]);
});
