import { describe, expect, it } from 'vitest';
import {
  clearCookie,
  FORM_COOKIE,
  readCookie,
  SESSION_COOKIE,
  setCookie,
} from '../../../src/owner/cookies.ts';

const withCookie = (cookie: string) => new Request('https://bowline.example/', { headers: { cookie } });

describe('a cookie that is set', () => {
  it('has a name that browsers keep other hosts and unencrypted pages from setting', () => {
    for (const name of [SESSION_COOKIE, FORM_COOKIE]) expect(name).toMatch(/^__Host-/);
    expect(SESSION_COOKIE).not.toBe(FORM_COOKIE);
  });

  it('is kept from scripts, other sites and plain connections', () => {
    expect(setCookie('a', 'b')).toBe('a=b; Path=/; Secure; HttpOnly; SameSite=Lax');
    expect(setCookie('a', 'b', 60)).toBe('a=b; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60');
    expect(clearCookie('a')).toBe('a=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0');
  });
});

describe('a cookie that is read', () => {
  it.each([
    ['a=1', '1'],
    ['b=2; a=1', '1'],
    ['b=2;a=1;c=3', '1'],
    ['  a=1  ', '1'],
    ['a=1=2', '1=2'],
    ['ab=2; a=1', '1'],
    ['xa=2; a=1', '1'],
    ['A=2; a=1', '1'],
    ['a; a=1', '1'],
  ])('is found in %j', (cookie, value) => {
    expect(readCookie(withCookie(cookie), 'a')).toBe(value);
  });

  it.each([
    '',
    'b=1',
    'A=1',
    'a',
    'a=',
    'a =1',
    '"a"=1',
    'b="a=1"',
    'ba=1',
    'b=a=1',
    'a=1; a=1',
    'a=1; a=2',
    'a=1; a=',
  ])('is not found in %j', (cookie) => {
    expect(readCookie(withCookie(cookie), 'a')).toBeUndefined();
  });

  it('is not found where there are none', () => {
    expect(readCookie(new Request('https://bowline.example/'), 'a')).toBeUndefined();
  });
});
