import { describe, expect, it } from 'vitest';
import { preferredWait } from '../../../src/http/prefer-wait.ts';

const waitOf = (prefer?: string) =>
  preferredWait(new Request('https://bowline.example/', { headers: prefer === undefined ? {} : { prefer } }));

describe('the time that a client waits', () => {
  it.each([
    ['wait=60', 60_000],
    ['wait = 60', 60_000],
    ['Wait="60"', 60_000],
    ['respond-async, wait=300; foo', 300_000],
    ['wait=0', 0],
    ['wait=10, wait=20', 10_000],
  ])('is read from %j', (prefer, ms) => {
    expect(waitOf(prefer)).toBe(ms);
  });

  it.each([
    undefined,
    '',
    'wait',
    'wait=',
    'wait=-1',
    'wait=1e9',
    'wait=1.5',
    'wait=1234567',
    'await=60',
    'x=wait=60',
  ])('is unknown for %j', (prefer) => {
    expect(waitOf(prefer)).toBeUndefined();
  });
});
