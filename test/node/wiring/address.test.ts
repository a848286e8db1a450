import { describe, expect, it } from 'vitest';
import { addressFollower } from '../../../src/wiring/address.ts';

const settings = (PUBLIC_URL: string) => ({ PUBLIC_URL, ALLOWED_HOSTS: 'localhost' });
const atItsAddress = addressFollower<ReturnType<typeof settings>>();

describe('the address of a gateway', () => {
  it('is the one in its settings, wherever it is asked', () => {
    const env = settings('https://bowline.example');
    expect(atItsAddress(env, 'http://localhost:8787/mcp')).toBe(env);
  });

  it.each([
    ['http://localhost:9000/mcp', 'http://localhost:9000'],
    ['http://127.0.0.1:8787/', 'http://127.0.0.1:8787'],
    ['http://[::1]:8787/', 'http://[::1]:8787'],
  ])('is where it is asked if it was given none: %s', (asked, origin) => {
    expect(atItsAddress(settings(''), asked).PUBLIC_URL).toBe(origin);
  });

  it.each(['http://evil.example/', 'http://localhost.evil.example/', 'http://192.168.0.7:8787/'])(
    'is on no other computer: %s',
    (asked) => {
      expect(atItsAddress(settings(''), asked).PUBLIC_URL).toBe('http://localhost');
    },
  );

  it('is made once while it is in use, and not kept for every port that somebody names', () => {
    const env = settings('');
    const used = () => atItsAddress(env, 'http://localhost:8787/');
    const first = used();
    for (const port of [1, 2, 3]) atItsAddress(env, `http://localhost:${port}/`);
    expect(used()).toBe(first);
    for (const port of [4, 5, 6, 7]) atItsAddress(env, `http://localhost:${port}/`);
    expect(used()).not.toBe(first);
  });
});
