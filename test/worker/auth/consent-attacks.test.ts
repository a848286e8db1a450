import { describe, expect, it } from 'vitest';
import { GATEWAY } from '../http.ts';
import {
  approve,
  authorizePath,
  bearer,
  browser,
  type Consent,
  codeIn,
  exchange,
  type OwnerBrowser,
  openConsent,
  personalToken,
  registered,
  signedIn,
} from './support.ts';

/** Nothing came of it: no redirect, no code, and the page is still there for its owner. */
async function expectNothing(response: Response, visitor?: OwnerBrowser, consent?: Consent, status = 400) {
  expect(response.status).toBe(status);
  expect(response.headers.has('location')).toBe(false);
  if (visitor && consent) codeIn(await approve(visitor, consent));
}

const approval = ({ handle, csrf }: Consent) => ({ handle, csrf, scope: ['read'], decision: 'approve' });

describe('a consent page', () => {
  it('counts once', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    codeIn(await approve(visitor, consent));
    await expectNothing(await approve(visitor, consent));
    await expectNothing(await visitor.submit('/authorize', { ...approval(consent), decision: 'deny' }));
  });

  it('counts once, even with its cookie put back', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const value = visitor.cookies.get(consent.cookie) ?? '';
    expect(value).not.toBe('');
    codeIn(await approve(visitor, consent));
    visitor.cookies.set(consent.cookie, value);
    await expectNothing(await approve(visitor, consent));
  });

  it('counts in the browser that was shown it and in no other', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const elsewhere = browser();
    elsewhere.cookies.set('__Host-bowline', visitor.secret);
    await expectNothing(await approve(elsewhere, consent), visitor, consent);
  });

  it('is not opened by the cookie of another page', async () => {
    const visitor = await signedIn();
    const [one, two] = [
      await openConsent(visitor, await registered()),
      await openConsent(visitor, await registered()),
    ];
    const value = visitor.cookies.get(one.cookie) ?? '';
    visitor.cookies.set(one.cookie, visitor.cookies.get(two.cookie) ?? '');
    await expectNothing(await approve(visitor, one));
    visitor.cookies.set(one.cookie, value);
    codeIn(await approve(visitor, one));
    codeIn(await approve(visitor, two));
  });

  it('counts in the session that was shown it and in no other', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const other = await signedIn();
    const cookie = visitor.cookies.get(consent.cookie) ?? '';
    // With the form as it was shown, with a ticket of its own, and with the cookie stolen besides.
    await expectNothing(await approve(other, consent));
    await expectNothing(await approve(other, { ...consent, csrf: other.csrf }));
    other.cookies.set(consent.cookie, cookie);
    await expectNothing(await approve(other, consent), visitor, consent);
  });

  it('dies with the session', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    await visitor.submit('/signout', { csrf: visitor.csrf });
    await expectNothing(await approve(visitor, consent));
  });

  it.each([
    ['no handle', ''],
    ['a made-up handle', 'A'.repeat(43)],
    ['the name of a record', 'transaction:x'],
  ])('is not opened by %s', async (_, handle) => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    await expectNothing(
      await visitor.submit('/authorize', { ...approval(consent), handle }),
      visitor,
      consent,
    );
  });

  it('has its cookie kept from scripts and other hosts, and thrown away after ten minutes', async () => {
    const response = await (await signedIn()).send(authorizePath(await registered()));
    const [line = '', ...more] = response.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(line).toMatch(/^__Host-oauth-consent-[0-9a-f]{16}=[0-9a-f]{64}; /);
    expect(line.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
  });
});

