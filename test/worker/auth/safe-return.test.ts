import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeReturn } from '../../../src/owner/owner-session.ts';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { holdsFor } from '../../support/property.ts';
import { GATEWAY, send } from '../http.ts';
import { browser, signedIn, signInAs } from './support.ts';

const ORIGIN = 'https://bowline.example';

/** Where a browser goes that is at the sign-in page and is told this. */
const followed = (to: string, origin = ORIGIN) => new URL(to, `${origin}/signin`).origin;

const hostile: unknown[] = [
  '//evil.example',
  '//evil.example/connections?a=1',
  '///evil.example',
  '////evil.example',
  '/\\evil.example',
  '/\\/evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  'https://evil.example',
  'HTTPS://evil.example',
  'https:evil.example',
  'https:/evil.example',
  'http://evil.example/',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '/\u0000/evil.example',
  '/\u001f/evil.example',
  '/\u007f/evil.example',
  '/\u0085/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '\u00a0//evil.example',
  '/.//evil.example',
  '/./\\evil.example',
  '/..//evil.example',
  '/../..//evil.example',
  '/x/..//evil.example',
  '/x/../..//evil.example',
  '/%2e//evil.example',
  '/%2E%2e//evil.example',
  '/x/%2e%2e//evil.example',
  '/.//evil.example/..//x',
  '//user@evil.example',
  '//bowline.example@evil.example',
  '//bowline.example:444',
  '//bowline.example.evil.example',
  '//[::1]',
  '//',
  '///',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'evil.example',
  '@evil.example',
  '.evil.example',
  '?//evil.example',
  '#//evil.example',
  '',
  ' ',
  undefined,
  null,
  0,
  {},
  ['/connections'],
  new File(['/connections'], 'next'),
];

describe('the way back after signing in', () => {
  it.each(hostile)('never leads away: %j', (next) => {
    expect(safeReturn(next, ORIGIN)).toBe('/');
  });

  it.each([
    ['/', '/'],
    ['/connections', '/connections'],
    ['/connections?a=1&b=%2F%2Fevil.example', '/connections?a=1&b=%2F%2Fevil.example'],
    ['/authorize?redirect_uri=https://app.example/cb', '/authorize?redirect_uri=https://app.example/cb'],
    ['/%2F%2Fevil.example', '/%2F%2Fevil.example'],
    ['/%5cevil.example', '/%5cevil.example'],
    ['/%09/evil', '/%09/evil'],
    ['/a//b', '/a//b'],
    ['/a/../b', '/b'],
    ['/a#b', '/a'],
    ['/javascript:alert(1)', '/javascript:alert(1)'],
    ['/https://evil.example', '/https://evil.example'],
    ['/@evil.example', '/@evil.example'],
    ['/grüße', '/gr%C3%BC%C3%9Fe'],
  ])('leads where it says, if that is here: %s', (next, to) => {
    expect(safeReturn(next, ORIGIN)).toBe(to);
    expect(followed(to)).toBe(ORIGIN);
  });

  it('holds for whatever can be put together from the parts that browsers read in odd ways', () => {
    const steps = ['/', '//', '/.', '/..', '/%2e', '/%2E.', '/x', '\\', '/\\', '%2f', '%5c', '/%09'];
    const parts = [
      'evil.example',
      'https:',
      ':',
      '@',
      '?',
      '#',
      ';',
      '\t',
      '\n',
      ' ',
      '[::1]',
      '／',
      '＼',
      '。',
      '\u202e',
    ];
    const path = fc
      .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...steps) }, fc.constantFrom(...parts)), {
        maxLength: 7,
      })
      .map((all) => all.join(''));
    holdsFor(
      fc.oneof(
        path,
        path.map((rest) => `/${rest}`),
      ),
      (next) => {
        expect(followed(safeReturn(next, ORIGIN))).toBe(ORIGIN);
      },
    );
  });
});

describe('on every way through the sign-in', () => {
  const texts = hostile.filter((next): next is string => typeof next === 'string');

  it('a signed-in owner is not led away', async () => {
    const visitor = await signedIn();
    for (const next of texts) {
      const response = await visitor.send(`/signin?next=${encodeURIComponent(next)}`);
      expect(response.status).toBe(303);
      expect(followed(response.headers.get('location') ?? '', GATEWAY), next).toBe(GATEWAY);
    }
  });

  it('nor by a `next` that is encoded twice, or sent twice', async () => {
    const visitor = await signedIn();
    for (const query of [
      'next=%252F%252Fevil.example',
      'next=/connections&next=//evil.example',
      'next=//evil.example&next=/connections',
      'next[]=//evil.example',
      'NEXT=//evil.example',
      'next=%ff//evil.example',
    ]) {
      const response = await visitor.send(`/signin?${query}`);
      expect(followed(response.headers.get('location') ?? '', GATEWAY), query).toBe(GATEWAY);
    }
  });

  it('nor somebody who signs in just now', async () => {
    for (const next of ['//evil.example', '/.//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const response = await signInAs(browser(), TEST_OWNER_KEY, next);
      expect(response.status).toBe(303);
      expect(followed(response.headers.get('location') ?? '', GATEWAY)).toBe(GATEWAY);
    }
  });

  it('nor is the form shown with anything else to go on to', async () => {
    for (const next of texts) {
      const html = await (await send(`/signin?next=${encodeURIComponent(next)}`)).text();
      expect(html).toContain('name="next" value="/"');
    }
  });
});