describe('an approval that the owner did not give', () => {
  it.each<[string, Record<string, string>]>([
    ['without a CSRF token', { csrf: '' }],
    ['with a made-up one', { csrf: 'A'.repeat(43) }],
  ])('is refused: %s', async (_, wrong) => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const fields = { ...approval(consent), ...wrong };
    await expectNothing(await visitor.submit('/authorize', fields), visitor, consent);
  });

  it('is refused without the field at all, or with it twice', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const { csrf, ...bare } = approval(consent);
    await expectNothing(await visitor.submit('/authorize', bare));
    await expectNothing(
      await visitor.submit('/authorize', { ...bare, csrf: ['wrong', csrf] }),
      visitor,
      consent,
    );
  });

  it('is refused with the CSRF token of another session, or of the form before sign-in', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const { csrf } = await signedIn();
    await expectNothing(await visitor.submit('/authorize', { ...approval(consent), csrf }));
    const html = await (await browser().send('/signin')).text();
    const ticket = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    expect(ticket).not.toBe('');
    await expectNothing(
      await visitor.submit('/authorize', { ...approval(consent), csrf: ticket }),
      visitor,
      consent,
    );
  });

  it.each<[string, Record<string, string>, number]>([
    ['from another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['from another site, not saying so', { origin: 'https://evil.example' }, 403],
    ['from nowhere', { origin: 'null' }, 403],
    ['from another program on this computer', { origin: 'http://localhost:3000' }, 400],
    ['from this host with encryption', { origin: 'https://localhost' }, 400],
    ['across sites by the browser’s own word', { 'sec-fetch-site': 'cross-site' }, 400],
    ['from a neighbour of this site', { 'sec-fetch-site': 'same-site' }, 400],
  ])('is refused: %s', async (_, headers, status) => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const response = await visitor.submit('/authorize', approval(consent), headers);
    await expectNothing(response, visitor, consent, status);
  });

  it('is refused if the browser says where it comes from in no other way than by fetch metadata', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const response = await visitor.send('/authorize', {
      method: 'POST',
      body: new URLSearchParams(
        Object.entries(approval(consent)).map(([name, value]) => [name, String(value)]),
      ),
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    await expectNothing(response, visitor, consent);
  });

  it('is refused with a token for a session, whatever the token may do', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const { secret } = await personalToken(['read', 'write', 'machine']);
    const program = browser();
    program.cookies.set(consent.cookie, visitor.cookies.get(consent.cookie) ?? '');
    const response = await program.submit('/authorize', approval(consent), bearer(secret));
    await expectNothing(response, visitor, consent);
  });

  it('is refused as a GET, which any page can cause', async () => {
    const visitor = await signedIn();
    const clientId = await registered();
    const consent = await openConsent(visitor, clientId);
    const { handle, csrf } = consent;
    const query = new URLSearchParams({ handle, csrf, scope: 'read', decision: 'approve' });
    const response = await visitor.send(`/authorize?${query}`);
    await expectNothing(response);
    const shown = await visitor.send(`${authorizePath(clientId)}&${query}`);
    await expectNothing(shown, visitor, consent, 200);
  });

  it('is refused as anything but a form', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const own = { origin: GATEWAY, 'sec-fetch-site': 'same-origin' };
    for (const [type, body] of [
      ['application/json', JSON.stringify(approval(consent))],
      ['text/plain', new URLSearchParams({ ...approval(consent), scope: 'read' }).toString()],
      ['multipart/form-data', 'no boundary'],
      ['multipart/form-data; boundary=x', 'no parts'],
    ] as const) {
      const headers = { ...own, 'content-type': type };
      await expectNothing(await visitor.send('/authorize', { method: 'POST', body, headers }));
    }
    await expectNothing(await visitor.send('/authorize', { method: 'POST', headers: own }), visitor, consent);
  });

  it('is refused if it is larger than any form of ours', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const padding = 'x'.repeat(100_000);
    await expectNothing(
      await visitor.submit('/authorize', { padding, ...approval(consent) }),
      visitor,
      consent,
    );
  });
});

it('lets two pages be open at once, each for its own app', async () => {
  const visitor = await signedIn();
  const [first, second] = [await registered(), await registered()];
  const pages = [await openConsent(visitor, first), await openConsent(visitor, second)] as const;
  const codes = [codeIn(await approve(visitor, pages[1])), codeIn(await approve(visitor, pages[0]))] as const;
  expect((await exchange(first, codes[0])).status).toBe(400);
  expect((await exchange(second, codes[0])).status).toBe(200);
  expect((await exchange(first, codes[1])).status).toBe(200);
});
